#include "frontend/device_calls.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace cuco::frontend {
namespace {

using model::DeviceCommKind;

constexpr KnownCall plain(std::string_view name, std::string_view effects, AddressFlow flow = AddressFlow::None) {
  return {name, effects, CallRole::Access, flow, {}};
}

constexpr KnownCall barrier(std::string_view name, CallRole role = CallRole::BlockBarrier) {
  return {name, "", role, AddressFlow::None, {}};
}

constexpr KnownCall comm(std::string_view name, DeviceCommKind kind, std::string_view effects = "",
                         AddressFlow flow = AddressFlow::None) {
  return {name, effects, CallRole::Communication, flow, kind};
}

// The first row that matches counts, so exceptions stand before their family.
constexpr KnownCall kKnownCalls[] = {
    barrier("cuco_syncthreads"),
    barrier("__syncthreads"),
    barrier("__syncthreads_*"),
    barrier("__barrier_sync*"),
    barrier("cuda::barrier::arrive_and_wait"),
    barrier("cooperative_groups::thread_block::sync"),
    barrier("cooperative_groups::thread_group::sync"),
    barrier("cooperative_groups::grid_group::sync", CallRole::GridBarrier),
    barrier("ncclCoopCta::sync"),
    // The stand-ins' own hooks: whatever they read or write, the calls around them say so.
    plain("cuco_*", ""),

    plain("atomic*", "b"),
    plain("__ldg", "r"),
    plain("__ldca", "r"),
    plain("__ldcg", "r"),
    plain("__ldcs", "r"),
    plain("__ldcv", "r"),
    plain("__ldlu", "r"),
    plain("__stcg", "w"),
    plain("__stcs", "w"),
    plain("__stwb", "w"),
    plain("__stwt", "w"),
    plain("__cvta_*", "", AddressFlow::FirstReturned),
    plain("__is*", ""),
    plain("__prefetch*", ""),

    plain("printf", ""),
    plain("assert", ""),
    plain("__assert*", ""),
    plain("malloc", ""),
    plain("free", ""),
    plain("memcpy", "wr", AddressFlow::Copied),
    plain("memmove", "wr", AddressFlow::Copied),
    plain("memset", "w", AddressFlow::FirstReturned),
    plain("memcmp", "rr"),
    plain("__builtin_memcpy", "wr", AddressFlow::Copied),
    plain("__builtin_memmove", "wr", AddressFlow::Copied),
    plain("__builtin_memset", "w", AddressFlow::FirstReturned),
    plain("__builtin_memcmp", "rr"),
    plain("__builtin_assume_aligned", "", AddressFlow::FirstReturned),
    plain("cuda::memcpy_async", "wr"),
    plain("cooperative_groups::memcpy_async", "wr"),
    plain("__pipeline_memcpy_async", "wr"),
    plain("nvcuda::wmma::load_matrix_sync", "r"),
    plain("nvcuda::wmma::store_matrix_sync", "w"),

    plain("ncclGetLocalPointer", "", AddressFlow::FirstReturned),
    comm("ncclGetLsaPointer", DeviceCommKind::LsaPointer, "", AddressFlow::FirstReturned),
    comm("ncclGetPeerPointer", DeviceCommKind::LsaPointer, "", AddressFlow::FirstReturned),
    comm("ncclGetMultimemPointer", DeviceCommKind::Multimem, "", AddressFlow::FirstReturned),
    comm("ncclGetLsaMultimemPointer", DeviceCommKind::Multimem, "", AddressFlow::FirstReturned),
    comm("ncclLsaBarrierSession::sync", DeviceCommKind::LsaBarrier),
    comm("ncclLsaBarrierSession::arrive", DeviceCommKind::LsaBarrier),
    comm("ncclLsaBarrierSession::wait", DeviceCommKind::LsaBarrier),
    comm("ncclGinBarrierSession::sync", DeviceCommKind::GinBarrier),
    comm("ncclBarrierSession::sync", DeviceCommKind::HybridBarrier),
    comm("ncclGin_BackendMask::put", DeviceCommKind::GinPut, "wr"),
    comm("ncclGin_BackendMask::putValue", DeviceCommKind::GinPut, "w"),
    comm("ncclGin_BackendMask::signal", DeviceCommKind::GinSignal),
    comm("ncclGin_BackendMask::flush", DeviceCommKind::GinFlush),
    comm("ncclGin_BackendMask::waitSignalFollowShadow", DeviceCommKind::GinWait, "ww"),
    comm("ncclGin_BackendMask::wait*", DeviceCommKind::GinWait),
    plain("ncclGin_BackendMask::ncclGin_BackendMask", ""),
    comm("ncclGin_BackendMask::*", DeviceCommKind::GinOther),
    comm("ncclLLA2ASession::send", DeviceCommKind::Ll),
    comm("ncclLLA2ASession::bcast", DeviceCommKind::Ll),
    comm("ncclLLA2ASession::recv*", DeviceCommKind::Ll),
    comm("ncclLLA2ASession::endEpoch", DeviceCommKind::Ll),
};

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

}  // namespace

const KnownCall* find_known_call(std::string_view qualified_name) {
  auto row = std::find_if(std::begin(kKnownCalls), std::end(kKnownCalls),
                          [&](const KnownCall& call) { return matches(call.name, qualified_name); });
  return row == std::end(kKnownCalls) ? nullptr : &*row;
}

model::Access access_of_letter(char letter) {
  switch (letter) {
    case 'r':
      return model::Access::Read;
    case 'w':
      return model::Access::Write;
    case 'b':
      return model::Access::ReadWrite;
    default:
      return model::Access::None;
  }
}

std::string shown_callee(const std::string& qualified_name) {
  return replace_all(qualified_name, "ncclGin_BackendMask", "ncclGin");
}

}  // namespace cuco::frontend
