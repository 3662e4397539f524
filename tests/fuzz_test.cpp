// Mutations of the golden programs: whatever the input, the analyzer answers with a model or with a message, in bounded
// time, and Clang does not come down. The seed is fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "base/files.h"
#include "base/random.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/dot.h"
#include "model/model_json.h"
#include "model/report.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

constexpr int kMutantCount = 120;
constexpr uint64_t kSeed = 20261115;
constexpr auto kTimeMax = std::chrono::seconds(20);

std::vector<std::string> golden_texts() {
  std::vector<std::string> texts;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(CUCO_SOURCE_DIR) / "tests" / "analyze"))
    if (entry.path().extension() == ".cu") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths)
    if (auto text = read_file(path); text.ok()) texts.push_back(*text);
  return texts;
}

const std::vector<std::string> kFragments = {"{",
                                             "}",
                                             "(",
                                             ")",
                                             ";",
                                             "<<<",
                                             ">>>",
                                             "#if 0\n",
                                             "#define X(",
                                             "*",
                                             "&",
                                             "[0]",
                                             "ncclGroupStart();",
                                             "goto x;",
                                             "return 0;",
                                             "while (1) ",
                                             "for (;;) ",
                                             "if (rank) ",
                                             "template <int N> ",
                                             "__global__ ",
                                             "auto ",
                                             "0x",
                                             "\"",
                                             "'",
                                             "// EVOLVE-BLOCK-START\n",
                                             "ncclAllGather(",
                                             "nullptr",
                                             "this->",
                                             "::",
                                             "...",
                                             "?:",
                                             "\\\n",
                                             "1 << 99",
                                             "/ 0",
                                             "% 0"};

size_t position(Random& random, const std::string& text) { return random.below(text.size() + 1); }

void mutate(std::string& text, Random& random) {
  size_t at = position(random, text);
  size_t length = std::min<size_t>(random.below(80), text.size() - at);
  switch (random.below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(position(random, text), text.substr(at, length));
      break;
    case 2:
      text.insert(at, random.pick(kFragments));
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      break;
    case 5: {
      std::string moved = text.substr(at, length);
      text.erase(at, length);
      text.insert(position(random, text), moved);
    }
  }
}

// Renaming or moving whole tokens keeps more mutants valid than cutting bytes does, so that the interpreter behind the
// parser sees strange programs too.
void swap_words(std::string& text, Random& random) {
  static const std::vector<std::string> words = {"cur",  "next", "stream", "comm", "rank",
                                                 "send", "recv", "0",      "1",    "n"};
  std::string from = random.pick(words), to = random.pick(words);
  size_t at = text.find(from, position(random, text));
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

TEST(Fuzz, EveryMutantGetsAnAnswer) {
  std::vector<std::string> texts = golden_texts();
  ASSERT_FALSE(texts.empty());
  Random random(kSeed);
  fs::path path = fs::temp_directory_path() / ("cuco_fuzz_" + std::to_string(getpid()) + ".cu");
  int parsed = 0;
  for (int i = 0; i < kMutantCount; ++i) {
    std::string text = random.pick(texts);
    if (random.chance(0.5))
      swap_words(text, random);
    else
      for (uint64_t k = random.below(3) + 1; k > 0; --k) mutate(text, random);
    ASSERT_TRUE(write_file(path, text).ok());
    frontend::ParseRequest request;
    request.files = {path.string()};
    request.share = CUCO_SOURCE_DIR;
    auto start = std::chrono::steady_clock::now();
    Result<model::Program> program = frontend::read_program(request);
    if (program) {
      ++parsed;
      model::CommGraph graph = model::build_comm_graph(*program);
      EXPECT_FALSE(model::report_text(*program, graph, false).empty());
      EXPECT_FALSE(model::to_json(*program, graph).empty());
      EXPECT_FALSE(model::to_dot(*program, graph).empty());
    } else {
      EXPECT_EQ(program.error().message.find("came down"), std::string::npos) << "mutant " << i << "\n" << text;
      EXPECT_FALSE(program.error().message.empty());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, kTimeMax) << "mutant " << i;
  }
  fs::remove(path);
  EXPECT_GT(parsed, kMutantCount / 10) << "mutations so wild that only the parser was tested";
}

TEST(Fuzz, RandomBytesAreRefusedAtOnce) {
  Random random(kSeed);
  std::string bytes(10u << 20, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  fs::path path = fs::temp_directory_path() / ("cuco_bytes_" + std::to_string(getpid()) + ".cu");
  ASSERT_TRUE(write_file(path, bytes).ok());
  frontend::ParseRequest request;
  request.files = {path.string()};
  request.share = CUCO_SOURCE_DIR;
  Result<model::Program> program = frontend::read_program(request);
  fs::remove(path);
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message.find("does not belong in C++ source"), std::string::npos);
}

TEST(Fuzz, MegabytesOfPrintableNoiseEndInBoundedTime) {
  Random random(kSeed);
  std::string noise(10u << 20, ' ');
  for (char& letter : noise) letter = static_cast<char>(' ' + random.below(95));
  fs::path path = fs::temp_directory_path() / ("cuco_noise_" + std::to_string(getpid()) + ".cu");
  ASSERT_TRUE(write_file(path, noise).ok());
  frontend::ParseRequest request;
  request.files = {path.string()};
  request.share = CUCO_SOURCE_DIR;
  auto start = std::chrono::steady_clock::now();
  Result<model::Program> program = frontend::read_program(request);
  fs::remove(path);
  EXPECT_FALSE(program.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, kTimeMax);
}

}  // namespace
}  // namespace cuco
