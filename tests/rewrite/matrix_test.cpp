// Every collective of NCCL that rules convert, against the host's: both backends, numbers of ranks, sizes and types.
// One build serves all cases. Counts up to 4096 run under all checkers; 1,000,003 elements run in the plain build,
// whose results are compared all the same. ./test --all runs everything, otherwise a share.
#include <gtest/gtest.h>

#include <map>

#include "base/scratch_folder.h"
#include "built_program.h"
#include "testing/share.h"
#include "trial.h"

namespace cuco {
namespace {

using space::Backend;

constexpr uint32_t kManyRanks = 40;  // More peers than the arguments of a launch have room for.

struct Case {
  Backend backend;
  std::string collective;
  uint32_t ranks;
  bool large;

  // Checkers remember the accesses of every rank to every byte, which takes too long for many bytes and many pairs.
  bool is_checked() const { return !large && (ranks != kManyRanks || collective == "broadcast"); }
};

std::vector<Case> cases() {
  std::vector<Case> chosen;
  int number = 0;
  for (const char* collective :
       {"all_gather", "all_reduce", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter"}) {
    uint32_t ranks_of_share = number++ % 2 ? 3 : 5;
    for (Backend backend : {Backend::Lsa, Backend::Gin}) {
      for (uint32_t ranks : {2u, 3u, 5u, 8u})
        for (bool large : {false, true})
          if (testing::runs_all_cases() || (!large && ranks == ranks_of_share))
            chosen.push_back({backend, collective, ranks, large});
      chosen.push_back({backend, collective, kManyRanks, false});
    }
  }
  return chosen;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return concat(info.param.backend == Backend::Lsa ? "Lsa_" : "Gin_", info.param.collective, "_", info.param.ranks,
                info.param.large ? "_large" : "_small");
}

std::vector<std::string> arguments_of(const Case& one) {
  if (one.large) return {one.collective, "1000003"};
  if (one.ranks == kManyRanks) return {one.collective, "17"};
  return {one.collective, "0", "1", "17", "4096"};
}

Result<BuiltProgram> build_rewritten(Backend backend, bool check) {
  Result<std::string> text = rewritten({kFolder / "matrix.cu", {}, {}}, backend);
  if (!text) return text.error();
  ScratchFolder scratch = ScratchFolder::make("cuco-matrix").value();
  if (Status written = write_file(scratch.path() / "matrix.cu", *text); !written) return written.error();
  return BuiltProgram::build({scratch.path() / "matrix.cu"}, check, kSource);
}

class CollectivesMatrix : public ::testing::TestWithParam<Case> {
 protected:
  static void TearDownTestSuite() {
    images_.clear();
    host_.reset();
  }

  static const Result<BuiltProgram>& image(Backend backend, bool check) {
    auto found = images_.find({backend, check});
    if (found == images_.end())
      found = images_.emplace(std::pair{backend, check}, build_rewritten(backend, check)).first;
    return found->second;
  }
  // The host's collectives give the same on every topology.
  static std::string host_outcome(const Case& one) {
    if (!host_) host_ = BuiltProgram::build({kFolder / "matrix.cu"}, false, kSource);
    if (!*host_) return host_->error().message;
    return (*host_)->outcome({arguments_of(one), one.ranks, 1, profile_for(Backend::Lsa)});
  }

 private:
  static inline std::map<std::pair<Backend, bool>, Result<BuiltProgram>> images_;
  static inline std::optional<Result<BuiltProgram>> host_;
};

TEST_P(CollectivesMatrix, GivesWhatTheHostCollectiveGives) {
  const Case& one = GetParam();
  std::string host = host_outcome(one);
  ASSERT_TRUE(host.ends_with("\nok")) << host;
  const Result<BuiltProgram>& program = image(one.backend, one.is_checked());
  ASSERT_TRUE(program) << program.error().message;
  uint32_t nodes = one.backend == Backend::Lsa ? 1 : one.ranks;
  EXPECT_EQ(program->outcome({arguments_of(one), one.ranks, nodes, profile_for(one.backend)}), host);
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectivesMatrix, ::testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace cuco
