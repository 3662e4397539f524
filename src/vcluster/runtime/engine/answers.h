// What the host of a program has been told by its devices: the copies that it asked for, by place. A loop that is told
// the same again and again decides the same again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace cuco::vcluster {

class Answers {
 public:
  // Of a process, to a copy at this place. `now_ms` is processor time.
  void add(int process, const std::string& place, const void* bytes, size_t count, long now_ms);

  // How many answers have come since one was new; 0 where these are few, or one was new within the patience.
  uint64_t repeated(long now_ms, long patience_ms) const;

 private:
  static constexpr uint64_t kFew = 100;

  std::map<std::pair<int, std::string>, size_t> last_;  // A digest of each.
  uint64_t since_new_ = 0;
  long new_at_ms_ = 0;
};

Answers& answers();

// Of this run so far, as the machine counts: the program's clocks are virtual.
long processor_ms();

}  // namespace cuco::vcluster
