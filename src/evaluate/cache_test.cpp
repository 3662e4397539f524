#include "evaluate/cache.h"

#include <gtest/gtest.h>

#include <atomic>

#include "evaluate/parallel.h"
#include "testing/fake_environment.h"
#include "testing/scratch_folder.h"

namespace cuco::evaluate {
namespace {

TEST(Cache, GivesBackWhatWasStoredUnderItsKindAndKey) {
  testing::ScratchFolder folder;
  Cache cache(folder.path() / "not" / "there" / "yet");
  EXPECT_FALSE(cache.find("verdicts", "a"));
  cache.store("verdicts", "a", std::string("b\0c", 3));
  EXPECT_EQ(cache.find("verdicts", "a"), std::string("b\0c", 3));
  EXPECT_FALSE(cache.find("times", "a"));
}

TEST(Cache, WithoutAFolderRemembersNothing) {
  Cache cache;
  cache.store("verdicts", "a", "b");
  EXPECT_FALSE(cache.find("verdicts", "a"));
}

TEST(Cache, ThatCannotBeWrittenIsAsGoodAsNone) {
  Cache cache("/proc/cuco");
  cache.store("verdicts", "a", "b");
  EXPECT_FALSE(cache.find("verdicts", "a"));
}

TEST(Cache, ManyWritersOfOneEntryLeaveItWhole) {
  testing::ScratchFolder folder;
  Cache cache(folder.path());
  std::string content(100'000, 'x');
  run_in_order(16, 4, [&](uint32_t) {
    cache.store("verdicts", "a", content);
    return cache.find("verdicts", "a") == content;
  });
  EXPECT_EQ(cache.find("verdicts", "a"), content);
  auto entries = std::distance(std::filesystem::directory_iterator(folder.path() / "verdicts"), {});
  EXPECT_EQ(entries, 1) << "partial files are left";
}

TEST(Cache, TrimsTheOldestEntriesOfAKindThatIsTooLarge) {
  testing::ScratchFolder folder;
  Cache cache(folder.path());
  auto now = std::filesystem::file_time_type::clock::now();
  for (int i = 0; i < 4; i++) {
    cache.store("objects", std::to_string(i), std::string(100, 'x'));
    std::filesystem::last_write_time(folder.path() / "objects" / std::to_string(i), now - std::chrono::hours(i));
  }
  cache.store("verdicts", "old", std::string(1000, 'x'));
  cache.trim("objects", 400);
  EXPECT_TRUE(cache.find("objects", "3")) << "400 bytes are not too many";
  cache.trim("objects", 399);
  EXPECT_TRUE(cache.find("objects", "0"));
  EXPECT_FALSE(cache.find("objects", "2"));
  EXPECT_FALSE(cache.find("objects", "3"));
  EXPECT_TRUE(cache.find("verdicts", "old"));
  Cache().trim("objects", 1);
}

TEST(Cache, LiesWhereTheUserKeepsCaches) {
  testing::FakeEnvironment environment;
  EXPECT_EQ(default_cache_folder(environment), "");
  environment.variables["HOME"] = "/home/u";
  EXPECT_EQ(default_cache_folder(environment), "/home/u/.cache/cuco");
  environment.variables["XDG_CACHE_HOME"] = "/cache";
  EXPECT_EQ(default_cache_folder(environment), "/cache/cuco");
}

TEST(RunInOrder, EveryJobBeforeAFailureIsDone) {
  std::atomic<bool> done[64] = {};
  run_in_order(64, 4, [&](uint32_t i) {
    done[i] = true;
    return i != 20;
  });
  for (uint32_t i = 0; i <= 20; i++) EXPECT_TRUE(done[i]) << i;
  EXPECT_FALSE(done[63]) << "at most the other threads' jobs begin after a failure";
}

}  // namespace
}  // namespace cuco::evaluate
