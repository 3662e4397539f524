// verdict: fault
// finding: crash: the run ended with code 137
#include <cuda_runtime.h>
#include <signal.h>

int main() { return raise(SIGKILL); }
