// verdict: fault
// finding: abort: host thread 0: abort
#include <cstdlib>

#include <cuda_runtime.h>

int main() { std::abort(); }
