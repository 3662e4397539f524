#include "evaluate/access_runs.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {

namespace {

TEST(AccessRuns, HalfOfAParameterComesBeforeTwiceOfIt) {
  Configuration configuration;
  configuration.parameters = {{"rows", 48}, {"tensor", 1}, {"skew", 75}};
  std::vector<std::vector<std::string>> differences;
  for (const std::vector<VariedConfiguration>& choices : halved_or_doubled(configuration)) {
    differences.emplace_back();
    for (const VariedConfiguration& one : choices) differences.back().push_back(one.difference);
  }
  EXPECT_EQ(differences, (std::vector<std::vector<std::string>>{{"rows=24", "rows=96"}, {"skew=150"}}));
}

}  // namespace
}  // namespace cuco::evaluate
