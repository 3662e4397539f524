#include "model/report.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/dot.h"
#include "model/model_json.h"
#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::pointer;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::writes_to;

// A ring whose compute does not wait for what it receives:
//   for step: attend(kv[step % 2]) on compute;  send kv[step % 2], recv kv[(step + 1) % 2] on comm
struct RingProgram {
  ProgramBuilder builder;
  Index compute = builder.stream("compute");
  Index comm = builder.stream("comm");
  Index kv[2] = {builder.buffer("kv[0]"), builder.buffer("kv[1]")};
  Index out = builder.buffer("out");
  CommGraph graph;

  RingProgram() {
    Index ready = builder.event("ready");
    builder.loop("step", 3, [&](uint32_t step) {
      builder.launch("attend", compute, {reads_from(kv[step % 2]), pointer(out, Access::ReadWrite)});
      builder.record(ready, compute);
      builder.wait(comm, ready);
      builder.group_start();
      builder.send(builder.whole(kv[step % 2], Access::Read), "(rank + 1) % size", comm);
      builder.recv(builder.whole(kv[(step + 1) % 2], Access::Write), "(rank + size - 1) % size", comm);
      builder.group_end();
    });
    Kernel attend{"attend", {0, 0, 9, 3, 1, true}, {}, {{"kv", 0, Access::Read, false}}, {}, {}, 2, false, "", ""};
    builder.program().kernels.push_back(attend);
    graph = build_comm_graph(builder.program());
  }

