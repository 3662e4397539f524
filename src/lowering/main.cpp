// cuco-lower INPUT OUTPUT: lowering as a process of its own, for text that nobody trusts: a
// compiler can be kept busy for ever, or crash.
// cuco-lower region OUTPUT SHARE FLAGS FILE...: for the same reason, where the timed region of a program stands: lines
// "FILE", "BEGIN END CALLS EVENTS LAST" and "SET_UP", as model/region_text.h has them; EVENTS is 1 where events bound
// it. FLAGS is a file with model::to_text(BuildFlags).
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "lowering/lower.h"
#include "model/region_text.h"
#include "model/timed_region.h"

namespace {

cuco::Status lower(char** argv) {
  cuco::Result<std::string> text = cuco::read_file(argv[1]);
  if (!text) return text.error();
  cuco::Result<cuco::vcluster::LoweringInput> input = cuco::vcluster::parse_lowering_input(*text);
  if (!input) return input.error();
  cuco::Result<std::string> lowered = cuco::lowering::lower_to_cpp(*input);
  if (!lowered) return lowered.error();
  return cuco::write_file(argv[2], *lowered);
}

cuco::Result<cuco::frontend::ParseRequest> parse_request(int argc, char** argv) {
  cuco::frontend::ParseRequest request;
  request.share = argv[3];
  cuco::Result<std::string> text = cuco::read_file(argv[4]);
  if (!text) return text.error();
  cuco::Result<cuco::model::BuildFlags> flags = cuco::model::parse_build_flags(*text);
  if (!flags) return flags.error();
  request.flags = *std::move(flags);
  request.files.assign(argv + 5, argv + argc);
  return request;
}

cuco::Status find_region(int argc, char** argv) {
  cuco::Result<cuco::frontend::ParseRequest> made = parse_request(argc, argv);
  if (!made) return made.error();
  const cuco::frontend::ParseRequest& request = *made;
  cuco::Result<cuco::model::Program> program = cuco::frontend::read_program(request);
  if (!program) return program.error();
  program->timed_region = cuco::model::find_timed_region(*program);
  cuco::Result<cuco::model::RegionText> region = cuco::model::find_region_text(*program);
  if (!region) return region.error();
  bool by_events = program->timed_region.basis == cuco::model::RegionBasis::Events;
  std::string file = std::filesystem::weakly_canonical(program->files[region->file].path).string();
  return cuco::write_file(
      argv[2], cuco::concat(file, "\n", region->begin_byte, " ", region->end_byte, " ", region->own_calls, " ",
                            by_events ? 1 : 0, " ", region->is_last ? 1 : 0, "\n", region->set_up, "\n"));
}

cuco::Status run(int argc, char** argv) {
  if (argc > 5 && std::string_view(argv[1]) == "region") return find_region(argc, argv);
  return argc == 3 ? lower(argv) : cuco::Error{"usage: cuco-lower INPUT OUTPUT"};
}

}  // namespace

int main(int argc, char** argv) {
  cuco::Status done = run(argc, argv);
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
