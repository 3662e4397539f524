#include "nic/courier.h"

#include <sched.h>

#include <algorithm>
#include <bit>

#include "nic/clock.h"
#include "nic/log.h"
#include "nic/processors.h"

namespace cuco::nic {
namespace {

constexpr int64_t kPeerCheckNs = 20'000'000;

bool all_in_order(const Delivery& delivery) {
  return std::all_of(delivery.open.begin(), delivery.open.end(), [](const Ticket& ticket) { return ticket.in_order; });
}

void note_issue(Delivery& delivery, int64_t planned_ns, int64_t now) {
  delivery.issue_late_ns = now - planned_ns;
  delivery.issued_ns = now;
}

void add_on_host(uint64_t* word, uint64_t add) { __atomic_fetch_add(word, add, __ATOMIC_RELEASE); }

}  // namespace

Courier::Courier(const Settings& settings, Directory& directory, Device& device, Registry& registry, Recorder& recorder)
    : settings_(settings), directory_(directory), device_(device), registry_(registry), recorder_(recorder) {}

Courier::~Courier() { stop(); }

void Courier::start(SendArrived send_arrived, std::function<void()> housekeeping) {
  send_arrived_ = std::move(send_arrived);
  housekeeping_ = std::move(housekeeping);
  thread_ = std::thread([this] { run(); });
}

void Courier::stop() {
  stopping_.store(true);
  if (thread_.joinable()) thread_.join();
}

void Courier::deliver(Delivery delivery) {
  const std::lock_guard lock(inbox_mutex_);
  inbox_.push_back(std::move(delivery));
  inbox_filled_.store(true, std::memory_order_release);
}

void Courier::watch(int member) {
  const auto place = static_cast<size_t>(member);
  bounce_wanted_.fetch_or(uint64_t{1} << member);
  lost_[place].store(false);
  watched_[place].store(directory_.incarnation(member));
}

void Courier::run() {
  device_.enter_thread();
  while (!stopping_.load(std::memory_order_relaxed)) round();
}

void Courier::round() {
  registry_.follow_changes();
  prepare_for_peers();
  take_messages();
  take_inbox();
  const int64_t now = now_ns();
  for (size_t i = 0; i < open_.size(); ++i) advance(i, now);
  std::erase_if(open_, [&](Delivery& delivery) {
    if (!is_complete(delivery, now)) return false;
    finish(delivery);
    return true;
  });
  device_.set_busy(!open_.empty());
  if (now - peers_checked_ns_ > kPeerCheckNs) check_peers();
  // Ranks may outnumber the cores; a message is due microseconds from its posting at the earliest.
  if (open_.empty()) sched_yield();
}

// This takes milliseconds; it is done when a connection is made rather than when its first message is due.
void Courier::prepare_for_peers() {
  if (bounce_wanted_.load(std::memory_order_relaxed) == 0) return;
  device_.prepare();
  check_processors();
  const uint64_t wanted = bounce_wanted_.exchange(0);
  for (int member = 0; member < kMembersMax; ++member)
    if ((wanted >> member) & 1) bounce_on_device(member);
}

// With every peer that comes there are more threads.
void Courier::check_processors() {
  const int processes = std::popcount(directory_.living());
  if (processes <= processes_checked_) return;
  processes_checked_ = processes;
  const std::string doubt = processors_doubt(allowed_processors(), processes, settings_.host_puts);
  if (!doubt.empty()) log_warning(doubt);
}

const std::byte* Courier::bounce_on_device(int member) {
  BounceView& view = bounce_views_[static_cast<size_t>(member)];
  if (!view.asked) view = {true, device_.reach_host_memory(directory_.segment().bounce[member], kBounceBytes)};
  return view.on_device;
}

void Courier::take_messages() {
  for (int member = 0; member < kMembersMax; ++member) {
    while (const std::optional<Posted> posted = take_message(directory_.ring_from(member))) {
      Delivery delivery;
      delivery.message = posted->entry->message;
      delivery.from = member;
      delivery.posted = *posted;
      if (delivery.message.verb == Verb::Send) {
        send_arrived_(std::move(delivery));
      } else {
        open_.push_back(std::move(delivery));
      }
    }
  }
}

void Courier::take_inbox() {
  if (!inbox_filled_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(inbox_mutex_);
  for (Delivery& delivery : inbox_) open_.push_back(std::move(delivery));
  inbox_.clear();
  inbox_filled_.store(false, std::memory_order_relaxed);
}

void Courier::advance(size_t index, int64_t now) {
  Delivery& delivery = open_[index];
  if (now < delivery.wake_ns) return;
  drop_finished_tickets(delivery);
  if (!delivery.resolved && !resolve(delivery)) return;
  if (delivery.message.fails) return;
  while (!data_issued(delivery)) {
    const uint64_t before = delivery.issued_bytes;
    issue_data(delivery, now, has_signal(delivery) && earlier_messages_landed(index));
    if (delivery.issued_bytes == before) return;
  }
  if (has_signal(delivery) && !delivery.signal_issued) issue_signal(index, now);
}

bool Courier::resolve(Delivery& delivery) {
  delivery.resolved = resolve_target(delivery) && resolve_source(delivery) && resolve_signal(delivery);
  if (delivery.resolved && delivery.has_waited) wait_for_memory(delivery, settings_.link, now_ns());
  delivery.has_waited = !delivery.resolved;
  return delivery.resolved;
}

bool Courier::resolve_source(Delivery& delivery) {
  const Message& message = delivery.message;
  if (message.source == Source::Local) delivery.source = reinterpret_cast<const std::byte*>(message.source_offset);
  if (message.source == Source::Bounce) resolve_bounce(delivery);
  if (message.source != Source::Registered) return true;
  const std::byte* base = registry_.mapped(static_cast<int>(message.source_slot));
  if (base) delivery.source = base + message.source_offset;
  // Bytes that cannot be had: the request ends in an error at its time.
  if (!base) delivery.message.fails = 1;
  return true;
}

void Courier::resolve_bounce(Delivery& delivery) {
  std::byte* area = directory_.segment().bounce[delivery.from];
  const std::byte* on_device = bounce_on_device(delivery.from);
  // Bytes that end on the host are copied by this thread.
  delivery.from_host = delivery.to_host || !on_device;
  delivery.source = (delivery.from_host ? area : on_device) + delivery.message.source_offset;
}

bool Courier::resolve_target(Delivery& delivery) {
  if (delivery.to || delivery.message.bytes == 0) return true;
  const std::optional<LocalMemory> target = registry_.find(delivery.message.target);
  if (!target) return false;
  delivery.to = target->base + delivery.message.target_offset;
  delivery.to_host = target->host;
  return true;
}

bool Courier::resolve_signal(Delivery& delivery) {
  if (!has_signal(delivery)) return true;
  const std::optional<LocalMemory> memory = registry_.find(delivery.message.signal);
  if (!memory) return false;
  delivery.signal = reinterpret_cast<uint64_t*>(memory->base + delivery.message.signal_offset);
  delivery.signal_on_host = memory->host;
  return true;
}

void Courier::issue_data(Delivery& delivery, int64_t now, bool may_signal) {
  const Message& message = delivery.message;
  Move move = next_piece(delivery, device_.piece_bytes(message.bytes));
  const bool is_last = delivery.issued_bytes + move.bytes == message.bytes;
  const bool carries_signal = may_signal && is_last && all_in_order(delivery) && !delivery.signal_on_host &&
                              message.signal_due_ns == message.data_due_ns && device_.is_small(move);
  if (carries_signal) {
    move.signal = delivery.signal;
    move.add = message.signal_add;
  }
  // A signal of its own takes another lead after the bytes.
  const int64_t signal_lead = has_signal(delivery) ? device_.lead_ns(Move{.signal = delivery.signal}) : 0;
  const int64_t with_signal = piece_due_ns(delivery, settings_.link, move.bytes) - device_.lead_ns(move);
  const int64_t start = with_signal - (carries_signal ? 0 : signal_lead);
  if (now < start) {
    delivery.wake_ns = with_signal - signal_lead;
    return;
  }
  const std::optional<Ticket> ticket = device_.submit(move);
  if (!ticket) return;
  delivery.open.push_back(*ticket);
  delivery.issued_bytes += move.bytes;
  delivery.signal_issued = carries_signal;
  note_issue(delivery, start, now);
}

void Courier::issue_signal(size_t index, int64_t now) {
  Delivery& delivery = open_[index];
  const Move move{.signal = delivery.signal, .add = delivery.message.signal_add};
  delivery.wake_ns = delivery.message.signal_due_ns - (delivery.signal_on_host ? 0 : device_.lead_ns(move));
  if (now < delivery.wake_ns || !earlier_messages_landed(index)) return;
  if (!all_in_order(delivery) || (delivery.signal_on_host && !delivery.open.empty())) return;
  if (delivery.signal_on_host) {
    add_on_host(delivery.signal, delivery.message.signal_add);
  } else {
    const std::optional<Ticket> ticket = device_.submit(move);
    if (!ticket) return;
    delivery.open.push_back(*ticket);
  }
  delivery.signal_issued = true;
  note_issue(delivery, delivery.wake_ns, now);
}

bool Courier::earlier_messages_landed(size_t index) {
  const Delivery& delivery = open_[index];
  if (!delivery.message.strong) return true;
  for (size_t i = 0; i < index; ++i) {
    const Delivery& earlier = open_[i];
    if (earlier.from != delivery.from || earlier.message.domain != delivery.message.domain) continue;
    if (earlier.message.fails) continue;
    const bool sure = delivery.signal_on_host ? earlier.open.empty() : all_in_order(earlier);
    if (!data_issued(earlier) || !sure) return false;
  }
  return true;
}

void Courier::drop_finished_tickets(Delivery& delivery) {
  std::erase_if(delivery.open, [&](const Ticket& ticket) { return device_.is_finished(ticket); });
}

bool Courier::is_complete(Delivery& delivery, int64_t now) {
  if (!delivery.resolved) return false;
  if (delivery.message.fails) return now >= delivery.message.signal_due_ns;
  if (!data_issued(delivery) || (has_signal(delivery) && !delivery.signal_issued)) return false;
  drop_finished_tickets(delivery);
  return delivery.open.empty();
}

void Courier::finish(Delivery& delivery) {
  const int64_t now = now_ns();
  const bool failed = delivery.message.fails != 0;
  recorder_.arrived({.bytes = delivery.message.bytes,
                     .due_ns = delivery.message.signal_due_ns,
                     .in_place_ns = now - device_.calibration().report_ns,
                     .issue_late_ns = delivery.issue_late_ns,
                     .carry_ns = delivery.issued_ns ? now - delivery.issued_ns : 0,
                     .failed = failed});
  if (delivery.posted) finish_message(*delivery.posted, failed);
  if (!delivery.request) return;
  LocalRequest& request = *delivery.request;
  if (failed) request.failed.store(true, std::memory_order_relaxed);
  request.bytes += delivery.message.bytes;
  if (request.open_parts.fetch_sub(1) == 1) request.finished.store(true, std::memory_order_release);
}

void Courier::check_peers() {
  peers_checked_ns_ = now_ns();
  for (int member = 0; member < kMembersMax; ++member) {
    const auto place = static_cast<size_t>(member);
    const uint64_t incarnation = watched_[place].load();
    if (incarnation == 0 || lost_[place].load()) continue;
    // One that left in order has counted its incarnation up; what was still on its way to it ends in an error too.
    if (directory_.incarnation(member) != incarnation) {
      lost_[place].store(true);
    } else if (!directory_.is_alive(member)) {
      lost_[place].store(true);
      log_error("process " + std::to_string(directory_.segment().members[member].pid) +
                " of this session is gone; requests that concern it end in an error");
    }
  }
  housekeeping_();
}

}  // namespace cuco::nic
