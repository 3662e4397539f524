// What NCCL 2.30 adds to the device side: gets, and signals that are words of a window.
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/nccl/gin.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/engine/pollers.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

uint64_t* word_at(const DevCommRank& rank, ncclWindow_t window, size_t offset) {
  return reinterpret_cast<uint64_t*>(window_of(window)->base(rank.rank) + offset);
}

// The request travels to the peer, whose link sends the bytes back. Both the read there and the write here are over
// when a flush of the context is.
void get(const GinRequest& request) {
  DevCommRank& self = rank_of(request.comm);
  DevCommRank& peer = peer_of(request);
  if (request.bytes == 0) return;
  check_window_range(self, request.source_window, request.source_offset, request.bytes, peer.rank, "a get");
  check_window_range(self, request.target_window, request.target_offset, request.bytes, self.rank, "a get");
  current_block->grid().traffic.add(peer.device->rank, self.device->rank, model::Carrier::Gin, request.bytes);
  Time request_arrives = schedule(self, peer, 0, world->now()).arrival;
  Schedule when = schedule(peer, self, request.bytes, request_arrives);
  GinContext& context = context_of(self, request.context);
  context.sources_read = std::max(context.sources_read, when.arrival);
  const char* place = current_thread->place;
  std::string what = concat("a get from rank ", peer.rank, place ? " at " : "", place ? place : "");
  const char* source = window_of(request.source_window)->base(peer.rank) + request.source_offset;
  char* target = window_of(request.target_window)->base(self.rank) + request.target_offset;
  PutActors actors = races().post(&context, &context.last_arrival[static_cast<size_t>(peer.rank)], what, nullptr);
  races().access_by(actors.source, source, request.bytes, AccessKind::Read);
  auto payload = std::make_shared<std::vector<char>>(request.bytes);
  auto written = std::make_shared<WrittenFlags>();
  auto valid = std::make_shared<TakenBytes>();
  bool is_right = keeps_validity && !is_misled();
  valid->size = request.bytes;
  world->events.at(when.source_read, [payload, written, valid, source, is_right] {
    if (is_right) *valid = validity().take(reinterpret_cast<uintptr_t>(source), payload->size());
    std::memcpy(payload->data(), source, payload->size());
    *written = take_written(source, payload->size());
  });
  races().access_by(actors.source, target, request.bytes, AccessKind::Write);
  races().finish(actors);
  world->events.at(when.arrival, [payload, written, valid, target] {
    give_written(target, *written);
    std::memcpy(target, payload->data(), payload->size());
    if (keeps_validity) validity().give(reinterpret_cast<uintptr_t>(target), *valid);
    world->note_progress();
  });
}

}  // namespace

WaitedValue& va_signal(DevCommRank& rank, ncclWindow_t window, size_t offset) {
  check_window_range(rank, window, offset, sizeof(uint64_t), rank.rank, "a VA signal");
  uint64_t* word = word_at(rank, window, offset);
  if (reinterpret_cast<uintptr_t>(word) % sizeof(uint64_t) != 0)
    misuse("memory_access", rank.rank, concat("a VA signal at offset ", offset, " is not aligned to 8 bytes"));
  WaitedValue& signal = rank.va_signals[word];
  signal.value = *word;
  return signal;
}

void raise_va_signal(const DevCommRank& rank, const GinRequest& request, WaitedValue& signal, uint32_t signaller) {
  uint64_t* word = word_at(rank, request.signal_window, request.signal_offset);
  races().access_by(signaller, word, sizeof *word, AccessKind::AtomicUpdate);
  signal.value = *word;
  *word += request.signal_value;
  note_write(word, sizeof *word, "a VA signal");
  signal.add(request.signal_value);
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

void cuco_gin_get(const GinRequest* request) {
  current_block->catch_up();
  get(*request);
}
uint64_t cuco_gin_read_va_signal_from(const ncclDevComm* comm, ncclWindow_t window, size_t offset, const char* stack) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& signal = va_signal(self, window, offset);
  signal.ledger.on_read();
  pollers().look({word_at(self, window, offset), signal.value, 8, false, stack});
  signal.value = *word_at(self, window, offset);
  races().see_signal(&signal, signal.value);
  return signal.value;
}
uint64_t cuco_gin_wait_va_signal(const ncclDevComm* comm, ncclWindow_t window, size_t offset, uint64_t least,
                                 int bits) {
  WaitedValue& signal = va_signal(rank_of(comm), window, offset);
  races().begin_wait(&signal, least);
  uint64_t reached = wait_until(signal, WaitKind::Signal, static_cast<uint32_t>(offset), least, bits);
  races().see_signal(&signal, without_rolling(least, reached, bits));
  return reached;
}
void cuco_gin_reset_va_signal(const ncclDevComm* comm, ncclWindow_t window, size_t offset) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& signal = va_signal(self, window, offset);
  signal.ledger.on_reset(signal.value, self.rank, cuco::concat("VA signal at offset ", offset));
  races().reset_value(&signal);
  *word_at(self, window, offset) = signal.value = 0;
}
}
