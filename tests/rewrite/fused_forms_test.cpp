// Every fused form on every backend with 2, 4 and 8 ranks does under the checkers what the program did, whatever the
// order in which blocks and messages come, and compiles with nvcc. ./test takes one case of each form that no other
// test runs.
#include "fused_forms.h"

#include "nvcc_compile.h"
#include "testing/share.h"

namespace cuco {
namespace {

using space::Backend;

std::vector<FusedCase> cases_of(const FusedForm& form) {
  std::vector<FusedCase> cases;
  for (Backend backend : {Backend::Lsa, Backend::Gin, Backend::Hybrid})
    for (uint32_t ranks : {2, 4, 8}) cases.push_back({&form, backend, ranks});
  return cases;
}

std::vector<FusedCase> all_cases() {
  std::vector<FusedCase> cases;
  for (const auto* forms : {&forms_of_this_table(), &forms_with_tests_of_their_own()})
    for (const FusedForm& form : *forms)
      for (const FusedCase& one : cases_of(form)) cases.push_back(one);
  return cases;
}

// The share takes another case of each form, so that together they meet all backends and rank counts.
std::vector<FusedCase> cases_to_run() {
  if (testing::runs_all_cases()) return all_cases();
  std::vector<FusedCase> share;
  for (const FusedForm& form : forms_of_this_table()) {
    std::vector<FusedCase> cases = cases_of(form);
    share.push_back(cases[share.size() * 4 % cases.size()]);
  }
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

// The texts for 4 ranks; of the share those with hybrid, which have the code of both others.
std::vector<FusedCase> texts_to_compile() {
  std::vector<FusedCase> texts = all_cases();
  std::erase_if(texts, [](const FusedCase& one) { return one.ranks != 4; });
  if (testing::runs_all_cases()) return texts;
  texts.resize(forms_of_this_table().size() * 3);
  std::erase_if(texts, [](const FusedCase& one) { return one.backend != Backend::Hybrid; });
  return texts;
}

class FusedFormsNvcc : public ::testing::TestWithParam<FusedCase> {};
INSTANTIATE_TEST_SUITE_P(All, FusedFormsNvcc, ::testing::ValuesIn(texts_to_compile()), name_of);

TEST_P(FusedFormsNvcc, Compiles) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  Result<std::string> text = text_of(GetParam());
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", GetParam().form->definitions), "");
}

}  // namespace
}  // namespace cuco
