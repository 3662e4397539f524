// stranger: classes in several files: the communicator in a unique_ptr, layers in a vector of unique_ptr, one all-reduce a layer
// files: main.cpp model.cu communicator.cpp
// flags: -I include
// ranks: 4
// arguments: --layers=2 --params=4096 --iterations=2
// expect-output: verified
// convert: lsa gin
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include "model.hpp"

static Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    auto value = [&]() -> std::string {
      auto eq = a.find('=');
      if (eq != std::string::npos) return a.substr(eq + 1);
      if (i + 1 >= argc) throw std::invalid_argument(a + " needs a value");
      return argv[++i];
    };
    if (a.rfind("--layers", 0) == 0) o.layers = std::stoi(value());
    else if (a.rfind("--params", 0) == 0) o.params_per_layer = std::stoull(value());
    else if (a.rfind("--iterations", 0) == 0) o.iterations = std::stoi(value());
    else if (a.rfind("--lr", 0) == 0) o.lr = std::stof(value());
    else throw std::invalid_argument("unknown option " + a);
  }
  return o;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, world, result = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  try {
    const Options options = parse(argc, argv);
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(rank % devices));
    auto comm = std::make_unique<Communicator>(rank, world);
    Trainer trainer(options, *comm);
    float total = 0;
    for (int t = 0; t < options.iterations; ++t) {
      float ms = trainer.step(t);
      if (t > 0) total += ms;
    }
    bool good = trainer.verify(options.iterations);
    if (rank == 0)
      std::cout << "mean step " << total / (options.iterations > 1 ? options.iterations - 1 : 1) << " ms, " << (good ? "verified" : "WRONG") << std::endl;
    result = good ? 0 : 3;
  } catch (const std::exception& e) {
    std::cerr << "rank " << rank << ": " << e.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
