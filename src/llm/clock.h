// Time as this folder sees it, abstract so that tests of waiting do not wait.
#pragma once

#include <cstdint>

namespace cuco::llm {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t unix_ms() = 0;
  virtual void sleep_ms(int64_t duration_ms) = 0;
};

class RealClock : public Clock {
 public:
  int64_t unix_ms() override;
  void sleep_ms(int64_t duration_ms) override;
};

}  // namespace cuco::llm
