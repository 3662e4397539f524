// The built cuco, run from the root of the source tree with a cache of the test's own: what one run of a test paid for
// is free for the next, so that a search takes seconds.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "store/log.h"
#include "store/run_folder.h"
#include "store/store.h"
#include "testing/scratch_folder.h"

namespace cuco {

class OptimizeTest : public ::testing::Test {
 protected:
  // Small, and with room for a dozen ways to communicate.
  static constexpr const char* kProgram = "tests/cheats/baseline.cu -n 2 --no-nvcc";

  static ProcessOutput shell(const std::string& command) {
    Result<ProcessOutput> output = RealProcessRunner().run({"sh", "-c", prelude() + command}, 1'800'000);
    EXPECT_TRUE(output.ok()) << output.error().message;
    return output ? *output : ProcessOutput{-1, ""};
  }

  static std::string prelude() {
    return concat("cd '", CUCO_SOURCE_DIR, "' && export XDG_CACHE_HOME='", cache().string(), "' PATH='",
                  std::filesystem::path(CUCO_BINARY).parent_path().string(), "':$PATH && ");
  }

  // One for all tests of the process.
  static const std::filesystem::path& cache() {
    static testing::ScratchFolder folder;
    return folder.path();
  }

  static std::string canonical_digest(const std::filesystem::path& run) {
    testing::ScratchFolder copy;
    Result<store::Store> store = store::Store::open_read_only(store::store_file_of(run));
    EXPECT_TRUE(store.ok()) << (store ? "" : store.error().message);
    if (!store || !store->write_canonical(copy.path() / "store").ok()) return "unreadable";
    return sha256(*read_file(copy.path() / "store"));
  }

  static size_t logged(const std::filesystem::path& run) {
    Result<store::Log> log = store::Log::open_read_only(store::log_file_of(run));
    return log ? log->entry_count() : 0;
  }

  std::string optimize(const std::string& run, const std::string& more = "") const {
    return concat("cuco optimize ", kProgram, " --budget-evals 8 ", more, " --out ", folder(run).string());
  }
  std::filesystem::path folder(const std::string& run) const { return scratch.path() / run; }

  testing::ScratchFolder scratch;
};

}  // namespace cuco
