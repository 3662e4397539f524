#include "agent/short_text.h"

#include <gtest/gtest.h>

namespace cuco::agent {
namespace {

const char* const kLibrary = R"(#include <nccl.h>

namespace comm {

constexpr int kSlots = 8;  // Open messages.
constexpr int kUnused = 1;  // Of nobody.

// Where a message goes.
struct Place {
  int window = 0;
  explicit Place(int number) : window(number) {}
  bool is_own() const { return window == 0; }
};

inline void hidden(Place place) { place.window = 1; }
// Tells the peer; one of kSlots.
template <typename T>
inline T announce(const Place& place, T value = {}) {
  if (place.is_own()) return value;
  return value + kSlots;
}

}  // namespace comm

int main() { return comm::announce(1); }
)";

TEST(ShortText, KeepsDeclarationsThatAreNeededWithTheirComments) {
  std::set<std::string> names = needed_names({kLibrary}, {"announce"});
  EXPECT_EQ(in_short(kLibrary, names), R"(#include <nccl.h>

namespace comm {
// Where a message goes.
struct Place {
  int window = 0;
  explicit Place(int number);
  bool is_own() const;
};
// Tells the peer; one of kSlots.
template <typename T>
inline T announce(const Place& place, T value = {});

}  // namespace comm

int main() { return comm::announce(1); }
)");
}

TEST(ShortText, KeepsTheRemarkBehindAVariable) {
  std::string text = in_short(kLibrary, {"kSlots"});
  EXPECT_NE(text.find("constexpr int kSlots = 8;  // Open messages.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Of nobody"), std::string::npos) << text;
}

TEST(ShortText, LeavesWhatStandsOutsideOfNamespaces) {
  const char* const program = "// \"{\" in a comment, and ' too\nvoid f() {\n  char c = '}';\n  g(1'000);\n}\n";
  EXPECT_EQ(in_short(program, {}), program);
}

TEST(ShortText, ATextThatBreaksOffStaysAsItIs) {
  const char* const open = "namespace a {\nvoid f() {\n";
  EXPECT_EQ(in_short(open, {"f"}).substr(0, 13), "namespace a {");
  const char* const closing = "  return 1;\n}\n}  // namespace a\nint main() {}\n";
  EXPECT_EQ(in_short(closing, {}), closing);
}

TEST(ShortText, ALibraryHasNothingOutsideOfNamespaces) {
  EXPECT_FALSE(is_library(kLibrary));
  EXPECT_TRUE(is_library("#include <a>\n// b\nnamespace c {\nvoid d() {}\n}  // namespace c\n"));
  EXPECT_FALSE(is_library("namespace c {\nconstexpr int kNumber = 0;\n}\n")) << "nothing can be left out";
  EXPECT_FALSE(is_library("// nothing\n"));
}

}  // namespace
}  // namespace cuco::agent
