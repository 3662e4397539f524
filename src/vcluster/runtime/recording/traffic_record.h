// Who moves how many bytes to whom while the region runs. Loads and stores of kernels are seen in the checking build
// alone; everything else in both.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "model/traffic.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

struct CollectiveCall;
struct MpiCollective;

// What the blocks of one launch move, until it ends.
class KernelTraffic {
 public:
  void add(int from, int to, model::Carrier carrier, uint64_t bytes) {
    if (!last_ || last_->first != Key{from, to, carrier}) last_ = &*moved_.try_emplace({from, to, carrier}).first;
    last_->second += bytes;
  }
  void end(const std::string& kernel, const std::string& place);

 private:
  using Key = std::tuple<int, int, model::Carrier>;
  std::map<Key, uint64_t> moved_;
  std::pair<const Key, uint64_t>* last_ = nullptr;
};

class TrafficRecord {
 public:
  // Bytes that are moved at this instant. What a rank moves to itself is no traffic.
  void add(model::Transfer transfer);
  void add_copy(const void* target, const void* source, size_t bytes, const std::string& place);
  void add_collective(const std::vector<CollectiveCall>& calls);
  void add_message(const CollectiveCall& send, const CollectiveCall& receive);
  void add_mpi(const MpiCollective& meeting, const std::vector<int>& members);

  // Of the region, added up.
  model::Traffic in_region() const;

 private:
  struct Moment {
    Time at;
    uint64_t bytes;
  };
  using Key = std::tuple<model::Carrier, std::string, std::string, int, int>;  // What, place, from, to.
  std::map<Key, std::vector<Moment>> moments_;
};

TrafficRecord& traffic_record();

}  // namespace cuco::vcluster
