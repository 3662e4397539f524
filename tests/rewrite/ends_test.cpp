// Plans that take one end of a message off the host: refused where the other stays, and only there.
#include "rewritten_trial.h"

namespace cuco {
namespace {

// Sends s1 and s2, receives s3 and s4; in FORM 1 a send s1 and a receive s2.
Trial relays(std::vector<std::string> definitions = {}) {
  return {kFolder / "two_relays.cu", std::move(definitions), {}, 2, 1};
}

constexpr const char *kFused = " lsa/tile-fused/flag/cta/1KiB\n", *kDeferred = " lsa/deferred/flag/cta/whole\n";

// The program with these sites off the host, all in the same way, or why not.
Result<std::string> with_sites(const Trial& trial, const std::vector<std::string>& sites, const char* way,
                               const model::AccessTrace* trace) {
  std::string plan;
  for (const std::string& site : sites) plan += concat(site, way);
  return rewritten(trial, trace,
                   [&](const std::vector<space::SiteFacts>&) { return *space::parse_plan(plan, "test.plan"); });
}
std::string refusal(const Trial& trial, const std::vector<std::string>& sites, const char* way, bool is_traced = true) {
  model::AccessTrace trace = traced_run(trial, space::Backend::Lsa).trace;
  Result<std::string> text = with_sites(trial, sites, way, is_traced ? &trace : nullptr);
  return text ? "" : text.error().message;
}

std::string other_end(const std::string& place, const char* kind, const char* site, const std::string& other) {
  return concat(kFolder.string(), "/two_relays.cu:", place, ": error: the plan has kernels ", kind, " the messages of ",
                site, " and leaves their other end on the host, ", other, ": take both off the host, or neither");
}
std::string receive_at(const std::string& place, const char* site) {
  return concat("ncclRecv at ", kFolder.string(), "/two_relays.cu:", place, " (", site, ")");
}

TEST(Ends, SendsByKernelsNeedTheirReceivesOffTheHost) {
  EXPECT_EQ(refusal(relays(), {"s1"}, kFused), other_end("36:11", "send", "s1", receive_at("40:11", "s3")));
}

TEST(Ends, ReceivesOffTheHostNeedTheirSends) {
  EXPECT_EQ(refusal(relays(), {"s1", "s3", "s4"}, kFused),
            other_end("42:11", "receive", "s4", concat("ncclSend at ", kFolder.string(), "/two_relays.cu:38:11 (s2)")));
}

// The near miss: one message stays on the host as a whole.
TEST(Ends, AMessageMayLeaveTheHostWithoutTheOthers) {
  for (const std::vector<std::string>& sites : {std::vector<std::string>{"s1", "s3"}, {"s2", "s4"}}) {
    TracedRun before = traced_run(relays(), space::Backend::Lsa);
    Result<std::string> text = with_sites(relays(), sites, kFused, &before.trace);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_NE(text->find("make_sending<<<"), text->npos);
    ScratchFolder scratch = ScratchFolder::make("cuco-ends").value();
    ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
    Trial after = relays();
    after.program = scratch.path() / "program.cu";
    EXPECT_EQ(traced_run(after, space::Backend::Lsa).text, before.text);
  }
}

// The traced run says which receive has a send's message.
TEST(Ends, AReceiveOfAnotherMessageDoesNotCount) {
  EXPECT_EQ(refusal(relays(), {"s1", "s4"}, kFused),
            concat(other_end("36:11", "send", "s1", receive_at("40:11", "s3")), "\n",
                   other_end("42:11", "receive", "s4",
                             concat("ncclSend at ", kFolder.string(), "/two_relays.cu:38:11 (s2)"))));
}

TEST(Ends, WithoutATraceOneThatIsLeftMayBeTheOther) {
  EXPECT_EQ(refusal(relays(), {"s1"}, kDeferred, false), other_end("36:11", "send", "s1", receive_at("40:11", "s3")));
  EXPECT_EQ(refusal(relays(), {"s1", "s4"}, kDeferred, false), "");
}

TEST(Ends, GroupsThatOnlySendOrReceiveAreEndsOfOneExchange) {
  EXPECT_EQ(refusal(relays({"FORM=1"}), {"s1"}, kDeferred, false),
            other_end("24:24", "send", "s1", receive_at("28:24", "s2")));
  EXPECT_EQ(refusal(relays({"FORM=1"}), {"s1", "s2"}, kDeferred, false), "");
}

}  // namespace
}  // namespace cuco
