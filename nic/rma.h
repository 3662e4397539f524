// Puts, gets and signals between the ranks of a group, for GIN. Registrations of a group are collective and ordered:
// the n-th one of every rank belongs together, and that is how a sender names memory of the receiver.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "nic/adapter.h"
#include "nic/net.h"

namespace cuco::nic {

struct GroupMemory {
  uint64_t sequence;
  uint64_t name;  // Of this rank's part.
  LocalMemory memory;
};

struct Signal {
  const GroupMemory* memory = nullptr;
  uint64_t offset = 0;
  uint64_t add = 0;
  bool strong = false;
};

struct Place {
  const GroupMemory* memory = nullptr;
  uint64_t offset = 0;
};

class Group {
 public:
  static Result<std::unique_ptr<Group>> connect(Adapter& adapter, const std::vector<Handle>& handles, int rank);

  GroupMemory* add_memory(void* address, uint64_t bytes, bool host);
  void remove_memory(GroupMemory* memory);

  std::unique_ptr<Request> put(uint32_t domain, int rank, const Place& source, const Place& target, uint64_t bytes,
                               const Signal& signal);
  Result<std::unique_ptr<Request>> get(int rank, const Place& remote, const Place& local, uint64_t bytes);

  Adapter& adapter() { return adapter_; }
  int member_of(int rank) const { return members_[static_cast<size_t>(rank)]; }
  int rank_count() const { return static_cast<int>(members_.size()); }
  void note_failure() { failed_.store(true); }
  bool has_failed() const { return failed_.load(); }

 private:
  Group(Adapter& adapter, uint64_t key, int rank, std::vector<int> members)
      : adapter_(adapter), key_(key), rank_(rank), members_(std::move(members)) {}

  uint64_t name_of(uint64_t sequence, int rank) const;

  Adapter& adapter_;
  uint64_t key_;
  int rank_;
  std::vector<int> members_;  // By rank.
  uint64_t readers_ = 0;
  std::atomic<uint64_t> registration_count_{0};
  std::atomic<bool> failed_{false};
};

// A set of independent orders of messages: each (context, peer) pair is a domain of its own.
class RmaContext {
 public:
  RmaContext(Group& group, int context_count);

  Group& group() { return group_; }
  uint32_t domain(int context, int rank) const;

  void remember_get(int context, int rank, std::shared_ptr<LocalRequest> get);
  // The gets of this context and peer that are still on their way; empty when there are none.
  std::vector<std::shared_ptr<LocalRequest>> open_gets(int context, int rank);

 private:
  size_t index_of(int context, int rank) const;

  Group& group_;
  uint32_t first_domain_;
  std::mutex mutex_;
  std::vector<std::vector<std::shared_ptr<LocalRequest>>> gets_;
};

Handle make_group_handle(Adapter& adapter);

}  // namespace cuco::nic
