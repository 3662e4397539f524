// verdict: fault
// finding: unsupported: nothing defines multiplied_elsewhere(double const*, int): add the file that has it, or name its library with -l
#include <cuda_runtime.h>

double multiplied_elsewhere(const double* values, int count);

int main() {
  double values[2] = {1, 2};
  return multiplied_elsewhere(values, 2) > 2;
}
