#include "nic/rma.h"

namespace cuco::nic {
namespace {

std::atomic<uint32_t> next_domain{1};

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

Handle make_group_handle(Adapter& adapter) {
  Directory& directory = adapter.directory();
  return {kSegmentMagic, directory.incarnation(directory.self()), directory.next_serial(), directory.self(), -1};
}

Result<std::unique_ptr<Group>> Group::connect(Adapter& adapter, const std::vector<Handle>& handles, int rank) {
  std::vector<int> members;
  uint64_t readers = 0;
  for (const Handle& handle : handles) {
    if (handle.magic != kSegmentMagic)
      return Error{"a rank has another network library: every rank needs the same NCCL_NET_PLUGIN"};
    if (adapter.directory().incarnation(handle.member) != handle.incarnation)
      return Error{"a rank of the group is gone, or is in another session (see CUCO_NIC_SESSION)"};
    members.push_back(handle.member);
    readers |= uint64_t{1} << handle.member;
    if (handle.member != adapter.directory().self()) adapter.courier().watch(handle.member);
  }
  // The serial of rank 0's handle is unique in the session and known to all.
  std::unique_ptr<Group> group(new Group(adapter, handles.front().serial, rank, std::move(members)));
  group->readers_ = readers;
  return group;
}

uint64_t Group::name_of(uint64_t sequence, int rank) const {
  return mix(mix(key_ * 0x9E3779B97F4A7C15u + sequence) + static_cast<uint64_t>(rank)) | 1;
}

GroupMemory* Group::add_memory(void* address, uint64_t bytes, bool host) {
  const uint64_t sequence = registration_count_++;
  const uint64_t name = name_of(sequence, rank_);
  return new GroupMemory{sequence, name, adapter_.registry().add(name, address, bytes, host, readers_)};
}

void Group::remove_memory(GroupMemory* memory) {
  adapter_.registry().remove(memory->name);
  delete memory;
}

std::unique_ptr<Request> Group::put(uint32_t domain, int rank, const Place& source, const Place& target, uint64_t bytes,
                                    const Signal& signal) {
  Message message = {};
  message.verb = Verb::Put;
  message.domain = domain;
  message.bytes = bytes;
  message.strong = signal.strong;
  if (target.memory) message.target = name_of(target.memory->sequence, rank);
  message.target_offset = target.offset;
  if (signal.memory) {
    message.signal = name_of(signal.memory->sequence, rank);
    message.signal_offset = signal.offset;
    message.signal_add = signal.add;
  }
  Origin origin;
  if (source.memory) origin = {source.memory->memory, source.offset};
  return adapter_.post(member_of(rank), message, origin, true);
}

Result<std::unique_ptr<Request>> Group::get(int rank, const Place& remote, const Place& local, uint64_t bytes) {
  Message message = {};
  message.bytes = bytes;
  message.target = local.memory->name;
  message.target_offset = local.offset;
  message.source_offset = remote.offset;
  auto pending = adapter_.get(member_of(rank), message, name_of(remote.memory->sequence, rank));
  if (!pending) return pending.error();
  auto request = std::make_unique<Request>();
  request->peer = member_of(rank);
  request->local.push_back(*pending);
  return request;
}

RmaContext::RmaContext(Group& group, int context_count)
    : group_(group), gets_(static_cast<size_t>(context_count) * static_cast<size_t>(group.rank_count())) {
  first_domain_ = next_domain.fetch_add(static_cast<uint32_t>(gets_.size()));
}

size_t RmaContext::index_of(int context, int rank) const {
  return static_cast<size_t>(context) * static_cast<size_t>(group_.rank_count()) + static_cast<size_t>(rank);
}

uint32_t RmaContext::domain(int context, int rank) const {
  return first_domain_ + static_cast<uint32_t>(index_of(context, rank));
}

void RmaContext::remember_get(int context, int rank, std::shared_ptr<LocalRequest> get) {
  const std::lock_guard lock(mutex_);
  gets_[index_of(context, rank)].push_back(std::move(get));
}

std::vector<std::shared_ptr<LocalRequest>> RmaContext::open_gets(int context, int rank) {
  const std::lock_guard lock(mutex_);
  auto& gets = gets_[index_of(context, rank)];
  std::erase_if(gets, [](const auto& get) { return get->finished.load(); });
  return gets;
}

}  // namespace cuco::nic
