// stranger: conjugate gradients in four files and a folder of headers: dot products by all-reduce, the vector of SpMV by all-gather
// files: main.cpp src/solver.cpp src/distributed.cpp src/kernels.cu
// flags: -I include
// ranks: 4
// arguments: --grid 8 --max-iterations 20
// expect-output: residual below tolerance
// convert: lsa
// share: all
#include <cstdlib>
#include <iostream>
#include <string>

#include "distributed.hpp"
#include "solver.hpp"

namespace {

struct Settings {
  int grid = 1024;
  int max_iterations = 200;
  bool quiet = false;
};

Settings parse(int argc, char* argv[]) {
  Settings s;
  for (int i = 1; i < argc; i++) {
    const std::string arg = argv[i];
    if (arg == "--grid" && i + 1 < argc) s.grid = std::stoi(argv[++i]);
    else if (arg == "--max-iterations" && i + 1 < argc) s.max_iterations = std::stoi(argv[++i]);
    else if (arg == "--quiet") s.quiet = true;
    else std::cerr << "ignored: " << arg << "\n";
  }
  return s;
}

}  // namespace

int main(int argc, char* argv[]) {
  dist::Environment env(argc, argv);
  const Settings s = parse(argc, argv);
  const CsrMatrix matrix = laplacian_rows(s.grid, env.rank(), env.size());
  Solver solver(env, matrix);
  const Result result = solver.solve(s.max_iterations, 1e-8);
  if (env.rank() == 0 && !s.quiet)
    std::cout << result.iterations << " iterations, " << result.milliseconds << " ms, |r|/|b| = " << result.relative << "\n";
  const double check = solver.true_residual();
  if (env.rank() == 0) std::cout << (check < 1e-3 ? "residual below tolerance" : "residual TOO LARGE") << std::endl;
  return check < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
