// What a user has to read of a rewritten program: lines that are new or changed in the program's own files.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "new_lines.h"
#include "trial.h"

namespace cuco {
namespace {

std::vector<std::filesystem::path> workload_programs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "workloads"))
    if (std::filesystem::exists(entry.path() / "workload.toml")) found.push_back(entry.path() / "program.cu");
  std::sort(found.begin(), found.end());
  return found;
}

using Files = std::vector<std::filesystem::path>;

// Programs that others might have written: checks, arguments and files of their own.
std::vector<Files> strangers() {
  const std::filesystem::path folder = kSource / "tests" / "strangers";
  return {
      {folder / "jacobi_halo.cu"},       {folder / "split_dp_tp.cu"},
      {folder / "pipeline_stages.cu"},   {folder / "comm_vector.cu"},
      {folder / "sequence_parallel.cu"}, {folder / "ddp_buckets" / "train.cpp", folder / "ddp_buckets" / "layers.cu"}};
}

frontend::ParseRequest parse_of(const Files& files) {
  frontend::ParseRequest parse;
  for (const std::filesystem::path& file : files) parse.files.push_back(file.string());
  parse.flags.include_folders = {files[0].parent_path().string()};
  parse.share = kSource;
  return parse;
}

// In all files of the program together.
size_t new_lines_of(const Files& files) {
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse_of(files), space::Backend::Lsa);
  EXPECT_TRUE(sources) << files[0] << ": " << (sources ? "" : sources.error().message);
  if (!sources) return SIZE_MAX;
  size_t lines = 0;
  for (const rewrite::Source& source : *sources) lines += new_lines(*read_file(source.path), source.text);
  return lines;
}

void expect_short(const std::vector<Files>& programs) {
  std::vector<size_t> counts;
  for (const Files& files : programs) {
    counts.push_back(new_lines_of(files));
    std::printf("%3zu new lines in %s\n", counts.back(), files[0].lexically_relative(kSource).c_str());
  }
  ASSERT_FALSE(counts.empty());
  std::sort(counts.begin(), counts.end());
  EXPECT_LE(counts[counts.size() / 2], 40u);
}

TEST(Diff, CountsLinesThatAreNewOrChanged) {
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nb\nc\n"), 0u);
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nx\nc\ny\n"), 2u);
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nc\n"), 0u);
}

TEST(Diff, OfTheBundledWorkloadsIsShort) {
  std::vector<Files> programs;
  for (const std::filesystem::path& program : workload_programs()) programs.push_back({program});
  expect_short(programs);
}

TEST(Diff, OfProgramsOfOthersIsShort) { expect_short(strangers()); }

// Every include stands once, and no marker follows another with nothing between them.
TEST(Diff, RepeatsNoIncludeAndLeavesNoBlockEmpty) {
  for (const std::filesystem::path& program : workload_programs()) {
    Result<std::vector<rewrite::Source>> sources = rewritten_files(parse_of({program}), space::Backend::Gin);
    ASSERT_TRUE(sources) << program << ": " << sources.error().message;
    std::vector<std::string> lines = split((*sources)[0].text, '\n');
    for (size_t i = 0; i + 1 < lines.size(); i++) {
      bool opens = lines[i].find("EVOLVE-BLOCK-START") != std::string::npos;
      EXPECT_FALSE(opens && lines[i + 1].find("EVOLVE-BLOCK-END") != std::string::npos) << program;
      size_t times = static_cast<size_t>(std::count(lines.begin(), lines.end(), lines[i]));
      EXPECT_TRUE(!lines[i].starts_with("#include") || times == 1) << lines[i];
    }
  }
}

}  // namespace
}  // namespace cuco
