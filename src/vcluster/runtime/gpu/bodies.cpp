#include "vcluster/runtime/gpu/bodies.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/recording/sample_account.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

// Operations and bytes of a thread: what asking for the body costs the run itself.
constexpr uint64_t kSmallWork = 64;

uint64_t amount_of(const BlockWork& work) {
  return std::accumulate(work.counters.begin(), work.counters.end(), uint64_t{0});
}

bool is_shared(uintptr_t address) { return address >= kSharedBase && address < kSharedEnd; }

// Nothing else of a block's is known to other threads, but for variables, which are given with their bytes.
GridBody::Stored stored_at(const Block& block, const StoredPlace& place) {
  auto shared = reinterpret_cast<uintptr_t>(block.shared_memory());
  if (place.address == 0) return {false, 0, UINTPTR_MAX};
  if (is_shared(place.address)) {
    uintptr_t begin = place.address - shared;
    return {true, begin, place.bytes > 0 ? begin + place.bytes : UINTPTR_MAX};
  }
  if (place.bytes > 0) return {false, place.address, place.address + place.bytes};
  auto owner = static_cast<size_t>(device_of(place.address));
  const Allocation* memory =
      owner < world->devices.size() ? world->devices[owner]->memory.find(place.address) : nullptr;
  return memory ? GridBody::Stored{false, memory->begin, memory->begin + memory->bytes} : GridBody::Stored{};
}

bool covers(const GridBody::Stored& stored, const Block& block, uintptr_t address) {
  if (stored.end == UINTPTR_MAX && !stored.in_shared_memory) return is_shared(address) || device_of(address) >= 0;
  if (stored.in_shared_memory != is_shared(address)) return false;
  uintptr_t place = stored.in_shared_memory ? address - reinterpret_cast<uintptr_t>(block.shared_memory()) : address;
  return place >= stored.begin && place < stored.end;
}

void refuse(GridBody& body, const std::string& reason) {
  body.refusal = body.report->reason = reason;
  if (body.left_out_count > 0) world->end_run("steered", 0);
}

}  // namespace

std::string GridBodies::describe(const BodySite& site) const {
  return concat(site.function, " at ", site.place, " in kernel ", grid_.launch().name);
}

GridBody& GridBodies::body_of(const BodySite& site) {
  for (GridBody& body : bodies_)
    if (body.site == &site) return body;
  std::string refusal = site.refusal ? site.refusal : "";
  BodyReport* report = &world->bodies[describe(site)];
  constexpr size_t kComparedCalls = 2;  // Enough to see what a body does where nobody asks for its time.
  CallSample sample(grid_.block_count(), keeps_validity ? kComparedCalls : BlockSample::kBlocks);
  return bodies_.emplace_back(GridBody{&site, std::move(sample), report, {}, refusal});
}

// Blocks whose results are compared make the calls of their first rounds.
bool GridBodies::may_leave_out(const Block& block, const GridBody& body, uint64_t round) const {
  constexpr uint64_t kComparedRounds = 8;
  if (keeps_validity && round < kComparedRounds && grid_.is_compared(block)) return false;
  return world->options.leaves_out_bodies && grid_.communicates && body.refusal.empty() &&
         body.sample.is_complete(round);
}

// The call of the running thread. Rounds that are long over are closed: not all threads of a block need make them.
BodyCall& GridBodies::call_of(Block& block, BlockBody& own, GridBody& body, uint64_t round) {
  if (round < own.calls.size()) return own.calls[round];
  BodyCall& call = own.calls.emplace_back(BodyCall{&body, round});
  if (may_leave_out(block, body, round)) {
    call.is_made = call.is_open = false;
    block.misled = true;
    body.left_out_count++;
    BlockWork work = body.sample.estimate(round, block.index());
    block.count(work);
    sample_account().stood_for += operations_of(work.counters);
  }
  call.waits_before = block.waits();
  body.report->total++;
  body.report->run += call.is_made;
  if (round >= 2 && own.calls[round - 2].last_turn < block.turn()) close(block, own.calls[round - 2]);
  return call;
}

bool GridBodies::begin(Block& block, const BodySite& site, std::span<const StoredPlace> stores) {
  GridBody& body = body_of(site);
  if (body.is_small) return true;
  BlockBody& own = block.body_of(site);
  uint64_t round = own.next_round[current_thread->index]++;
  if (round == own.calls.size())
    for (const StoredPlace& place : stores) note_store(block, body, place);
  BodyCall& call = call_of(block, own, body, round);
  if (call.is_made) block.enter_body(call);
  return call.is_made;
}

void GridBodies::end(Block& block) {
  BodyCall* call = block.leave_body();
  if (call && call->inside_count == 0 && call->entered_count == block.live_count()) close(block, *call);
}

void GridBodies::end_block(Block& block) {
  bool is_whole = true;
  for (BlockBody& own : block.bodies())
    for (BodyCall& call : own.calls) close(block, call), is_whole = is_whole && call.is_made;
  sample_account().blocks_in_part += !is_whole;
}

void GridBodies::close(const Block& block, BodyCall& call) {
  if (!call.is_open || call.inside_count > 0) return;
  GridBody& body = *call.body;
  call.is_open = false;
  call.work.waits = block.waits() - call.waits_before;
  body.sample.add(call.round, block.index(), call.work);
  if (call.work.counters[PeerBytes] > 0 && body.refusal.empty()) refuse(body, "it reaches a peer's memory");
  if (!body.sample.is_complete(call.round)) return;
  body.is_small = body.left_out_count == 0 && amount_of(call.work) < kSmallWork * block.threads().size();
  if (!body.is_small) body.report->reason = body.refusal;
}

void GridBodies::note_store(const Block& block, GridBody& body, const StoredPlace& place) {
  GridBody::Stored stored = stored_at(block, place);
  if (std::find(body.stores.begin(), body.stores.end(), stored) == body.stores.end()) body.stores.push_back(stored);
}

void GridBodies::steer(const Block& block, uintptr_t address) {
  for (GridBody& body : bodies_) {
    if (!body.refusal.empty() || body.is_small) continue;
    auto is_stored = [&](const GridBody::Stored& stored) { return covers(stored, block, address); };
    if (std::any_of(body.stores.begin(), body.stores.end(), is_stored))
      refuse(body, concat("the kernel decides what to do by memory that it stores to",
                          current_thread->place ? concat(", near ", current_thread->place) : ""));
  }
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

int cuco_body_begin(const BodySite* site, const StoredPlace* stores, uint64_t count) {
  if (!current_thread || !world->options.sample) return 1;
  return current_block->grid().bodies().begin(*current_block, *site, {stores, count});
}

void cuco_body_end() {
  if (current_thread && world->options.sample) current_block->grid().bodies().end(*current_block);
}

void cuco_steer(const void* address) {
  // A thread's own locals, most of what is announced, are in no body's stores.
  auto place = reinterpret_cast<uintptr_t>(address);
  if (current_thread && !current_thread->body && world->options.sample && !on_running_stack(place))
    current_block->grid().bodies().steer(*current_block, place);
}
}
