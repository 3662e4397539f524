// Every header of the communication library compiles alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/scratch_folder.h"
#include "trial.h"

namespace cuco {
namespace {

std::vector<std::string> headers() {
  std::vector<std::string> found = {"cuco/comm.cuh"};
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "device" / "cuco" / "comm"))
    found.push_back("cuco/comm/" + entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string parsed(const std::filesystem::path& file) {
  frontend::ParseRequest parse;
  parse.files = {file.string()};
  parse.share = kSource;
  Result<model::Program> program = frontend::read_program(parse);
  return program ? "" : program.error().message;
}

TEST(CommHeaders, CompileAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-headers").value();
  for (const std::string& header : headers()) {
    std::filesystem::path file = scratch.path() / (header.ends_with(".h") ? "program.cpp" : "program.cu");
    ASSERT_TRUE(write_file(file, concat("#include <", header, ">\nint main() {}\n")));
    EXPECT_EQ(parsed(file), "") << header;
  }
}

TEST(CommHeaders, EveryRouteCompiles) { EXPECT_EQ(parsed(kFolder / "every_route.cu"), ""); }

}  // namespace
}  // namespace cuco
