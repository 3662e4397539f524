#include "nic/directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "nic/ring.h"

namespace cuco::nic {
namespace {

Settings session(const char* name) {
  Settings settings;
  settings.session = concat(name, ".", std::to_string(getpid()));
  settings.node = "node0";
  return settings;
}

bool has_file(const Settings& settings) { return std::filesystem::exists(session_path(settings.session)); }

TEST(NicDirectory, MembersGetPlacesOfTheirOwn) {
  const Settings settings = session("places");
  auto first = *Directory::join(settings);
  auto second = *Directory::join(settings);
  EXPECT_NE(first->self(), second->self());
  EXPECT_TRUE(first->is_alive(second->self()));
  EXPECT_TRUE(second->is_alive(first->self()));
  EXPECT_FALSE(first->is_alive(second->self() + 1));
}

TEST(NicDirectory, LastMemberRemovesTheFile) {
  const Settings settings = session("removed");
  auto first = *Directory::join(settings);
  auto second = *Directory::join(settings);
  first.reset();
  EXPECT_TRUE(has_file(settings));
  second.reset();
  EXPECT_FALSE(has_file(settings));
}

TEST(NicDirectory, PlaceOfOneThatLeftIsGivenAgain) {
  const Settings settings = session("again");
  auto first = *Directory::join(settings);
  auto second = *Directory::join(settings);
  const int place = second->self();
  const uint64_t incarnation = second->incarnation(place);
  second.reset();
  EXPECT_FALSE(first->is_alive(place));
  auto third = *Directory::join(settings);
  EXPECT_EQ(third->self(), place);
  EXPECT_NE(third->incarnation(place), incarnation);
}

TEST(NicDirectory, FullSessionIsRefusedWithAReason) {
  if (std::filesystem::space("/dev/shm").available < kMembersMax * (kBounceBytes + (1 << 20)))
    GTEST_SKIP() << "/dev/shm has no room for a full session";
  const Settings settings = session("full");
  std::vector<std::unique_ptr<Directory>> members;
  for (int i = 0; i < kMembersMax; ++i) members.push_back(std::move(*Directory::join(settings)));
  const auto refused = Directory::join(settings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the session already has 32 processes; set CUCO_NIC_SESSION to a name of your own");
}

TEST(NicDirectory, RanksHaveTheirOwnNicUnlessTheNodeSharesOne) {
  Settings settings = session("sharing");
  auto first = *Directory::join(settings);
  auto second = *Directory::join(settings);
  EXPECT_NE(&first->nic_of(first->self()), &first->nic_of(second->self()));
  settings.sharing = Sharing::Node;
  auto third = *Directory::join(settings);
  EXPECT_EQ(&third->nic_of(third->self()), &third->nic_of(first->self()));
  settings.node = "node1";
  auto fourth = *Directory::join(settings);
  EXPECT_NE(&fourth->nic_of(fourth->self()), &fourth->nic_of(first->self()));
  EXPECT_NE(&fourth->nic_of(fourth->self()), &fourth->nic_of(second->self()));
}

// Joins in a child, which then dies without leaving.
int join_and_die(const Settings& settings) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto member = *Directory::join(settings);
    const int place = member->self();
    (void)!write(ready[1], &place, sizeof(place));
    pause();
  }
  int place = -1;
  EXPECT_EQ(read(ready[0], &place, sizeof(place)), static_cast<ssize_t>(sizeof(place)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  return place;
}

TEST(NicDirectory, KilledMemberIsSeenAndItsPlaceIsGivenAgain) {
  const Settings settings = session("killed");
  auto survivor = *Directory::join(settings);
  const int place = join_and_die(settings);
  EXPECT_FALSE(survivor->is_alive(place));
  EXPECT_EQ(survivor->incarnation(place) % 2, 1u);  // It did not leave in order.
  auto successor = *Directory::join(settings);
  EXPECT_EQ(successor->self(), place);
}

TEST(NicDirectory, FileOfASessionWhoseMembersAllDiedIsEmptied) {
  const Settings settings = session("stale");
  join_and_die(settings);
  EXPECT_TRUE(has_file(settings));
  auto member = *Directory::join(settings);
  EXPECT_EQ(member->self(), 0);
  EXPECT_EQ(member->incarnation(0), 1u);
  member.reset();
  EXPECT_FALSE(has_file(settings));
}

TEST(NicDirectory, SweepTakesStaleFilesOnly) {
  auto alive = *Directory::join(session("alive"));
  join_and_die(session("dead"));
  EXPECT_TRUE(has_file(session("dead")));
  sweep_stale_sessions();
  EXPECT_FALSE(has_file(session("dead")));
  EXPECT_TRUE(has_file(session("alive")));
}

TEST(NicDirectory, MessagesToAPredecessorAreNotDelivered) {
  const Settings settings = session("leftover");
  auto sender = *Directory::join(settings);
  const int place = join_and_die(settings);
  const Posted posted = *post_message(sender->ring_to(place), Message{});
  auto successor = *Directory::join(settings);
  EXPECT_FALSE(take_message(successor->ring_from(sender->self())));
  EXPECT_TRUE(has_failed(posted));
}

}  // namespace
}  // namespace cuco::nic
