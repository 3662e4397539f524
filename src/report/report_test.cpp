#include "report/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluate/verdict.h"
#include "report/coverage.h"
#include "report/timeline.h"

namespace cuco::report {
namespace {

// Empty when every element is closed in order and every "<" and "&" begins something; else what is wrong first.
std::string fault_of(const std::string& page) {
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
    size_t end = page.find('>', at);
    if (end == page.npos) return "an element has no end";
    std::string tag = page.substr(at + 1, end - at - 1);
    if (tag.starts_with("!DOCTYPE") || tag.ends_with("/")) continue;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
    } else {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

store::Judgement judgement(store::Id id, double us, bool passed = true) {
  store::Judgement judgement;
  judgement.candidate = id;
  judgement.depth = "screen";
  judgement.passed = passed;
  if (passed) judgement.time_us = us;
  judgement.bound_us = 13100;
  judgement.schedules = 1;
  judgement.verdict = R"({"findings":[{"kind":"deadlock","severity":"error","text":"rank 0 <waits> & waits"}]})";
  return judgement;
}

// As measured on GPUs over an emulated NIC, whose messages were overdue for so long of 100 us.
store::Judgement measured_judgement(store::Id id, double overdue_us) {
  store::Judgement made = judgement(id, 18420);
  evaluate::Verdict verdict;
  verdict.measurement = evaluate::Measurement{};
  verdict.measurement->network = evaluate::NetworkUse{};
  verdict.measurement->network->overdue_us = overdue_us;
  verdict.measurement->network->timed_us = 100;
  made.verdict = evaluate::to_json(verdict);
  return made;
}

store::Candidate candidate(store::Id id, store::Id parent, const std::string& plan) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.parent = parent;
  candidate.proposer = id == 1 ? "baseline" : "rules";
  candidate.intent = "Try <script>alert(1)</script> & \"quotes\".";
  candidate.plan = plan;
  return candidate;
}

store::Step step() {
  store::Step step;
  step.candidates = {candidate(1, 0, ""), candidate(2, 1, "s1 gin/deferred/barrier/cta/whole\n"),
                     candidate(3, 2, "s1 gin/split/peer-signal/multi-cta/64KiB\nschedule order=remote-first ctas=4\n"),
                     candidate(4, 2, "s1 lsa/deferred/barrier/cta/whole\n")};
  step.judgements = {judgement(1, 18420), judgement(2, 17950), judgement(3, 13610), judgement(4, 0, false)};
  step.judgements.push_back(judgement(3, 13610));
  step.judgements.back().depth = "full";
  step.judgements.back().schedules = 16;
  step.judgements.back().hidden = 0.904;
  step.lessons = {{"statistics", "split pays <b>"}};
  step.events = {{"best", "candidate 3"}};
  return step;
}

ReportInput input() {
  ReportInput input;
  input.view = view_of({"mine", "small", "cuco optimize mine", "{}"}, {step()});
  input.view.baseline = 1;
  input.view.fast_path = 2;
  input.view.best = 3;
  input.view.evaluations = 4;
  input.view.rejected = 1;
  input.setting = "2 ranks on 2 nodes";
  input.diff = "@@ -1 +1 @@\n-int a<b>;\n+int c;\n";
  input.repeat = {"cuco optimize mine --config 'a&b'"};
  Timeline timeline{{{0, 1, "stream <1>", false, {{0, 5, "kernel gemm<64> launched at a.cu:7"}}}}, 10};
  input.timelines = {{"baseline", timeline}, {"best #3", timeline}};
  return input;
}

TEST(Report, IsWellFormed) { EXPECT_EQ(fault_of(to_html(input())), ""); }

TEST(Report, BalanceCheckSeesWhatIsWrong) {
  EXPECT_EQ(fault_of("<p><b></p>"), "</p> closes nothing");
  EXPECT_EQ(fault_of("<p><br/>"), "<p> is not closed");
}

TEST(Report, LoadsNothingAndRunsNothing) {
  std::string page = to_html(input());
  for (const char* word : {"http://", "https://", "<script", "src=", "@import", "url("})
    EXPECT_EQ(page.find(word), page.npos) << word;
}

TEST(Report, HasTheNumbers) {
  std::string page = to_html(input());
  for (const char* text : {"18.42 ms", "17.95 ms", "13.61 ms", "1.35x", "1.03x", "90 %", "16 schedules", "13.10 ms",
                           "deadlock: rank 0 &lt;waits&gt; &amp; waits", "int a&lt;b&gt;;", "split pays &lt;b&gt;",
                           "gin, split, peer-signal, multi-cta, 64KiB, remote-first, 4 CTAs"})
    EXPECT_NE(page.find(text), page.npos) << text;
}

TEST(Report, SaysWhichTimesAnEmulatedNetworkMadeDoubtful) {
  store::Step measured = step();
  measured.judgements[0] = measured_judgement(1, 3);
  ReportInput with_network = input();
  with_network.view.entries = view_of({"mine", "small", "", "{}"}, {measured}).entries;
  std::string page = to_html(with_network);
  EXPECT_NE(page.find("baseline: emulated network"), page.npos);
  EXPECT_NE(page.find("overdue for 3.0 % of the time"), page.npos);
  EXPECT_EQ(page.find("not valid for timing"), page.npos);
  measured.judgements[0] = measured_judgement(1, 7);
  with_network.view.entries = view_of({"mine", "small", "", "{}"}, {measured}).entries;
  page = to_html(with_network);
  EXPECT_NE(page.find("passed; not valid for timing"), page.npos);
}

TEST(Report, LegendNamesKernelsAndNotTheirPlaces) {
  std::string page = to_html(input());
  EXPECT_NE(page.find("</span>gemm  "), page.npos);
  EXPECT_NE(page.find("kernel gemm&lt;64&gt; launched at a.cu:7, 0 us to 5.000 us"), page.npos);
}

TEST(Report, OfARunThatHasNothingYetIsWellFormed) { EXPECT_EQ(fault_of(to_html({})), ""); }

TEST(RunView, ClosestLookCounts) {
  RunView view = input().view;
  EXPECT_EQ(view.find(3)->judgement()->schedules, 16u);
  EXPECT_EQ(view.find(4)->time_us(), std::nullopt);
  EXPECT_EQ(view.find(5), nullptr);
  EXPECT_DOUBLE_EQ(*speedup(view, *view.find(3)), 18420.0 / 13610.0);
  EXPECT_EQ(rejections(view), (std::map<std::string, uint32_t>{{"deadlock", 1}}));
}

store::Judgement ordered_judgement(store::Id id, double us, double order_us) {
  store::Judgement made = judgement(id, us);
  evaluate::Verdict verdict;
  verdict.timing = evaluate::Timing{};
  verdict.timing->median_us = us;
  verdict.timing->bound_compute_us = 10000;
  verdict.timing->bound_order_us = order_us;
  made.bound_us = verdict.timing->bound_us();
  made.verdict = evaluate::to_json(verdict);
  return made;
}

TEST(RunView, BoundIsOfTheBestOrderThatAVerifiedProgramHas) {
  store::Step ordered = step();
  ordered.judgements = {ordered_judgement(1, 18420, 13000), ordered_judgement(2, 17950, 14000)};
  RunView view = view_of({"mine", "small", "", "{}"}, {ordered});
  view.baseline = 1;
  EXPECT_EQ(view.bound_us(), 13000) << "a worse order than the baseline's does not raise it";
  ordered.judgements.push_back(ordered_judgement(3, 13610, 12000));
  view.entries = view_of({"mine", "small", "", "{}"}, {ordered}).entries;
  EXPECT_EQ(view.bound_us(), 12000);
  ordered.judgements.push_back(ordered_judgement(4, 13610, 9000));
  view.entries = view_of({"mine", "small", "", "{}"}, {ordered}).entries;
  EXPECT_EQ(view.bound_us(), 10000) << "the baseline's compute stays";
}

TEST(Coverage, CountsValuesOfCandidatesAndNamesThoseNotTried) {
  for (const DimensionCoverage& dimension : coverage_of(input().view)) {
    if (dimension.dimension != "backend") continue;
    ASSERT_EQ(dimension.values[2].value, "gin");
    EXPECT_EQ(dimension.values[2].tried, 2u);
    EXPECT_DOUBLE_EQ(*dimension.values[2].best_us, 13610);
    EXPECT_EQ(dimension.values[1].tried, 1u);
    EXPECT_EQ(dimension.values[1].passed, 0u);
    EXPECT_EQ(dimension.values[3].tried, 0u);
  }
}

TEST(Timeline, KeepsWhatLiesInTheRegion) {
  Result<Timeline> timeline = read_timeline(
      R"({"traceEvents":[
        {"ph":"X","pid":1,"tid":1,"ts":5,"dur":10,"name":"before and in"},
        {"ph":"X","pid":0,"tid":1,"ts":12,"dur":2,"name":"inside"},
        {"ph":"X","pid":0,"tid":1,"ts":40,"dur":2,"name":"after"},
        {"ph":"X","pid":0,"tid":200001,"ts":12,"dur":2,"name":"a block"},
        {"ph":"M","pid":0,"tid":1,"name":"thread_name","args":{"name":"default stream"}}]})",
      10, 20);
  ASSERT_TRUE(timeline.ok()) << timeline.error().message;
  ASSERT_EQ(timeline->tracks.size(), 2u);
  EXPECT_EQ(timeline->tracks[0].name, "default stream");
  EXPECT_DOUBLE_EQ(timeline->tracks[0].slices.at(0).begin_us, 2);
  EXPECT_DOUBLE_EQ(timeline->tracks[1].slices.at(0).begin_us, 0);
  EXPECT_DOUBLE_EQ(timeline->tracks[1].slices.at(0).end_us, 5);
  EXPECT_FALSE(read_timeline("nonsense", 0, 1).ok());
}

}  // namespace
}  // namespace cuco::report
