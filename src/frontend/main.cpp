// cuco-lower INPUT OUTPUT: lowering as a process of its own, for text that nobody trusts: a
// compiler can be kept busy for ever, or crash.
#include <cstdio>

#include "base/files.h"
#include "frontend/lower.h"

namespace {

cuco::Status lower(char** argv) {
  cuco::Result<std::string> text = cuco::read_file(argv[1]);
  if (!text) return text.error();
  cuco::Result<cuco::model::LoweringInput> input = cuco::model::parse_lowering_input(*text);
  if (!input) return input.error();
  cuco::Result<std::string> lowered = cuco::frontend::lower_to_cpp(*input);
  if (!lowered) return lowered.error();
  return cuco::write_file(argv[2], *lowered);
}

}  // namespace

int main(int argc, char** argv) {
  cuco::Status done = argc == 3 ? lower(argv) : cuco::Error{"usage: cuco-lower INPUT OUTPUT"};
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
