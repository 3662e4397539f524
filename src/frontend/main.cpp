// cuco-lower PATH STANDARD PREPROCESSED OUTPUT: lowering as a process of its own, for text that nobody trusts: a
// compiler can be kept busy for ever, or crash.
#include <cstdio>

#include "base/files.h"
#include "frontend/lower.h"

namespace {

cuco::Status lower(char** argv) {
  cuco::Result<std::string> text = cuco::read_file(argv[3]);
  if (!text) return text.error();
  cuco::Result<std::string> lowered = cuco::frontend::lower_to_cpp({argv[1], *text, argv[2]});
  if (!lowered) return lowered.error();
  return cuco::write_file(argv[4], *lowered);
}

}  // namespace

int main(int argc, char** argv) {
  cuco::Status done = argc == 5 ? lower(argv) : cuco::Error{"usage: cuco-lower PATH STANDARD PREPROCESSED OUTPUT"};
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
