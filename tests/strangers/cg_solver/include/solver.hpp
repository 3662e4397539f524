#pragma once
#include <vector>

#include "distributed.hpp"

struct CsrMatrix {
  int rows = 0, columns = 0;
  std::vector<int> row_start, column;
  std::vector<double> value;
};

struct Result {
  int iterations = 0;
  double relative = 0, milliseconds = 0;
};

CsrMatrix laplacian_rows(int grid, int rank, int size);

class Solver {
 public:
  Solver(dist::Environment& env, const CsrMatrix& matrix);
  Result solve(int max_iterations, double tolerance);
  double true_residual();

 private:
  double dot(const double* a, const double* b);
  void multiply(const double* v, double* out);

  dist::Environment& env_;
  int rows_, columns_;
  dist::DeviceVector<int> start_, column_;
  dist::DeviceVector<double> value_, x_, r_, p_, ap_, whole_, scalar_;
};
