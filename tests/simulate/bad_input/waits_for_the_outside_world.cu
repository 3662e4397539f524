// verdict: time_limit
// finding: no_progress: the run had not ended after
#include <unistd.h>

#include <cuda_runtime.h>

int main() {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return 1;
  return static_cast<int>(read(ends[0], &byte, 1));
}
