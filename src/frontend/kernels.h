// The device side of a program: what each kernel reads and writes through its pointers, how it synchronises, and what
// it communicates itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/locations.h"
#include "frontend/reach_back.h"
#include "model/program.h"

namespace cuco::frontend {

struct KernelTable {
  std::vector<model::Kernel> kernels;
  std::vector<std::map<uint32_t, std::vector<Reach>>> reaches;  // Of each: see reaches_back().
  std::map<std::string, model::Index> by_name;  // By unique_name() of the declaration.
};

// Adds every __global__ function of the user that has a body in this translation unit. Each instantiation of a template
// is a kernel of its own; a template that nothing instantiates is one too, read as written and named "gemm<...>".
//
// Pointers are named as the kernel would write them: "out", "args.out", "*rows" for what lies behind a pointer in
// memory, "node->next". A __device__ variable goes by its name, and "*head" is what a __device__ pointer points to.
void collect_kernels(const Locations& locations, KernelTable& table);

}  // namespace cuco::frontend
