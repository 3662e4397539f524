// The text of a launch that runs later than it is called, and of the kernels that are made of the one that it launches.
#pragma once

#include <string>
#include <vector>

#include "rewrite/text/launched_kernel.h"

namespace cuco::rewrite {

enum class Captured { Values, AllButNumbers };

// What a launch is given, as a lambda says it that launches later. Values of texts are taken at the call; names are
// copied by the lambda, or taken as well.
class Captures {
 public:
  explicit Captures(Captured captured = Captured::Values) : captured_(captured) {}

  // The text, or the name for its value.
  std::string take(const std::string& text, const std::string& name);
  // Those of all items, as name + their place.
  std::vector<std::string> take_all(const std::vector<Item>& items, const char* name);
  // "[=, argument_1 = f(x)]".
  std::string text() const;

 private:
  Captured captured_;
  std::vector<std::string> values_;
};

// "gemm_with_s1<64>" of "gemm<64>".
std::string with_suffix(const std::string& kernel, const std::string& suffix);

// gemm<<<grid, 64, 0, stream>>>(a, c) becomes FUNCTION(SHAPES, grid, 64, stream, POINTERS, [=](const WORK* fused)
// {...}).
struct HeldLaunch {
  std::string begin;          // "cuco::comm::launch_fused(".
  std::string shapes;         // Of which launches what is known.
  std::string room = {};      // "cuco::comm::resident_blocks(...), ": the call says how many blocks are launched.
  std::string pointers = {};  // ", cuco::comm::pointers_of(a, c)".
  std::string work;           // "FusedSend": what the kernel gets that communicates.
  std::string kernel, fused;  // As written, and that one.
  std::string argument = {};  // That both get behind those of the program.
};
std::string held_text(const HeldLaunch& held, const LaunchText& launch, const std::string& indent);

// A kernel made of another.
struct MadeKernel {
  std::string comment, name;
  std::string parameters;  // Behind those of the other.
  std::string body;
};
// The kernel becomes a function with its body, one that calls it, and those that do so besides. `open` is the kernel
// with the parameters that the function has.
void write_kernels(Work& work, Index file, const LaunchParts& parts, const KernelParts& open, bool takes_grid,
                   const std::vector<MadeKernel>& made);

}  // namespace cuco::rewrite
