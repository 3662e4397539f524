#include "nic/faults.h"

#include <gtest/gtest.h>

#include <set>

namespace cuco::nic {
namespace {

FaultSettings faults(const char* text) { return *parse_faults(text); }

TEST(NicFaults, NothingHappensWithoutFaults) {
  const Disturbance disturbance = disturb({}, 17, true);
  EXPECT_EQ(disturbance.data_delay_ns, 0);
  EXPECT_EQ(disturbance.signal_delay_ns, 0);
  EXPECT_FALSE(disturbance.fails);
}

TEST(NicFaults, ParsesNamesAndSeed) {
  const FaultSettings parsed = faults("delayed_puts,late_signals:seed=7");
  EXPECT_TRUE(parsed.has(Fault::DelayedPuts));
  EXPECT_TRUE(parsed.has(Fault::LateSignals));
  EXPECT_FALSE(parsed.has(Fault::Bursts));
  EXPECT_EQ(parsed.seed, 7u);
}

TEST(NicFaults, NamesWhatThereIsWhenTheNameIsWrong) {
  const auto parsed = parse_faults("slow_puts");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "CUCO_NIC_FAULTS: no fault is called 'slow_puts'; there are " + fault_names());
  EXPECT_EQ(parse_faults("bursts:7").error().message, "CUCO_NIC_FAULTS: '7' is not seed=NUMBER");
}

TEST(NicFaults, SameSeedGivesSameFaults) {
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(disturb(faults("reordered_puts:seed=3"), i, false).data_delay_ns,
              disturb(faults("reordered_puts:seed=3"), i, false).data_delay_ns);
}

TEST(NicFaults, OtherSeedGivesOtherFaults) {
  int different = 0;
  for (uint64_t i = 0; i < 100; ++i)
    different += disturb(faults("reordered_puts:seed=3"), i, false).data_delay_ns !=
                 disturb(faults("reordered_puts:seed=4"), i, false).data_delay_ns;
  EXPECT_GT(different, 90);
}

TEST(NicFaults, ReorderingLeavesSignalledPutsAlone) {
  std::set<int64_t> delays;
  for (uint64_t i = 0; i < 100; ++i) {
    delays.insert(disturb(faults("reordered_puts"), i, false).data_delay_ns);
    EXPECT_EQ(disturb(faults("reordered_puts"), i, true).data_delay_ns, 0);
  }
  EXPECT_GT(delays.size(), 50u);
}

TEST(NicFaults, LinkStaysDroppedOnceItIs) {
  bool dropped = false;
  for (uint64_t i = 0; i < 3'000; ++i) {
    const bool fails = disturb(faults("dropped_link:seed=5"), i, true).fails;
    EXPECT_GE(fails, dropped);
    dropped = fails;
  }
  EXPECT_TRUE(dropped);
  EXPECT_FALSE(disturb(faults("dropped_link:seed=5"), 0, true).fails);
}

TEST(NicFaults, ErrorCompletionsAreRare) {
  int failures = 0;
  for (uint64_t i = 0; i < 100'000; ++i) failures += disturb(faults("error_completions"), i, false).fails;
  EXPECT_GT(failures, 5);
  EXPECT_LT(failures, 60);
}

}  // namespace
}  // namespace cuco::nic
