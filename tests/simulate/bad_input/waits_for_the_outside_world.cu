// verdict: time_limit
// finding: for something outside of the virtual cluster
#include <unistd.h>

#include <cuda_runtime.h>

int main() {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return 1;
  return static_cast<int>(read(ends[0], &byte, 1));
}
