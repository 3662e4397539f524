// verdict: fault
// finding: abort: host thread 0: abort
#include <stdexcept>

#include <cuda_runtime.h>

int main() { throw std::runtime_error("nobody catches this"); }
