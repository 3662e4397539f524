#include "cli/doctor.h"

#include <gtest/gtest.h>

#include "cli/fixtures.h"
#include "testing/fake_environment.h"
#include "testing/fake_process.h"

namespace cuco::cli {
namespace {

Machine machine_without(const std::vector<std::string>& absent) {
  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  Machine machine = examine_machine(processes, environment);
  for (Finding& finding : machine.findings) {
    finding.present = std::find(absent.begin(), absent.end(), finding.name) == absent.end();
    finding.fix = finding.present ? "" : "get " + finding.name;
  }
  return machine;
}

TEST(Doctor, EveryNeedIsSomethingThatIsLookedFor) {
  Machine machine = machine_without({});
  for (const auto* facilities : {&executors(), &proposers()})
    for (const Facility& facility : *facilities) EXPECT_TRUE(missing_for(facility, machine).empty());
}

TEST(Doctor, WhatIsMissingIsNamedWithItsFix) {
  std::string text = doctor_text(machine_without({"clang-19"}));
  EXPECT_TRUE(holds(text, "lacks clang-19\n             fix: get clang-19\n")) << text;
}

TEST(Doctor, OneFixForSeveralNeedsIsShownOnce) {
  Machine machine = machine_without({"mps", "gpu"});
  for (Finding& finding : machine.findings)
    if (!finding.present) finding.fix = "a GPU machine";
  std::string text = doctor_text(machine);
  size_t first = text.find("lacks mps, gpu\n             fix: a GPU machine\n");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_FALSE(holds(text, "fix: a GPU machine\n             fix: a GPU machine")) << text;
}

TEST(Doctor, OnlyWhatIsInThisVersionIsReadyOrNot) {
  Machine machine = machine_without({});
  for (const Facility& facility : executors()) {
    std::string state = facility.in_this_version ? "ready" : "not in this version";
    EXPECT_TRUE(holds(doctor_text(machine), facility.purpose + "\n             " + state)) << facility.name;
  }
}

TEST(Doctor, WhatWorksInsteadIsSaid) {
  auto instead = [](const std::vector<std::string>& absent) {
    return instead_of(executors().back(), machine_without(absent));
  };
  EXPECT_EQ(instead({"nccl-multi-rank"}), "--on mpi works here: one GPU a rank, on one node or many");
  EXPECT_EQ(instead({"gpu"}), "--on vcluster works here: a cluster on the CPU, no GPU needed");
  EXPECT_EQ(instead({"gpu", "sandbox"}), "");
  std::string text = doctor_text(machine_without({"gpu"}));
  EXPECT_TRUE(holds(text, "lacks gpu\n             fix: get gpu\n             instead: --on vcluster works here"))
      << text;
  EXPECT_FALSE(holds(doctor_text(machine_without({})), "instead:"));
  EXPECT_FALSE(holds(doctor_text(machine_without({"OPENAI_API_KEY"})), "instead:"));
}

TEST(Doctor, JsonHasTheSameFacts) {
  std::string json = doctor_json(machine_without({"sandbox"}));
  EXPECT_TRUE(holds(json, "\"name\": \"sandbox\",\n      \"present\": false")) << json;
  EXPECT_TRUE(holds(json, "\"missing\": [\n        \"sandbox\"\n      ],\n      \"fixes\": [\n        \"get sandbox\""))
      << json;
}

}  // namespace
}  // namespace cuco::cli
