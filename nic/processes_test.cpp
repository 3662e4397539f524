// Ranks as processes of their own: what threads in one process cannot show is taking over file descriptors, and dying.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "nic/test_rank.h"

namespace cuco::nic {
namespace {

constexpr int kRanks = 3;
constexpr size_t kBytes = 100'000;

// What NCCL's bootstrap does between the ranks.
struct Bootstrap {
  Handle handles[kRanks];
  std::atomic<int> listening;
  std::atomic<int> registered;
  std::atomic<int> finished;
};

Bootstrap* shared_bootstrap() {
  void* address = mmap(nullptr, sizeof(Bootstrap), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return static_cast<Bootstrap*>(address);
}

bool meet(std::atomic<int>& counter) {
  ++counter;
  return wait_until([&] { return counter.load() == kRanks; });
}

// A rank of a ring: puts to the next one until `rounds` are done or a request fails. Returns an exit status:
// 0 all right, 1 wrong bytes or no progress, 2 a request ended in an error.
class RingRank {
 public:
  RingRank(const Settings& settings, Bootstrap& bootstrap, int rank)
      : rank_(rank), bootstrap_(bootstrap), ends_(settings) {
    bootstrap_.handles[rank] = make_group_handle(*ends_.adapter);
    meet(bootstrap_.listening);
    std::vector<Handle> handles(bootstrap_.handles, bootstrap_.handles + kRanks);
    group_ = *Group::connect(*ends_.adapter, handles, rank);
    window_ = ends_.device->allocate(2 * kBytes);
    memory_ = group_->add_memory(window_, 2 * kBytes, false);
    signal_ = group_->add_memory(&word_, sizeof(word_), false);
    meet(bootstrap_.registered);
  }
  ~RingRank() {
    group_->remove_memory(memory_);
    group_->remove_memory(signal_);
  }

  int run(int rounds) {
    RmaContext context(*group_, 1);
    const int next = (rank_ + 1) % kRanks;
    for (int round = 1; round <= rounds; ++round) {
      std::memset(window_, rank_ * 50 + round % 50, kBytes);
      const auto request =
          group_->put(context.domain(0, next), next, {memory_, 0}, {memory_, kBytes}, kBytes, {signal_, 0, 1, true});
      if (ends_.wait(*request) != Progress::Done) return 2;
      if (!wait_until([&] { return arrived(round) || lost(); })) return 1;
      if (!arrived(round)) return 2;
    }
    return meet(bootstrap_.finished) ? check(rounds) : 2;
  }

 private:
  bool arrived(int round) const { return __atomic_load_n(&word_, __ATOMIC_ACQUIRE) >= static_cast<uint64_t>(round); }
  bool lost() { return ends_.adapter->courier().is_lost(group_->member_of((rank_ + kRanks - 1) % kRanks)); }
  int check(int rounds) const {
    const int last = (rank_ + kRanks - 1) % kRanks;
    const auto expected = static_cast<std::byte>(last * 50 + rounds % 50);
    return window_[kBytes] == expected && window_[2 * kBytes - 1] == expected ? 0 : 1;
  }

  int rank_;
  Bootstrap& bootstrap_;
  TestRank ends_;
  std::unique_ptr<Group> group_;
  std::byte* window_;
  uint64_t word_ = 0;
  GroupMemory* memory_;
  GroupMemory* signal_;
};

pid_t start_rank(const Settings& settings, Bootstrap& bootstrap, int rank, int rounds) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  int status = 1;
  {
    RingRank ring(settings, bootstrap, rank);
    status = ring.run(rounds);
  }
  _exit(status);
}

std::vector<pid_t> start_ranks(const Settings& settings, Bootstrap& bootstrap, int rounds) {
  std::vector<pid_t> children;
  for (int rank = 0; rank < kRanks; ++rank) children.push_back(start_rank(settings, bootstrap, rank, rounds));
  return children;
}

int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool file_remains(const Settings& settings) { return std::filesystem::exists(session_path(settings.session)); }

TEST(NicProcesses, RingOfProcessesDeliversAndLeavesNothing) {
  const Settings settings = test_settings("processes");
  for (int run = 0; run < 3; ++run) {
    Bootstrap* bootstrap = shared_bootstrap();
    for (pid_t child : start_ranks(settings, *bootstrap, 10)) EXPECT_EQ(exit_status(child), 0);
    munmap(bootstrap, sizeof(Bootstrap));
    EXPECT_FALSE(file_remains(settings));
  }
}

TEST(NicProcesses, KilledRankEndsTheOthersWithAnErrorAndLeavesNothing) {
  const Settings settings = test_settings("killed");
  for (int run = 0; run < 3; ++run) {
    Bootstrap* bootstrap = shared_bootstrap();
    const auto children = start_ranks(settings, *bootstrap, 1'000'000);
    ASSERT_TRUE(wait_until([&] { return bootstrap->registered.load() == kRanks; }));
    usleep(20'000);
    kill(children[static_cast<size_t>(run % kRanks)], SIGKILL);
    for (int rank = 0; rank < kRanks; ++rank)
      EXPECT_EQ(exit_status(children[static_cast<size_t>(rank)]), rank == run % kRanks ? -1 : 2);
    munmap(bootstrap, sizeof(Bootstrap));
    EXPECT_FALSE(file_remains(settings));
  }
}

}  // namespace
}  // namespace cuco::nic
