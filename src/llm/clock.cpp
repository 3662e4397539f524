#include "llm/clock.h"

#include <chrono>
#include <thread>

namespace cuco::llm {

int64_t RealClock::unix_ms() {
  auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

void RealClock::sleep_ms(int64_t duration_ms) { std::this_thread::sleep_for(std::chrono::milliseconds(duration_ms)); }

}  // namespace cuco::llm
