#include "evaluate/sizes/text_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::evaluate {
namespace {

std::vector<TextNumber> numbers_of(const std::string& text) { return text_numbers({{"a.cu", text}}, 16); }

const TextNumber* find(const std::vector<TextNumber>& numbers, const std::string& name) {
  auto found = std::ranges::find_if(numbers, [&](const TextNumber& each) { return each.name == name; });
  return found == numbers.end() ? nullptr : &*found;
}

int64_t value_of(const std::string& text, const std::string& name) {
  std::vector<TextNumber> numbers = numbers_of(text);
  const TextNumber* found = find(numbers, name);
  return found ? found->value : 0;
}

TEST(TextNumbers, ReadsConstantsOfAllKinds) {
  EXPECT_EQ(value_of("constexpr int HIDDEN = 7168;", "HIDDEN"), 7168);
  EXPECT_EQ(value_of("#define N (1 << 20)\n", "N"), 1 << 20);
  EXPECT_EQ(value_of("enum { kRows = 4096, kColumns = 512 };", "kColumns"), 512);
  EXPECT_EQ(value_of("static const size_t bytes = 64ul * 1024 * 1024;", "bytes"), 64 << 20);
  EXPECT_EQ(value_of("int n{2048};", "n"), 2048);
  EXPECT_EQ(value_of("size_t n = (size_t)1 << 28;", "n"), 1 << 28);
  EXPECT_EQ(value_of("struct O { int seq = 4096; int dim = 64; };", "dim"), 64);
}

TEST(TextNumbers, ReadsDefaultsOfOptions) {
  EXPECT_EQ(value_of("int n = argc > 1 ? atoi(argv[1]) : 1 << 22, steps = 20;", "n"), 1 << 22);
  EXPECT_EQ(value_of("int m = get(\"m\", 4096), n = get(\"n\", 512);", "n"), 512);
  EXPECT_EQ(value_of("const int nx = get_argval<int>(argv, argv + argc, \"-nx\", 16384);", "nx"), 16384);
}

TEST(TextNumbers, ReadsWholeNumbersWithAnExponent) {
  EXPECT_EQ(value_of("size_t size = 2e9;", "size"), 2'000'000'000);
  EXPECT_TRUE(numbers_of("float a = 1e-3, b = 2.5e9; double c = 1e30;").empty());
}

TEST(TextNumbers, ReadsBoundsOfLoops) {
  std::vector<TextNumber> numbers = numbers_of("for (int n = 1024; n <= 1000 * 1024; n *= 10) cudaMalloc(&x, n);");
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[1].name, "n");
  EXPECT_EQ(numbers[1].value, 1000 * 1024);
  EXPECT_TRUE(numbers[1].sizes);
}

TEST(TextNumbers, LeavesOtherNumbersAlone) {
  EXPECT_TRUE(numbers_of("float x = 1024.0f; int small = 8; int n = count(); s.resize(4096); f(x == 64);").empty());
  EXPECT_TRUE(numbers_of("#if N > 4096\n#define F(x) 4096\n#define G 64 * M\n#endif\n// int n = 4096;\n").empty());
}

TEST(TextNumbers, ADeclarationThatStandsTwiceIsNone) {
  EXPECT_TRUE(numbers_of("void f() { int n = 4096; } void g() { int n = 4096; }").empty());
  EXPECT_EQ(numbers_of("void f() { int n = 4096; } void g() { int n = 512; }").size(), 2u);
}

constexpr const char* kProgram = R"(
#define WARP 32
constexpr int TILE = 16;
constexpr int THREADS = 256;
constexpr int N = 4096;
static int rounds = 100;
const int seed = 1234;
template <int kTile> __global__ void k(float* x, int n) {
  __shared__ float part[TILE][TILE];
  for (int i = threadIdx.x; i < n; i += WARP) x[i] = part[0][0];
}
void allocate(float** x, size_t count) { cudaMalloc(x, count * sizeof(float)); }
int main() {
  float* x;
  int cells = N * 2;
  allocate(&x, cells);
  dim3 block(THREADS);
  for (int i = 0; i < rounds; i++) k<TILE><<<(cells + THREADS - 1) / THREADS, block>>>(x, cells);
  srand(seed);
}
)";

TEST(TextNumbers, SizesAreFollowedThroughDefinitionsAndCalls) {
  std::vector<TextNumber> numbers = numbers_of(kProgram);
  ASSERT_TRUE(find(numbers, "N"));
  EXPECT_TRUE(find(numbers, "N")->sizes);
  EXPECT_FALSE(find(numbers, "N")->selects);
}

TEST(TextNumbers, TilesAndThreadCountsSelect) {
  std::vector<TextNumber> numbers = numbers_of(kProgram);
  EXPECT_TRUE(find(numbers, "TILE")->selects);
  EXPECT_TRUE(find(numbers, "THREADS")->selects);
}

TEST(TextNumbers, WhatReachesNothingIsNoSize) {
  std::vector<TextNumber> numbers = numbers_of(kProgram);
  EXPECT_FALSE(find(numbers, "WARP")->sizes);
  EXPECT_FALSE(find(numbers, "WARP")->repeats);
  EXPECT_FALSE(find(numbers, "seed")->sizes);
  EXPECT_TRUE(find(numbers, "rounds")->repeats);
  EXPECT_FALSE(find(numbers, "rounds")->sizes);
}

TEST(TextNumbers, ConstructorsOfContainersPassSizesOn) {
  std::vector<TextNumber> numbers = numbers_of(
      "template <class T> struct Array { T* p; explicit Array(size_t n) { cudaMalloc(&p, n); } };\n"
      "int main() { const int rows = 4096; Array<float> a(rows * 4); }");
  ASSERT_TRUE(find(numbers, "rows"));
  EXPECT_TRUE(find(numbers, "rows")->sizes);
}

std::string replaced(const std::string& text, const ConstantChange& change) {
  Result<std::string> result = with_constant({"a.cu", text}, change);
  return result ? *result : result.error().message;
}

TEST(TextNumbers, AConstantIsReplacedWhereverItsDeclarationStands) {
  std::vector<TextNumber> numbers = numbers_of("const int N = 4 * 1024, M = 512; // N\n");
  ASSERT_EQ(numbers.size(), 2u);
  ConstantChange change = numbers[0].change;
  change.after = "64";
  EXPECT_EQ(replaced("\n\nint k;\nconst  int N = 4*1024, M = 512;\n", change),
            "\n\nint k;\nconst  int N = 64, M = 512;\n");
  change = numbers[1].change;
  change.after = "32";
  EXPECT_EQ(replaced("const int N = 64, M = 512;", change), "const int N = 64, M = 32;");
}

TEST(TextNumbers, ADeclarationThatIsGoneOrDoubledIsAnError) {
  ConstantChange change = {"a.cu", "const int N =", "4096", "64"};
  EXPECT_EQ(replaced("const int N = 2048;", change), "a.cu: has no 'const int N = 4096', which proof sizes change");
  EXPECT_EQ(replaced("const int N = 4096; const int N = 4096;", change),
            "a.cu: has 'const int N = 4096' 2 times, and proof sizes change one");
}

TEST(TextNumbers, NamesTheLargestLiteral) {
  EXPECT_EQ(largest_fixed_size({{"a.cu", "int main() {\n  cudaMalloc(&x, 4096 * 4);\n  f(12);\n}"}}), "a.cu:2: 16384");
  EXPECT_EQ(largest_fixed_size({{"a.cu", "int main() {}"}}), "");
}

}  // namespace
}  // namespace cuco::evaluate
