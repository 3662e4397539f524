#include "nic/adapter.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "nic/clock.h"
#include "nic/log.h"

namespace cuco::nic {
namespace {

constexpr uint64_t kFaultyQueueDepth = 4;

}  // namespace

Result<std::unique_ptr<Adapter>> Adapter::open(const Settings& settings, std::unique_ptr<Device> device) {
  sweep_stale_sessions();
  Result<std::unique_ptr<Directory>> directory = Directory::join(settings);
  if (!directory) return directory.error();
  return std::unique_ptr<Adapter>(new Adapter(settings, std::move(device), std::move(*directory)));
}

Adapter::Adapter(Settings settings, std::unique_ptr<Device> device, std::unique_ptr<Directory> directory)
    : settings_(std::move(settings)),
      directory_(std::move(directory)),
      device_(std::move(device)),
      registry_(*directory_, *device_),
      recorder_(settings_, directory_->nic_of(directory_->self()).counters),
      courier_(settings_, *directory_, *device_, registry_, recorder_) {}

Adapter::~Adapter() {
  courier_.stop();
  write_statistics();
}

void Adapter::start(Courier::SendArrived send_arrived) {
  courier_.start(std::move(send_arrived), [this] { answer_demand(); });
}

bool Adapter::stages(const Origin& origin, uint64_t bytes, int peer) const {
  if (origin.memory.host) return bytes > sizeof(uint64_t);
  return peer != directory_->self() && origin.memory.slot < 0;
}

std::unique_ptr<Request> Adapter::post(int peer, Message message, const Origin& origin, bool wait) {
  auto request = std::make_unique<Request>();
  request->peer = peer;
  Origin part_origin = origin;
  if (message.bytes > 0 && stages(origin, message.bytes, peer)) {
    // The bounce area is small: a long message goes in parts, and the last one carries the signal, after the others.
    while (message.verb == Verb::Put && message.bytes > kStagedPartBytes) {
      Message part = message;
      part.bytes = kStagedPartBytes;
      part.signal = 0;
      if (!post_part(*request, part, part_origin, wait)) return nullptr;
      message.bytes -= kStagedPartBytes;
      message.target_offset += kStagedPartBytes;
      message.strong = 1;
      part_origin.offset += kStagedPartBytes;
    }
  }
  return post_part(*request, message, part_origin, wait) ? std::move(request) : nullptr;
}

bool Adapter::post_part(Request& request, Message message, const Origin& origin, bool wait) {
  while (!place_source(message, origin, request.peer)) {
    request.dropped = courier_.is_lost(request.peer);
    if (request.dropped) return true;
    if (!wait) return false;
    sched_yield();
  }
  post_when_room(request, message);
  return true;
}

bool Adapter::place_source(Message& message, const Origin& origin, int peer) {
  const LocalMemory& memory = origin.memory;
  message.source = Source::None;
  if (message.bytes == 0) return true;
  if (stages(origin, message.bytes, peer)) return place_in_bounce(message, origin);
  if (memory.host) {
    message.source = Source::Inline;
    std::memcpy(&message.inline_word, memory.base + origin.offset, message.bytes);
  } else if (peer == directory_->self()) {
    message.source = Source::Local;
    message.source_offset = reinterpret_cast<uint64_t>(memory.base + origin.offset);
  } else {
    message.source = Source::Registered;
    message.source_slot = static_cast<uint32_t>(memory.slot);
    message.source_offset = origin.offset;
  }
  return true;
}

bool Adapter::place_in_bounce(Message& message, const Origin& origin) {
  reclaim_bounce();
  const std::optional<uint64_t> offset = bounce_.allocate(message.bytes);
  if (!offset) return false;
  std::byte* room = directory_->segment().bounce[directory_->self()] + *offset;
  const std::byte* from = origin.memory.base + origin.offset;
  if (origin.memory.host) {
    std::memcpy(room, from, message.bytes);
  } else {
    if (!device_->read_memory(room, from, message.bytes)) message.fails = 1;
    recorder_.staged();
  }
  message.source = Source::Bounce;
  message.source_offset = *offset;
  return true;
}

void Adapter::reclaim_bounce() {
  const std::lock_guard lock(bounce_mutex_);
  std::erase_if(in_bounce_, [this](const InBounce& item) {
    if (!is_finished(item.posted)) return false;
    bounce_.release(item.offset, item.bytes);
    return true;
  });
}

void Adapter::set_times(Message& message, int peer, int64_t& completion_ns) {
  Nic& mine = directory_->nic_of(directory_->self());
  const Disturbance fault = disturb(settings_.faults, message_count_++, message.signal != 0);
  const int64_t posted = now_ns() - (message.verb == Verb::Put ? settings_.notice_ns : 0);
  const Passage passage =
      pass_message(settings_.link, mine.lines, directory_->nic_of(peer).lines, posted, message.bytes);
  message.data_due_ns = passage.arrival_ns + fault.data_delay_ns;
  message.signal_due_ns = message.data_due_ns + fault.signal_delay_ns;
  message.fails |= fault.fails ? 1 : 0;
  completion_ns = std::max(completion_ns, message.data_due_ns + settings_.link.latency_ns);
  recorder_.sent(message.bytes, passage.busy_ns);
}

// A full queue is waited for here, as a NIC's driver does: the lines are already reserved for the message.
void Adapter::post_when_room(Request& request, Message message) {
  const uint64_t depth = settings_.faults.has(Fault::FullQueue) ? kFaultyQueueDepth : kRingEntries;
  const std::lock_guard lock(post_mutexes_[static_cast<size_t>(request.peer)]);
  set_times(message, request.peer, request.completion_ns);
  std::optional<Posted> posted;
  while (!(posted = post_message(directory_->ring_to(request.peer), message, depth))) {
    request.dropped = courier_.is_lost(request.peer);
    if (request.dropped) return;
    sched_yield();
  }
  request.parts.push_back(*posted);
  if (message.source != Source::Bounce) return;
  const std::lock_guard bounce_lock(bounce_mutex_);
  in_bounce_.push_back({*posted, message.source_offset, message.bytes});
}

Result<std::shared_ptr<LocalRequest>> Adapter::get(int peer, Message message, uint64_t name) {
  Delivery delivery;
  message.verb = Verb::Get;
  if (peer == directory_->self()) {
    const std::optional<LocalMemory> memory = registry_.find(name);
    if (!memory || memory->host) return Error{"a get from this rank's own host memory is not supported"};
    message.source = Source::Local;
    message.source_offset += reinterpret_cast<uint64_t>(memory->base);
  } else {
    const int slot = registry_.find_offer(name, peer);
    if (slot < 0) return Error{"a get reads memory that other processes cannot map; allocate it with ncclMemAlloc"};
    message.source = Source::Registered;
    message.source_slot = static_cast<uint32_t>(slot);
  }
  const Passage passage = pass_get(settings_.link, directory_->nic_of(directory_->self()).lines,
                                   directory_->nic_of(peer).lines, now_ns() - settings_.notice_ns, message.bytes);
  message.data_due_ns = message.signal_due_ns = passage.arrival_ns;
  auto request = std::make_shared<LocalRequest>();
  delivery.message = message;
  delivery.from = peer;
  delivery.request = request;
  courier_.deliver(std::move(delivery));
  return request;
}

Progress Adapter::progress(const Request& request) const {
  if (request.dropped) return Progress::Failed;
  bool done = now_ns() >= request.completion_ns;
  for (const Posted& part : request.parts) {
    if (!is_finished(part)) {
      done = false;
    } else if (has_failed(part)) {
      return Progress::Failed;
    }
  }
  for (const auto& local : request.local) {
    if (!local->finished.load(std::memory_order_acquire)) {
      done = false;
    } else if (local->failed.load(std::memory_order_relaxed)) {
      return Progress::Failed;
    }
  }
  if (done) return Progress::Done;
  return request.peer >= 0 && courier_.is_lost(request.peer) ? Progress::Failed : Progress::Open;
}

void Adapter::write_statistics() {
  if (settings_.stats_file.empty()) return;
  const int nic = directory_->segment().members[directory_->self()].nic;
  const NicCounters& counters = directory_->nic_of(directory_->self()).counters;
  // One write of one line in append mode: ranks that end together do not mix their lines.
  std::ofstream file(settings_.stats_file, std::ios::app);
  file << statistics_text(counters, settings_, device_->calibration(), nic) << std::flush;
  if (!file) log_error("statistics cannot be written to " + settings_.stats_file);
}

void Adapter::answer_demand() {
  if (settings_.stats_file.empty()) return;
  const std::string demand = settings_.stats_file + ".ask." + std::to_string(directory_->self());
  if (access(demand.c_str(), F_OK) != 0) return;
  unlink(demand.c_str());
  write_statistics();
}

}  // namespace cuco::nic
