// verdict: exit
// The C library calls exit itself, past the one that the runner provides.
#include <cuda_runtime.h>
#include <err.h>

int main() { errx(3, "no such file"); }