  std::string text(bool colour = false) { return report_text(builder.program(), graph, colour); }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The lines of one site's section.
std::string section(const std::string& report, const std::string& name) {
  size_t begin = report.find("\n" + name + " ");
  return begin == std::string::npos ? "" : report.substr(begin, report.find("\n\n", begin + 1) - begin);
}

TEST(Report, NamesWhatASiteMovesAndWhoItWaitsFor) {
  std::string report = RingProgram().text();
  std::string send = section(report, "s1");
  EXPECT_TRUE(has(send, "s1 ncclSend at program.cu:")) << report;
  EXPECT_TRUE(has(send, "n x ncclFloat (4 bytes each) from `kv[0]` or `kv[1]`, to peer (rank + 1) % size")) << send;
  EXPECT_TRUE(has(send, "stream `comm`, communicator `world`")) << send;
  EXPECT_TRUE(has(send, "with s2, pattern ring")) << send;
  EXPECT_TRUE(has(send, "fed by    s2 ncclRecv")) << send;
  EXPECT_TRUE(has(send, "of an earlier iteration through `kv[0]`, `kv[1]`")) << send;
  EXPECT_TRUE(has(send, "overlap   attend (line ")) << send;
  EXPECT_TRUE(has(send, "can be made device-initiated")) << send;
}

TEST(Report, ListsWindowsKernelsAndWarningsInThisOrder) {
  std::string report = RingProgram().text();
  size_t windows = report.find("\nBuffers that must become windows\n  kv[0]  4096 bytes");
  size_t kernels = report.find("\nKernels\n  attend  line 3; reads kv; 2 block barriers");
  size_t warnings = report.find("\nWarnings and notes\n");
  ASSERT_NE(windows, std::string::npos) << report;
  EXPECT_LT(windows, kernels);
  EXPECT_LT(kernels, warnings);
  EXPECT_TRUE(has(report.substr(warnings), "`attend` reads `kv[0]` and `kv[1]` written by `ncclRecv`")) << report;
}

TEST(Report, ShowsWhyBuffersAreStagedBesideReadiness) {
  RingProgram ring;
  ring.builder.program().buffers[ring.kv[0]].kind = BufferKind::Managed;
  ring.graph = build_comm_graph(ring.builder.program());
  std::string report = ring.text();
  EXPECT_TRUE(has(report, "device    can be made device-initiated")) << report;
  EXPECT_TRUE(has(report, "staged    `kv[0]` is managed memory, which cannot be a window")) << report;
}

TEST(Report, ShowsBlockersInsteadOfReadiness) {
  RingProgram ring;
  ring.builder.program().buffers[ring.kv[0]].kind = BufferKind::Managed;
  ring.graph = build_comm_graph(ring.builder.program());
  for (Site& site : ring.graph.sites) site.blockers = {"it is captured into a CUDA graph"};
  ring.graph.window_buffers.clear();
  std::string report = ring.text();
  EXPECT_TRUE(has(report, "blocked   it is captured into a CUDA graph")) << report;
  EXPECT_FALSE(has(report, "device    can be made device-initiated"));
  EXPECT_TRUE(has(report, "none: no site can be made device-initiated"));
}

TEST(Report, NamesTheBufferOfAnInPlaceCallOnce) {
  ProgramBuilder builder;
  Index x = builder.buffer("x");
  Index call = builder.all_reduce(x, x, builder.stream("s"));
  builder.operation_at(call).communicate->in_place = true;
  CommGraph graph = build_comm_graph(builder.program());
  std::string report = report_text(builder.program(), graph, false);
  EXPECT_TRUE(has(report, "(4 bytes each) in place in `x`, reduced by ncclSum")) << report;
}

TEST(Report, LongListsAreCutAndCounted) {
  RingProgram ring;
  Program& program = ring.builder.program();
  for (uint32_t line = 1; line <= 9; ++line) {
    program.operations.push_back(program.operations[0]);
    program.operations.back().range.line = 900 + line;
    ring.graph.sites[0].overlaps.push_back({static_cast<Index>(program.operations.size() - 1), false, false});
  }
  std::string send = section(ring.text(), "s1");
  EXPECT_TRUE(has(send, "attend (line 906)\n              and 3 more, all in --json\n")) << send;
  EXPECT_FALSE(has(send, "line 907")) << send;
}

TEST(Report, KeepsToItsWidthWithoutTrailingBlanks) {
  RingProgram ring;
  ring.graph.sites[0].blockers.push_back(std::string(30, 'a') + " " + std::string(30, 'b') + " " +
                                         std::string(30, 'c') + " " + std::string(30, 'd'));
  for (const std::string& line : split(ring.text(), '\n')) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Report, ColourAddsEscapesAndNothingElse) {
  RingProgram ring;
  std::string coloured = ring.text(true);
  ASSERT_TRUE(has(coloured, "\033["));
  for (size_t at; (at = coloured.find('\033')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, ring.text());
}

TEST(Report, EmptyProgramIsReportedWithoutSections) {
  ProgramBuilder builder;
  CommGraph graph = build_comm_graph(builder.program());
  EXPECT_EQ(report_text(builder.program(), graph, false),
            "program.cu: 1000 lines\n0 communication sites, 0 kernels; ranks are MPI processes\n"
            "Timed region: none found: the program launches nothing and communicates nothing\nOutputs: none found\n");
}

TEST(ModelJson, EqualModelsGiveEqualText) {
  RingProgram a;
  RingProgram b;
  EXPECT_EQ(to_json(a.builder.program(), a.graph), to_json(b.builder.program(), b.graph));
}

TEST(ModelJson, HoldsTheModelAndTheGraph) {
  RingProgram ring;
  std::string json = to_json(ring.builder.program(), ring.graph);
  for (const char* key :
       {"format", "files", "rank_model", "timed_region", "outputs", "kernels", "buffers", "streams", "events",
        "communicators", "loops", "operations", "steps", "sites", "dependences", "window_buffers", "diagnostics"})
    EXPECT_TRUE(has(json, concat("\n  \"", key, "\": "))) << key;
  EXPECT_TRUE(has(json, "\"group_pattern\": \"ring\"")) << json;
  EXPECT_TRUE(has(json, "\"collective\": \"send\""));
  EXPECT_TRUE(has(json, "\"kind\": \"read_after_write\""));
  EXPECT_FALSE(has(json, "4294967295"));  // kNone is null.
}

TEST(Dot, HighlightsSitesAndMarksCarriedAndUnorderedEdges) {
  RingProgram ring;
  std::string dot = to_dot(ring.builder.program(), ring.graph);
  EXPECT_TRUE(has(dot, "[label=\"s1 ncclSend\\nprogram.cu:")) << dot;
  EXPECT_TRUE(has(dot, "fillcolor=gold"));
  EXPECT_TRUE(has(dot, "[label=\"kv[0], kv[1]\", style=dashed, color=red, fontcolor=red]")) << dot;
  EXPECT_TRUE(has(dot, "[label=\"out\", style=dashed]")) << dot;
}

TEST(Dot, EscapesQuotesInNames) {
  ProgramBuilder builder;
  Index x = builder.buffer("x");
  builder.launch("odd\"name", builder.stream("s"), {writes_to(x)});
  std::string dot = to_dot(builder.program(), build_comm_graph(builder.program()));
  EXPECT_TRUE(has(dot, "odd\\\"name")) << dot;
}

}  // namespace
}  // namespace cuco::model
