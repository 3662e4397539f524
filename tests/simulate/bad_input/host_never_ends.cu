// verdict: time_limit
// finding: it goes round
// finding: host_never_ends.cu:10
#include <cuda_runtime.h>

volatile unsigned steps = 0;

int main() {
  while (true) {
    steps = steps + 1;
  }
}
