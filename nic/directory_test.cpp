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

int shared_files() {
  int count = 0;
  for (const auto& item : std::filesystem::directory_iterator("/dev/shm"))
    count += item.path().filename().string().rfind("cuco_nic.", 0) == 0;
  return count;
}

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
  const int before = shared_files();
  {
    auto first = *Directory::join(session("removed"));
    auto second = *Directory::join(session("removed"));
    EXPECT_EQ(shared_files(), before + 1);
    first.reset();
    EXPECT_EQ(shared_files(), before + 1);
  }
  EXPECT_EQ(shared_files(), before);
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
  const int before = shared_files();
  join_and_die(settings);
  EXPECT_EQ(shared_files(), before + 1);
  auto member = *Directory::join(settings);
  EXPECT_EQ(member->self(), 0);
  EXPECT_EQ(member->incarnation(0), 1u);
  member.reset();
  EXPECT_EQ(shared_files(), before);
}

TEST(NicDirectory, SweepTakesStaleFilesOnly) {
  const int before = shared_files();
  auto alive = *Directory::join(session("alive"));
  join_and_die(session("dead"));
  EXPECT_EQ(shared_files(), before + 2);
  sweep_stale_sessions();
  EXPECT_LE(shared_files(), before + 1);
  EXPECT_TRUE(alive->is_alive(alive->self()));
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
