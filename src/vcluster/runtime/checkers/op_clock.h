// Which operations of which streams are known to be over: per stream the number of the last one. Streams work in order,
// so that one number says it for all before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace cuco::vcluster {

class Stream;

struct OperationId {
  const Stream* stream = nullptr;
  uint64_t number = 0;  // From 1, in the order of submission.
};

class OpClock {
 public:
  void add(OperationId id) {
    uint64_t& last = last_[id.stream];
    last = std::max(last, id.number);
  }
  void merge(const OpClock& other) {
    for (const auto& [stream, number] : other.last_) add({stream, number});
  }
  bool knows(OperationId id) const {
    auto found = last_.find(id.stream);
    return found != last_.end() && found->second >= id.number;
  }

 private:
  std::map<const Stream*, uint64_t> last_;
};

}  // namespace cuco::vcluster
