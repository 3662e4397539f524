// Requests for proposals on the bundled workloads: what a model is told fits 12,000 tokens, also for the longest
// program that the rewriter writes, and says what must be said.
#include "base/files.h"
#include "evaluate/workload.h"
#include "evolve/plan_writer.h"
#include "evolve/proposers/model_fixtures.h"
#include "space/enumerate.h"

namespace cuco::evolve {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTokensMax = 12'000;
const char* const kWorkloads[] = {"allreduce_rmsnorm",   "flash_cp",    "gemm_allgather",
                                  "gemm_reduce_scatter", "kv_transfer", "moe"};

evaluate::EvaluationRequest request_for(const std::string& workload) {
  evaluate::Workload found = evaluate::load_workload(fs::path(CUCO_SOURCE_DIR) / "workloads" / workload).value();
  evaluate::EvaluationRequest request;
  request.configuration = evaluate::find_configuration(found, "small").value();
  for (const fs::path& file : found.files) request.baseline.push_back({file.filename().string(), *read_file(file)});
  request.flags.include_folders = {found.folder};
  request.tools = evaluate::find_tools(CUCO_SOURCE_DIR, RealEnvironment()).value();
  return request;
}

Member member_of_files(store::Id id, const std::vector<SourceFile>& files, const space::Plan& plan) {
  Member member = gather_member(id, "", kDeferred, 100 + static_cast<double>(id));
  member.candidate.files = files;
  member.plan = plan;
  return member;
}

size_t bytes_of(const std::vector<SourceFile>& files) {
  size_t bytes = 0;
  for (const SourceFile& file : files) bytes += file.text.size();
  return bytes;
}

// The longest first.
std::vector<Member> drawn_members(const PlanWriter& writer) {
  std::vector<Member> members;
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    space::Plan plan = space::sample_plan(writer.sites(), writer.profile(), random);
    if (Result<std::vector<SourceFile>> files = writer.write(plan))
      members.push_back(member_of_files(static_cast<store::Id>(members.size()) + 1, *files, plan));
  }
  std::ranges::stable_sort(members, std::greater<>(),
                           [](const Member& member) { return bytes_of(member.candidate.files); });
  return members;
}

class RequestSize : public ModelTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void expect_fits(ScriptedModel& model) {
    ASSERT_EQ(model.prompts.size(), 1u);
    const llm::Prompt& prompt = model.prompts.front();
    EXPECT_LE(llm::tokens_about(llm::to_text(prompt)), kTokensMax) << prompt.system.substr(0, 300);
    for (const char* part : {"EVOLVE-BLOCK-START (block 1", "constexpr cuco::comm::Options comm_options = ",
                             "channel_of(", "bytes a rank", "__global__ void"})
      EXPECT_NE(prompt.messages[0].text.find(part), std::string::npos) << part;
  }
};

TEST_P(RequestSize, Fits) {
  evaluate::EvaluationRequest request = request_for(GetParam());
  Result<PlanWriter> writer = PlanWriter::read(request);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  writer->trace(request);
  std::vector<store::Candidate> first = writer->fast_paths();
  ASSERT_FALSE(first.empty());
  members = drawn_members(*writer);
  members.push_back(member_of_files(101, first[0].files, writer->fast_path_plan()));
  members.push_back(failed_member(102, kSplit));
  members.back().candidate.files = members[0].candidate.files;
  set_design_space(input, writer->sized_sites(), writer->profile());
  input.analysis = writer->analysis();
  assignment.inspirations = {&members[members.size() - 2]};
  assignment.failures = {&members.back()};
  assignment.other_parent = &members[members.size() - 2];
  using agent::ProposalKind;
  assignment.parent = &members[0];
  for (ProposalKind kind : {ProposalKind::Full, ProposalKind::Diff}) {
    ScriptedModel model({"no plan"});
    proposal_of(&model, only(kind));
    expect_fits(model);
  }
  // Two that do not fit together are asked about as one.
  ScriptedModel joining({"no plan"});
  proposal_of(&joining, only(ProposalKind::Crossover));
  if (!joining.prompts.empty()) expect_fits(joining);
  assignment.attempts = {&members.back()};
  ScriptedModel model({"no plan"});
  proposal_of(&model);
  expect_fits(model);
}

INSTANTIATE_TEST_SUITE_P(Workloads, RequestSize, ::testing::ValuesIn(kWorkloads),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cuco::evolve
