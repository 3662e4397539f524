#include "evaluate/text/text_check.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::evaluate {
namespace {

constexpr const char* kBefore = "int frozen();\nvoid step(Harness harness) {\n  // EVOLVE-BLOCK-START\n";
constexpr const char* kAfter = "  // EVOLVE-BLOCK-END\n  frozen();\n}\n";

std::string program(const std::string& block) { return concat(kBefore, block, kAfter); }

std::vector<Finding> check(const std::string& candidate, const std::string& parent = program("  a();\n"),
                           bool rewritten = false) {
  return check_text({{{"p.cu", parent}}, {{"p.cu", candidate}}, rewritten});
}
std::string first_of(const std::string& candidate) {
  std::vector<Finding> findings = check(candidate);
  return findings.empty() ? "passed" : concat(findings[0].kind, ": ", findings[0].text);
}

TEST(TextCheck, BlocksMayChange) { EXPECT_EQ(first_of(program("  b();\n  c<<<1, 2>>>(x);\n")), "passed"); }

TEST(TextCheck, FrozenTextMayNot) {
  std::string changed = replace_all(program("  a();\n"), "  frozen();", "  thawed();");
  EXPECT_EQ(first_of(changed),
            "frozen_text: p.cu:6: text outside of the evolve blocks is not its parent's: 'thawed();'");
  EXPECT_EQ(check(changed + "int more;\n").size(), 1u);
  EXPECT_EQ(first_of(program("a();") + " "),
            "marker: p.cu:4: 'EVOLVE-BLOCK' may stand only in a comment line of its own that is EVOLVE-BLOCK-START or "
            "EVOLVE-BLOCK-END");
  EXPECT_EQ(check(program("  a();\n") + " ")[0].kind, "frozen_text");
  EXPECT_EQ(check(replace_all(program("  a();\n"), "  // EVOLVE", "   // EVOLVE"))[0].kind, "frozen_text");
}

TEST(TextCheck, BaselineWithoutBlocksIsAllFrozen) {
  std::vector<Finding> findings = check("int a;\nint b;\n", "int a;\nint c;\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      findings[0].text,
      "p.cu:2: text outside of the evolve blocks is not its parent's: 'int b;'; p.cu has no evolve block, so all of "
      "it is frozen");
  EXPECT_TRUE(check("int a;\n", "int a;\n").empty());
  EXPECT_TRUE(check("int b;\n", "int a;\n", true).empty()) << "the rewriter may change everything";
}

TEST(TextCheck, MarkersMayNotBeAddedNestedOrHidden) {
  std::string extra = "// EVOLVE-BLOCK-END\nint x;\n// EVOLVE-BLOCK-START\n";
  EXPECT_EQ(check(program(extra))[0].kind, "frozen_text");
  EXPECT_EQ(check(program("// EVOLVE-BLOCK-START\n"))[0].text, "p.cu:4: an evolve block begins inside another one");
  EXPECT_EQ(check(program("const char* s = \"EVOLVE-BLOCK-END\";\n"))[0].kind, "marker");
  EXPECT_EQ(check(program("/* EVOLVE-BLOCK-END */\n"))[0].kind, "marker");
}

TEST(TextCheck, BlockMayNotSwallowItsEnd) {
  EXPECT_EQ(check(program("/*\n"))[0].kind, "marker");
  EXPECT_EQ(check(program("auto s = R\"(\n"))[0].kind, "marker");
  EXPECT_EQ(check(program("// \\\n"))[0].kind, "marker");
}

TEST(TextCheck, BlockMayNotSwitchFrozenTextOff) {
  EXPECT_EQ(first_of(program("#if 0\n")), "forbidden: p.cu:4: the condition does not end in this block");
  EXPECT_EQ(first_of(program("#endif\n")), "forbidden: p.cu:4: #endif belongs to a condition outside of this block");
  EXPECT_EQ(first_of(program("#ifdef A\n#else\n#endif\n")), "passed");
  EXPECT_EQ(first_of(program("} void other() {\n")), "forbidden: p.cu:4: '}' closes what this block did not open");
  EXPECT_EQ(first_of(program("#define OPEN {\n  OPEN\n")), "forbidden: p.cu:4: no '}' follows in this block");
}

TEST(TextCheck, RewrittenCandidatesBlocksAreStillRead) {
  EXPECT_EQ(check(program("system(\"x\");\n"), "int a;\n", true).size(), 1u);
}

struct Case {
  const char* name;
  const char* block;
};
class Forbidden : public ::testing::TestWithParam<Case> {};
TEST_P(Forbidden, IsNamedWithItsLine) {
  std::string found = first_of(program(concat("  int x = 0;\n", GetParam().block, "\n")));
  EXPECT_TRUE(found.starts_with("forbidden: p.cu:5: ")) << found;
}
class Honest : public ::testing::TestWithParam<Case> {};
TEST_P(Honest, Passes) { EXPECT_EQ(first_of(program(concat(GetParam().block, "\n"))), "passed"); }

std::string name_of(const ::testing::TestParamInfo<Case>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(
    TextCheck, Forbidden,
    ::testing::Values(
        Case{"System", "std::system(\"true\");"}, Case{"SplicedName", "sys\\\ntem(\"true\");"},
        Case{"EscapedName", "\\u0073ystem(\"true\");"}, Case{"PastedName", "#define P(a, b) a##b"},
        Case{"PastedByDigraph", "%:define P(a, b) a %:%: b"}, Case{"Exit", "auto leave = &std::exit;"},
        Case{"Thread", "std::thread([] {}).detach();"}, Case{"Chrono", "using namespace std::chrono;"},
        Case{"OpenCall", "int fd = open(\"/etc/passwd\", 0);"}, Case{"Environment", "extern char** environ;"},
        Case{"Include", "#include <fstream>"}, Case{"IncludePath", "#include \"/etc/passwd\""},
        Case{"IncludeClimb", "#include \"cuda/../../x\""}, Case{"IncludeByMacro", "#include NAME"},
        Case{"Embed", "#embed \"/etc/passwd\""}, Case{"Line", "#line 1 \"other.cu\""},
        Case{"Pragma", "#pragma GCC optimize(\"O0\")"}, Case{"PragmaOperator", "_Pragma(\"once\")"},
        Case{"MacroOfLibrary", "#define cudaDeviceSynchronize() 0"}, Case{"MacroOfKeyword", "#define if while"},
        Case{"MacroOfFrozenName", "#define frozen() 0"}, Case{"UndefineOfOthers", "#undef assert"},
        Case{"HarnessName", "cuco_harness_end();"}, Case{"HarnessObject", "harness.run([] {});"},
        Case{"NamespaceOfHarness", "cuco::Harness* h = nullptr;"},
        Case{"LibraryThatIsAddedTo", "namespace cuco::comm { int x; }"},
        Case{"HarnessByWayOfLibrary", "cuco::comm::Harness* h = nullptr;"},
        Case{"NameThatIsNotCounted", "float my_cuco_uncounted_sum(float* x);"},
        Case{"HarnessInMacro", "#define END cuco_harness_end()"}, Case{"HostAssembly", "asm(\"syscall\");"},
        Case{"HostAssemblyAfterPtx", "asm(\"mov.u32 %0, 1; int3\" : \"=r\"(x));"},
        Case{"BytesInAssembly", "asm(\".byte 0x0f, 0x05\");"},
        Case{"Incbin", "__asm__(\".incbin \\\"/etc/passwd\\\"\");"}, Case{"AssemblyByMacro", "asm(TEXT);"},
        Case{"AssemblyLabel", "extern long name asm(\"_ZN4cuco8vcluster5worldE\");"},
        Case{"AssemblyLabelLikePtx", "extern int name() asm(\"world.clock\");"},
        Case{"DirectiveBehindInstruction", "asm(\"mov.b32 .quad 0;\");"},
        Case{"AssemblersLabel", "asm(\"a.b: nop.x;\");"}, Case{"CLinkage", "extern \"C\" int prlimit64();"},
        Case{"CLinkageOfMany", "extern \"C\" {}"}, Case{"Segment", "int __seg_fs* p = 0;"},
        Case{"FrameAddress", "void* p = __builtin_frame_address(0);"}, Case{"PragmaWeak", "#pragma weak f = g"},
        Case{"Section", "__attribute__((section(\"x\"))) int y;"},
        Case{"Constructor", "__attribute__((constructor)) void f();"},
        Case{"StandardAttribute", "[[gnu::constructor]] void f();"},
        Case{"ShadowedFunction", "cudaError_t cudaStreamSynchronize(cudaStream_t s) { return cudaSuccess; }"},
        Case{"ShadowedByLambda", "auto cudaDeviceSynchronize = [] { return 0; };"},
        Case{"Mprotect", "mprotect(p, 1, 7);"}, Case{"ReadClock", "long t = time(nullptr);"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    TextCheck, Honest,
    ::testing::Values(
        Case{"Ptx", "asm volatile(\"ld.acquire.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\");"},
        Case{"PtxWithRegisters", "asm(\"{ .reg .pred p; setp.ne.u32 p, %0, 0; @p bra.uni L; }\" :: \"r\"(x));"},
        Case{"PtxInBranch", "if (x) asm volatile(\"fence.acq_rel.gpu;\" ::: \"memory\");"},
        Case{"KernelWithNameOfC", "extern \"C\" __global__ void k();"}, Case{"ExternVariable", "extern int y;"},
        Case{"ClockMember", "auto t = timer.clock(); x.open(); q->exit();"},
        Case{"ThreadVariable", "int thread = threadIdx.x; float time = 0; int signal = 1;"},
        Case{"Unroll", "#pragma unroll 4\n  for (int i = 0; i < 4; i++) f(i);"},
        Case{"Subscript", "a[i] = b[[&] { return 0; }()];"}, Case{"Attribute", "[[maybe_unused]] int y = 0;"},
        Case{"OwnMacro", "#define TILE 16\n  int t[TILE];\n#undef TILE"},
        Case{"LibraryCalls", "cudaError_t e = cudaStreamSynchronize(s); if (e) return cudaGetLastError();"},
        Case{"ForbiddenWordsInTextAndComments", "printf(\"system exit\");  // fork and exec\n"},
        Case{"Library", "constexpr cuco::comm::Options options; using namespace cuco::comm;\n  ::cuco::comm::put(1);"},
        Case{"LibraryByAnotherName", "namespace c = cuco::comm;"},
        Case{"Headers", "#include <cuda/atomic>\n#include <cooperative_groups.h>\n#include <vector>"},
        Case{"StdLambda", "ncclGroupStart();\n  for (;;) { ncclSend(p, n, ncclFloat, r, c, s); }"}),
    name_of);

}  // namespace
}  // namespace cuco::evaluate
