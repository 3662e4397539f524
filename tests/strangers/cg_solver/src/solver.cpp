#include "solver.hpp"

#include <chrono>
#include <cmath>

#include "kernels.cuh"

using dist::check;

CsrMatrix laplacian_rows(int grid, int rank, int size) {
  CsrMatrix m;
  m.columns = grid * grid;
  m.rows = m.columns / size;
  m.row_start.push_back(0);
  for (int r = rank * m.rows; r < (rank + 1) * m.rows; r++) {
    const int x = r % grid, y = r / grid;
    auto entry = [&](int c, double v) {
      m.column.push_back(c);
      m.value.push_back(v);
    };
    if (y > 0) entry(r - grid, -1);
    if (x > 0) entry(r - 1, -1);
    entry(r, 4);
    if (x < grid - 1) entry(r + 1, -1);
    if (y < grid - 1) entry(r + grid, -1);
    m.row_start.push_back((int)m.column.size());
  }
  return m;
}

Solver::Solver(dist::Environment& env, const CsrMatrix& m)
    : env_(env), rows_(m.rows), columns_(m.columns), start_(m.row_start.size()), column_(m.column.size()), value_(m.value.size()),
      x_(m.rows), r_(m.rows), p_(m.rows), ap_(m.rows), whole_(m.columns), scalar_(1) {
  check(cudaMemcpy(start_.data(), m.row_start.data(), m.row_start.size() * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(column_.data(), m.column.data(), m.column.size() * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(value_.data(), m.value.data(), m.value.size() * sizeof(double), cudaMemcpyHostToDevice));
}

double Solver::dot(const double* a, const double* b) {
  launch_dot(a, b, scalar_.data(), rows_, env_.stream());
  check(ncclAllReduce(scalar_.data(), scalar_.data(), 1, ncclDouble, ncclSum, env_.comm(), env_.stream()));
  double host = 0;
  check(cudaMemcpyAsync(&host, scalar_.data(), sizeof host, cudaMemcpyDeviceToHost, env_.stream()));
  check(cudaStreamSynchronize(env_.stream()));
  return host;
}

void Solver::multiply(const double* v, double* out) {
  check(ncclAllGather(v, whole_.data(), rows_, ncclDouble, env_.comm(), env_.stream()));
  launch_spmv(start_.data(), column_.data(), value_.data(), whole_.data(), out, rows_, env_.stream());
}

Result Solver::solve(int max_iterations, double tolerance) {
  cudaStream_t s = env_.stream();
  launch_set(x_.data(), 0.0, rows_, s);
  launch_set(r_.data(), 1.0, rows_, s);
  launch_set(p_.data(), 1.0, rows_, s);
  double rr = dot(r_.data(), r_.data());
  const double bb = rr;
  Result result;
  const auto begin = std::chrono::steady_clock::now();
  while (result.iterations < max_iterations && rr > tolerance * tolerance * bb) {
    multiply(p_.data(), ap_.data());
    const double alpha = rr / dot(p_.data(), ap_.data());
    launch_axpy(alpha, p_.data(), x_.data(), rows_, s);
    launch_axpy(-alpha, ap_.data(), r_.data(), rows_, s);
    const double next = dot(r_.data(), r_.data());
    launch_xpby(r_.data(), next / rr, p_.data(), rows_, s);
    rr = next;
    result.iterations++;
  }
  check(cudaStreamSynchronize(s));
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  result.relative = std::sqrt(rr / bb);
  return result;
}

double Solver::true_residual() {
  multiply(x_.data(), ap_.data());
  launch_set(r_.data(), 1.0, rows_, env_.stream());
  launch_axpy(-1.0, ap_.data(), r_.data(), rows_, env_.stream());
  return std::sqrt(dot(r_.data(), r_.data()) / columns_);
}
