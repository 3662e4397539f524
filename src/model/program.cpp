#include "model/program.h"

#include "base/text.h"
#include "model/enum_names.h"

namespace cuco::model {

std::string_view name_of(OperationKind kind) {
  static constexpr std::array<std::string_view, 31> kNames = {"launch",
                                                              "library",
                                                              "communicate",
                                                              "copy",
                                                              "set",
                                                              "allocate",
                                                              "free",
                                                              "stream_create",
                                                              "stream_destroy",
                                                              "event_create",
                                                              "event_destroy",
                                                              "event_record",
                                                              "stream_wait_event",
                                                              "event_elapsed",
                                                              "host_sync",
                                                              "group_start",
                                                              "group_end",
                                                              "comm_init",
                                                              "comm_destroy",
                                                              "window_register",
                                                              "window_deregister",
                                                              "dev_comm_create",
                                                              "dev_comm_destroy",
                                                              "graph_capture",
                                                              "mpi",
                                                              "host_callback",
                                                              "clock_read",
                                                              "range_begin",
                                                              "range_end",
                                                              "region_begin",
                                                              "region_end"};
  return name_in<OperationKind::RegionEnd>(kNames, kind);
}

std::string_view name_of(BufferKind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"device",      "device_async", "nccl_memory", "managed",
                                                             "pinned_host", "symbol",       "host",        "external"};
  return name_in<BufferKind::External>(kNames, kind);
}

std::string_view name_of(StreamKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"legacy", "per_thread", "blocking", "non_blocking",
                                                             "external"};
  return name_in<StreamKind::External>(kNames, kind);
}

std::string_view name_of(Access access) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "read", "write", "read_write"};
  return name_in<Access::ReadWrite>(kNames, access);
}

std::string_view name_of(DeviceCommKind kind) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "lsa_pointer", "multimem",  "lsa_barrier", "gin_barrier", "hybrid_barrier", "gin_put", "gin_signal",
      "gin_wait",    "gin_flush", "gin_other",   "ll"};
  return name_in<DeviceCommKind::Ll>(kNames, kind);
}

std::string_view name_of(RankModel model) {
  static constexpr std::array<std::string_view, 4> kNames = {"mpi", "threads", "single_process", "unknown"};
  return name_in<RankModel::Unknown>(kNames, model);
}

std::string_view name_of(CopyKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"host_to_device", "device_to_host", "device_to_device",
                                                             "host_to_host", "unknown"};
  return name_in<CopyKind::Unknown>(kNames, kind);
}

std::string_view name_of(LoopKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {"for", "while", "do", "range"};
  return name_in<LoopKind::Range>(kNames, kind);
}

std::string_view name_of(RegionBasis basis) {
  static constexpr std::array<std::string_view, 8> kNames = {"events",        "clock", "ranges",  "loop",
                                                             "first_to_last", "named", "harness", "none"};
  return name_in<RegionBasis::None>(kNames, basis);
}

std::string_view name_of(CommunicatorOrigin origin) {
  static constexpr std::array<std::string_view, 4> kNames = {"init_rank", "init_all", "split", "external"};
  return name_in<CommunicatorOrigin::External>(kNames, origin);
}

std::string_view name_of(SyncScope scope) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "device", "stream", "event"};
  return name_in<SyncScope::Event>(kNames, scope);
}

std::string location_text(const Program& program, const SourceRange& range) {
  if (range.file >= program.files.size()) return {};
  return concat(program.files[range.file].path, ":", range.line, ":", range.column);
}

bool is_device_work(OperationKind kind) {
  switch (kind) {
    case OperationKind::Launch:
    case OperationKind::Library:
    case OperationKind::Communicate:
    case OperationKind::Copy:
    case OperationKind::Set:
      return true;
    default:
      return false;
  }
}

}  // namespace cuco::model
