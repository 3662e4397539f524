#include "vcluster/runtime/api/libraries/library_call.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/ownership.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

template <typename Visit>
void for_each_run(const Operand& operand, const Visit& visit) {
  auto element = static_cast<long long>(operand.element_bytes);
  bool is_dense = operand.shape == Shape::Full && operand.ld == operand.rows;
  long long columns = is_dense ? (operand.columns > 0 ? 1 : 0) : operand.columns;
  for (long long column = 0; column < columns; column++) {
    long long first = 0, count = is_dense ? operand.rows * operand.columns : operand.rows;
    if (operand.shape == Shape::Upper) count = std::min(operand.rows, column + 1);
    if (operand.shape == Shape::Lower) first = std::min(operand.rows, column), count = operand.rows - first;
    if (count > 0)
      visit(static_cast<const char*>(operand.data) + (column * operand.ld + first) * element,
            static_cast<size_t>(count * element));
  }
}

size_t bytes_of(const Operand& operand) {
  return static_cast<size_t>(operand.rows * operand.columns) * operand.element_bytes;
}

// What a stretch of the call's memory means to the checkers.
void note_run(const void* begin, size_t bytes, Use use, uint32_t race_id, const std::string& what) {
  check_library_range(begin, bytes, what);
  if (use != Use::Write) {
    check_library_read(begin, bytes, what);
    races().access_by(race_id, begin, bytes, AccessKind::Read);
  }
  if (use == Use::Read) return;
  races().access_by(race_id, begin, bytes, AccessKind::Write);
  note_write(begin, bytes, what);
}

// All reads before all writes: a call may have the same memory for both.
void note_operands(const std::vector<Operand>& operands, const Process& process, uint32_t race_id,
                   const std::string& what) {
  // Device memory that was never allocated shows when it is touched, or below.
  for (const Operand& operand : operands)
    for_each_run(operand, [&](const void* begin, size_t bytes) {
      if (is_on_host(begin) || allocation_at(begin)) check_buffer(process, begin, bytes, what);
    });
  if (!world->options.check) return;
  for (bool writes : {false, true})
    for (const Operand& operand : operands) {
      if (operand.use == Use::Update || (operand.use == Use::Write) == writes)
        for_each_run(operand, [&](const void* begin, size_t bytes) {
          note_run(begin, bytes, writes ? Use::Write : Use::Read, race_id, what);
        });
    }
}

size_t bytes_of(const std::vector<Operand>& operands) {
  size_t bytes = 0;
  for (const Operand& operand : operands) bytes += bytes_of(operand);
  return bytes;
}

bool reads_what_is_valid(const std::vector<Operand>& operands) {
  bool all = true;
  for (const Operand& operand : operands)
    for_each_run(operand, [&](const void* begin, size_t bytes) {
      auto address = reinterpret_cast<uintptr_t>(begin);
      if (operand.use != Use::Write && device_of(address) >= 0) all = validity().is_valid(address, bytes) && all;
    });
  return all;
}

void note_validity(const std::vector<Operand>& operands, bool is_right) {
  for (const Operand& operand : operands)
    for_each_run(operand, [&](const void* begin, size_t bytes) {
      auto address = reinterpret_cast<uintptr_t>(begin);
      if (operand.use == Use::Read || device_of(address) < 0) return;
      validity().forget(address, bytes);
      if (is_right) validity().write(address, bytes, !validity().is_apart && !validity().host_is_misled);
    });
}

void run(const LibraryCall& call, const Process& process, uint32_t race_id, const std::string& what) {
  note_operands(call.operands, process, race_id, what);
  if (call.late_operands) note_operands(call.late_operands(), process, race_id, what);
  std::vector<Operand> operands = call.operands;
  if (call.late_operands) std::ranges::copy(call.late_operands(), std::back_inserter(operands));
  bool is_right = keeps_validity && reads_what_is_valid(operands), computes = world->moves(bytes_of(call.operands));
  if (computes) call.compute();
  if (keeps_validity) note_validity(operands, is_right && computes);
}

OperationPtr submit(Stream& on, const LibraryCall& call, const Process& process, const std::string& what) {
  OperationPtr made = on.submit(call.name, world->costs.launch, [&on, call, &process, what](Operation& self) {
    self.work = work_of(call.work);
    self.alone = time_on(on.device(), self.work);
    Time end = world->now() + self.alone;
    world->timeline.add_span(self.rank, Category::Compute, world->now(), end);
    world->events.at(end, [&self, call, &process, what] {
      run(call, process, self.race_id, what);
      self.finish();
    });
  });
  for (const Operand& operand : call.operands)
    for_each_run(operand, [&](const void* begin, size_t bytes) {
      host_races().on_queued(*made, begin, bytes, operand.use != Use::Read, what);
    });
  return made;
}

}  // namespace

Operand vector_operand(const void* data, size_t element_bytes, long long count, long long increment, Use use) {
  increment = std::abs(increment);
  if (increment == 1) return {data, element_bytes, count, 1, count, use};
  return {data, element_bytes, 1, count, increment, use};
}

bool issue_library_call(cudaStream_t named, LibraryCall call, Await await) {
  Stream* stream = stream_of(named);
  if (!stream || state_of(stream->device()) != cudaSuccess) return false;
  std::string what = call.name + at_call_site();
  const Process& process = current_process();
  world->pass_time(world->costs.host_call);
  OperationPtr made = stream->issue([call, &process, what](Stream& on) { return submit(on, call, process, what); });
  if (await == Await::TheEnd && made) wait_on_host(made);
  return state_of(stream->device()) == cudaSuccess;
}

void check_host_argument(const void* address, size_t bytes, const std::string& name) {
  check_buffer(current_process(), address, bytes, name);
}

bool is_on_host(const void* address) { return device_of(reinterpret_cast<uintptr_t>(address)) < 0; }

}  // namespace cuco::vcluster
