#include "nic/processors.h"

#include <gtest/gtest.h>

namespace cuco::nic {
namespace {

TEST(NicProcessors, FourAProcessAreEnoughWithoutPutsOfTheHost) {
  EXPECT_EQ(processors_doubt(8, 2, false), "");
  EXPECT_NE(processors_doubt(8, 2, true), "");
  EXPECT_EQ(processors_doubt(10, 2, true), "");
}

TEST(NicProcessors, FewerAreSaidWithWhatIsWanted) {
  EXPECT_EQ(processors_doubt(7, 2, false).substr(0, 61),
            "2 processes may run on 7 processors, where 8 threads, the NIC");
  EXPECT_EQ(processors_doubt(1, 1, false).substr(0, 23), "1 process may run on 1 ");
}

TEST(NicProcessors, ThisProcessHasSome) { EXPECT_GT(allowed_processors(), 0); }

}  // namespace
}  // namespace cuco::nic
