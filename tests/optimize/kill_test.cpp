// The real command is killed at random instants and resumed. Whatever the instants: the end is, byte for byte, that of
// a run that nobody killed, and nothing was paid for twice. CUCO_KILLS=100 does it a hundred times.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

#include "base/random.h"
#include "tests/optimize/command.h"

namespace cuco {
namespace {

constexpr uint64_t kSeed = 5;
constexpr int kKills = 5;  // In every ./test.

int kill_count() {
  const char* wished = std::getenv("CUCO_KILLS");
  return wished ? std::atoi(wished) : kKills;
}

class KilledTest : public OptimizeTest {
 protected:
  // Starts the command and kills it after the delay; true when that came before its end.
  static bool run_until_killed(const std::string& command, uint64_t delay_us) {
    pid_t process = fork();
    if (process == 0) {
      std::string script = concat(prelude(), "exec ", command, " >/dev/null 2>&1");
      execlp("sh", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    usleep(static_cast<useconds_t>(delay_us));
    kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    return WIFSIGNALED(status);
  }

  // A run that was killed before there was anything in its folder is begun again.
  std::string next_command(const std::string& run) const {
    bool begun = std::filesystem::exists(store::log_file_of(folder(run)));
    return begun ? concat("cuco resume ", folder(run).string()) : optimize(run);
  }

  void finish(const std::string& run) const {
    ProcessOutput output = shell(next_command(run) + " 2>&1");
    ASSERT_EQ(output.exit_code, 0) << output.text;
  }

  static uint64_t microseconds_of(const std::function<void()>& action) {
    auto start = std::chrono::steady_clock::now();
    action();
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count());
  }
};

TEST_F(KilledTest, EndsAsIfNobodyHadKilledIt) {
  finish("straight");
  if (HasFailure()) return;
  uint64_t whole_us = microseconds_of([&] { finish("again"); });
  std::string expected = canonical_digest(folder("straight"));
  EXPECT_EQ(canonical_digest(folder("again")), expected);
  Random random(kSeed);
  for (int kills = 0, round = 0; kills < kill_count() && !HasFailure(); round++) {
    std::string run = concat("killed-", round);
    while (kills < kill_count() && run_until_killed(next_command(run), random.below(whole_us))) kills++;
    // The machine may have less to do than when the time was taken: aim earlier when a run got away.
    whole_us = std::max<uint64_t>(whole_us * 9 / 10, 50'000);
    finish(run);
    EXPECT_EQ(canonical_digest(folder(run)), expected) << "round " << round;
    EXPECT_EQ(logged(folder(run)), logged(folder("straight"))) << "round " << round;
    std::filesystem::remove_all(folder(run));
  }
}

}  // namespace
}  // namespace cuco
