#include "vcluster/runtime/harness/access.h"

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/gpu/memory.h"

namespace cuco::vcluster {

void note_local_access(const void* lane, const void* memory, size_t bytes, AccessKind kind, const std::string& what) {
  int device = device_of(reinterpret_cast<uintptr_t>(memory));
  if (device < 0) return;
  uint32_t id = races().begin_operation(lane, device, what);
  races().start_operation(id);
  races().access_by(id, memory, bytes, kind);
  races().end_operation(id);
  races().host_learns(id);
}

void note_outputs_read(const void* lane, const std::vector<HarnessBuffer>& buffers, uint32_t call) {
  for (const HarnessBuffer& buffer : buffers)
    if (buffer.said.role == kOutputRole)
      note_local_access(
          lane, buffer.said.pointer, buffer.bytes(), AccessKind::Read,
          concat("the program, which looks at output ", buffer.name, " at the return of call ", call, ","));
}

void note_buffers_written(const void* lane, const std::vector<HarnessBuffer>& buffers, uint32_t call) {
  for (const HarnessBuffer& buffer : buffers)
    note_local_access(lane, buffer.said.pointer, buffer.bytes(), AccessKind::Write,
                      concat("the program, which fills ", buffer.name, " anew at the start of call ", call, ","));
}

}  // namespace cuco::vcluster
