// Every fused form on every backend with 2, 4 and 8 ranks does under the checkers what the program did, whatever the
// order in which blocks and messages come, and compiles with nvcc. ./test takes one case of each form.
#include "fused_forms.h"

#include "nvcc_compile.h"
#include "testing/share.h"

namespace cuco {
namespace {

using space::Backend;

std::vector<FusedCase> all_cases() {
  std::vector<FusedCase> cases;
  for (const FusedForm& form : fused_forms())
    for (Backend backend : {Backend::Lsa, Backend::Gin, Backend::Hybrid})
      for (uint32_t ranks : {2, 4, 8}) cases.push_back({&form, backend, ranks});
  return cases;
}

// The share begins with another of a form's cases each time, so that together they meet all backends and rank counts.
std::vector<FusedCase> cases_to_run() {
  std::vector<FusedCase> all = all_cases();
  if (testing::runs_all_cases()) return all;
  const size_t forms = fused_forms().size(), each = all.size() / forms;
  std::vector<FusedCase> share;
  for (size_t form = 0; form < forms; form++) share.push_back(all[form * each + form * 4 % each]);
  return share;
}

uint32_t schedules() { return testing::runs_all_cases() ? 16 : 2; }

class FusedForms : public ::testing::TestWithParam<FusedCase> {};
INSTANTIATE_TEST_SUITE_P(All, FusedForms, ::testing::ValuesIn(cases_to_run()), name_of);

bool launches(const model::AccessTrace& trace, const std::string& kernel) {
  for (const std::vector<model::TracedStep>& steps : trace.ranks)
    for (const model::TracedStep& step : steps)
      if (step.is_launch && step.launch.kernel.find(kernel) != std::string::npos) return true;
  return false;
}

TEST_P(FusedForms, DoesAsBefore) {
  std::string before = run_as_written(GetParam(), GetParam().ranks).text;
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  Result<std::string> text = text_of(GetParam());
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-forms").value();
  Trial trial = GetParam().trial();
  trial.program = scratch.path() / trial.program.filename();
  ASSERT_TRUE(write_file(trial.program, *text));
  TracedRun run = run_traced(trial, GetParam().backend, schedules());
  EXPECT_EQ(run.text, before);
  for (const std::string& kernel : GetParam().form->kernels) EXPECT_TRUE(launches(run.trace, kernel)) << kernel;
}

// The text for 4 ranks; ./test leaves hybrid, which has the code of both others.
std::vector<FusedCase> texts_to_compile() {
  std::vector<FusedCase> texts = all_cases();
  std::erase_if(texts, [](const FusedCase& one) {
    return one.ranks != 4 || (!testing::runs_all_cases() && one.backend != Backend::Hybrid);
  });
  return texts;
}

class FusedFormsNvcc : public ::testing::TestWithParam<FusedCase> {};
INSTANTIATE_TEST_SUITE_P(All, FusedFormsNvcc, ::testing::ValuesIn(texts_to_compile()), name_of);

TEST_P(FusedFormsNvcc, Compiles) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's compiler is not here";
  Result<std::string> text = text_of(GetParam());
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", GetParam().form->definitions), "");
}

}  // namespace
}  // namespace cuco
