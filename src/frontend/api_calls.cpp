#include "frontend/api_calls.h"

#include <algorithm>
#include <deque>

#include "base/text.h"

namespace cuco::frontend {

namespace {

using enum Role;
using Kind = model::OperationKind;
using model::BufferKind;
using model::SyncScope;

std::vector<ApiCall> memory_calls() {
  return {
      {"cudaMalloc", Kind::Allocate, {NewBuffer, AllocationBytes}},
      {"cudaMallocPitch", Kind::Allocate, {NewBuffer, Out}},
      {"cudaMallocAsync", Kind::Allocate, {NewBuffer, AllocationBytes, Ignored, Stream}, BufferKind::DeviceAsync},
      {"cudaMallocFromPoolAsync",
       Kind::Allocate,
       {NewBuffer, AllocationBytes, Ignored, Stream},
       BufferKind::DeviceAsync},
      {"cudaMallocManaged", Kind::Allocate, {NewBuffer, AllocationBytes}, BufferKind::Managed},
      {"cudaMallocHost", Kind::Allocate, {NewBuffer, AllocationBytes}, BufferKind::PinnedHost},
      {"cudaHostAlloc", Kind::Allocate, {NewBuffer, AllocationBytes}, BufferKind::PinnedHost},
      {"ncclMemAlloc", Kind::Allocate, {NewBuffer, AllocationBytes}, BufferKind::NcclMemory},
      {"cudaFree", Kind::Free, {OldBuffer}},
      {"cudaFreeAsync", Kind::Free, {OldBuffer, Stream}},
      {"cudaFreeHost", Kind::Free, {OldBuffer}},
      {"ncclMemFree", Kind::Free, {OldBuffer}},
      {"cudaMemcpy", Kind::Copy, {Destination, Source, Bytes, CopyKind}, {}, {}, true},
      {"cudaMemcpyAsync", Kind::Copy, {Destination, Source, Bytes, CopyKind, Stream}},
      {"cudaMemcpyPeer", Kind::Copy, {Destination, Ignored, Source, Ignored, Bytes}, {}, {}, true},
      {"cudaMemcpyPeerAsync", Kind::Copy, {Destination, Ignored, Source, Ignored, Bytes, Stream}},
      {"cudaMemcpy2D", Kind::Copy, {Destination, Ignored, Source, Ignored, Ignored, Ignored, CopyKind}, {}, {}, true},
      {"cudaMemcpy2DAsync", Kind::Copy, {Destination, Ignored, Source, Ignored, Ignored, Ignored, CopyKind, Stream}},
      {"cudaMemcpyToSymbol", Kind::Copy, {Destination, Source, Bytes, Ignored, CopyKind}, {}, {}, true},
      {"cudaMemcpyToSymbolAsync", Kind::Copy, {Destination, Source, Bytes, Ignored, CopyKind, Stream}},
      {"cudaMemcpyFromSymbol", Kind::Copy, {Destination, Source, Bytes, Ignored, CopyKind}, {}, {}, true},
      {"cudaMemcpyFromSymbolAsync", Kind::Copy, {Destination, Source, Bytes, Ignored, CopyKind, Stream}},
      {"cudaMemset", Kind::Set, {Destination, Ignored, Bytes}},
      {"cudaMemsetAsync", Kind::Set, {Destination, Ignored, Bytes, Stream}},
      {"cudaMemset2DAsync", Kind::Set, {Destination, Ignored, Ignored, Ignored, Ignored, Stream}},
  };
}

std::vector<ApiCall> stream_calls() {
  return {
      {"cudaStreamCreate", Kind::StreamCreate, {NewStream}},
      {"cudaStreamCreateWithFlags", Kind::StreamCreate, {NewStream, StreamFlags}},
      {"cudaStreamCreateWithPriority", Kind::StreamCreate, {NewStream, StreamFlags, Priority}},
      {"cudaStreamDestroy", Kind::StreamDestroy, {Stream}},
      {"cudaEventCreate", Kind::EventCreate, {NewEvent}},
      {"cudaEventCreateWithFlags", Kind::EventCreate, {NewEvent}},
      {"cudaEventDestroy", Kind::EventDestroy, {Event}},
      {"cudaEventRecord", Kind::EventRecord, {Event, Stream}},
      {"cudaEventRecordWithFlags", Kind::EventRecord, {Event, Stream}},
      {"cudaStreamWaitEvent", Kind::StreamWaitEvent, {Stream, Event}},
      {"cudaEventElapsedTime", Kind::EventElapsed, {Out, Event, EndEvent}},
      {"cudaDeviceSynchronize", Kind::HostSync, {}, {}, SyncScope::Device, true},
      {"cudaStreamSynchronize", Kind::HostSync, {Stream}, {}, SyncScope::Stream, true},
      {"cudaEventSynchronize", Kind::HostSync, {Event}, {}, SyncScope::Event, true},
      {"cudaStreamBeginCapture", Kind::GraphCapture, {Stream}},
      {"cudaStreamEndCapture", Kind::GraphCapture, {Stream, Out}},
      {"cudaGraphLaunch", Kind::GraphCapture, {Ignored, Stream}},
      {"cudaLaunchHostFunc", Kind::HostCallback, {Stream}},
      {"cudaStreamAddCallback", Kind::HostCallback, {Stream}},
      {"cudaLaunchKernel", Kind::Launch, {Kernel, Grid, Block, KernelArguments, SharedBytes, Stream}},
      {"cudaLaunchCooperativeKernel",
       Kind::Launch,
       {Kernel, Grid, Block, KernelArguments, SharedBytes, Stream},
       {},
       {},
       false,
       true},
      {"cudaLaunchKernelEx", Kind::Launch, {LaunchConfig, Kernel}},
      {"cudaLaunchKernelExC", Kind::Launch, {LaunchConfig, Kernel, KernelArguments}},
  };
}

// (send, receive, count, type, op, root or peer, comm, stream), each where the collective has it.
ApiCall call_of(const model::CollectiveTraits& traits) {
  ApiCall call{traits.callee, Kind::Communicate, {}};
  if (traits.senders != model::Ranks::None) call.roles.push_back(SendBuffer);
  if (traits.receivers != model::Ranks::None) call.roles.push_back(RecvBuffer);
  call.roles.insert(call.roles.end(), {Count, Type});
  if (traits.reduces) call.roles.push_back(Reduction);
  if (traits.is_rooted() || model::is_transfer(traits.collective)) call.roles.push_back(Peer);
  call.roles.insert(call.roles.end(), {Comm, Stream});
  return call;
}

std::vector<ApiCall> collective_calls() {
  std::vector<ApiCall> calls;
  for (const model::CollectiveTraits& traits : model::all_collectives()) calls.push_back(call_of(traits));
  return calls;
}

std::vector<ApiCall> nccl_calls() {
  return {
      {"ncclBcast", Kind::Communicate, {RecvBuffer, Count, Type, Peer, Comm, Stream}},
      {"ncclGroupStart", Kind::GroupStart, {}},
      {"ncclGroupEnd", Kind::GroupEnd, {}},
      {"ncclGroupSimulateEnd", Kind::GroupEnd, {Out}},
      {"ncclCommInitRank", Kind::CommInit, {NewComm, RankCount}},
      {"ncclCommInitRankConfig", Kind::CommInit, {NewComm, RankCount}},
      {"ncclCommInitRankScalable", Kind::CommInit, {NewComm, RankCount}},
      {"ncclCommInitAll", Kind::CommInit, {NewComm, RankCount}},
      {"ncclCommSplit", Kind::CommInit, {Comm, Ignored, Ignored, NewComm}},
      {"ncclCommShrink", Kind::CommInit, {Comm, Ignored, Ignored, NewComm}},
      {"ncclCommDestroy", Kind::CommDestroy, {Comm}},
      {"ncclCommAbort", Kind::CommDestroy, {Comm}},
      {"ncclCommFinalize", Kind::CommDestroy, {Comm}},
      {"ncclCommWindowRegister", Kind::WindowRegister, {Comm, OldBuffer, Ignored, NewWindow}},
      {"ncclCommWindowDeregister", Kind::WindowDeregister, {Comm, Window}},
      {"ncclDevCommCreate", Kind::DevCommCreate, {Comm, Ignored, Out}},
      {"ncclDevCommDestroy", Kind::DevCommDestroy, {Comm}},
  };
}

// The numerical libraries. A letter for each argument: h the handle, which holds the stream, r read, w written, u both,
// o a result that is not followed, s the stream. Names stand for each of the prefixes in front of them.
struct LibraryRow {
  std::string_view library, types, name, arguments;
};
constexpr LibraryRow kLibraryRows[] = {
    {"cublas", "Is Id Ic Iz", "amax", "h.r.o"},
    {"cublas", "Is Id Ic Iz", "amin", "h.r.o"},
    {"cublas", "S D Sc Dz", "asum", "h.r.o"},
    {"cublas", "S D Sc Dz", "nrm2", "h.r.o"},
    {"cublas", "S D C Z", "axpy", "h..r.u"},
    {"cublas", "S D C Z", "copy", "h.r.w"},
    {"cublas", "S D C Z", "swap", "h.u.u"},
    {"cublas", "S D C Z Cs Zd", "scal", "h..u"},
    {"cublas", "Sdot Ddot Cdotu Cdotc Zdotu Zdotc", "", "h.r.r.o"},
    {"cublas", "S D", "rot", "h.u.u"},
    {"cublas", "S D C Z", "gemv", "h....r.r..u"},
    {"cublas", "S D C Z", "gbmv", "h......r.r..u"},
    {"cublas", "S D C Z", "gemvStridedBatched", "h....r..r...u"},
    {"cublas", "Sger Dger Cgeru Cgerc Zgeru Zgerc", "", "h...r.r.u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "mv", "h...r.r..u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "r", "h...r.u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "r2", "h...r.r.u"},
    {"cublas", "S D C Z", "trmv", "h....r.u"},
    {"cublas", "S D C Z", "trsv", "h....r.u"},
    {"cublas", "S D C Z H", "gemm", "h......r.r..u"},
    {"cublas", "C Z", "gemm3m", "h......r.r..u"},
    {"cublas", "S D C Z H", "gemmBatched", "h......r.r..u"},
    {"cublas", "S D C Z H", "gemmStridedBatched", "h......r..r...u"},
    {"cublas", "Gemm Sgemm", "Ex", "h......r..r...u"},
    {"cublas", "Gemm", "BatchedEx", "h......r..r...u"},
    {"cublas", "Gemm", "StridedBatchedEx", "h......r...r....u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "mm", "h.....r.r..u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "rk", "h.....r..u"},
    {"cublas", "Ssy Dsy Csy Zsy Che Zhe", "r2k", "h.....r.r..u"},
    {"cublas", "S D C Z", "syrkx", "h.....r.r..u"},
    {"cublas", "S D C Z", "trmm", "h.......r.r.w"},
    {"cublas", "S D C Z", "trsm", "h.......r.u"},
    {"cublas", "S D C Z", "trsmBatched", "h.......r.u"},
    {"cublas", "S D C Z", "geam", "h.....r..r.w"},
    {"cublas", "S D C Z", "dgmm", "h...r.r.w"},
    {"cublas", "S D C Z", "getrfBatched", "h.u.ww"},
    {"cublas", "S D C Z", "getriBatched", "h.r.ru.w"},
    {"cublas", "S D C Z", "getrsBatched", "h...r.ru"},
    {"cublas", "S D C Z", "matinvBatched", "h.r.u.w"},
    {"cublas", "Axpy", "Ex", "h...r..u"},
    {"cublas", "Scal", "Ex", "h...u"},
    {"cublas", "Dot", "Ex", "h.r..r..o"},
    {"cublas", "Nrm2", "Ex", "h.r..o"},
    {"cublasLt", "Matmul", "", "...r.r..r.u..w.s"},
    {"curand", "Generate GenerateLongLong", "", "hw"},
    {"curandGenerate", "Uniform Normal LogNormal Poisson", "", "hw"},
    {"curandGenerate", "Uniform Normal LogNormal", "Double", "hw"},
    {"cufftExec", "C2C R2C C2R Z2Z D2Z Z2D", "", "hrw"},
    {"cusolverDn", "S D C Z", "potrf", "h..u.w.w"},
    {"cusolverDn", "S D C Z", "potrs", "h...r.u.w"},
    {"cusolverDn", "S D C Z", "potri", "h..u.w.w"},
    {"cusolverDn", "Xtrtri", "", "h....u.w....w"},
    {"cusolverDn", "S D C Z", "getrf", "h..u.www"},
    {"cusolverDn", "S D C Z", "getrs", "h...r.ru.w"},
    {"cusolverDn", "S D C Z", "geqrf", "h..u.ww.w"},
    {"cusolverDn", "Sor Dor Cun Zun", "gqr", "h...u.rw.w"},
    {"cusolverDn", "Sor Dor Cun Zun", "mqr", "h.....r.ru.w.w"},
    {"cusolverDn", "Ssy Dsy Che Zhe", "evd", "h...u.ww.w"},
    {"cusolverDn", "S D C Z", "gesvd", "h....u.ww.w.w.ww"},
};

Role role_of(char letter) {
  switch (letter) {
    case 'h':
      return LibraryHandle;
    case 'r':
      return Source;
    case 'w':
      return Destination;
    case 'u':
      return Update;
    case 'o':
      return Out;
    case 's':
      return Stream;
    default:
      return Ignored;
  }
}

std::vector<ApiCall> library_calls() {
  static std::deque<std::string> names;  // What the calls' names refer to.
  std::vector<ApiCall> calls;
  for (const LibraryRow& row : kLibraryRows) {
    std::vector<Role> roles;
    for (char letter : row.arguments) roles.push_back(role_of(letter));
    for (const std::string& type : split(row.types, ' '))
      calls.push_back({names.emplace_back(concat(row.library, type, row.name)), Kind::Library, roles});
  }
  return calls;
}

// MPI blocks the host; what it does to host memory is followed for the calls that move data.
std::vector<ApiCall> mpi_calls() {
  auto call = [](std::string_view name, std::vector<Role> roles) {
    return ApiCall{name, Kind::Mpi, std::move(roles), {}, {}, true};
  };
  return {
      call("MPI_Init", {}),
      call("MPI_Init_thread", {Ignored, Ignored, Ignored, Out}),
      call("MPI_Finalize", {}),
      call("MPI_Comm_rank", {Ignored, RankOut}),
      call("MPI_Comm_size", {Ignored, Out}),
      call("MPI_Comm_split", {Ignored, Ignored, Ignored, Out}),
      call("MPI_Comm_split_type", {Ignored, Ignored, Ignored, Ignored, Out}),
      call("MPI_Barrier", {}),
      call("MPI_Bcast", {Update}),
      call("MPI_Send", {Source}),
      call("MPI_Recv", {Destination}),
      call("MPI_Isend", {Source}),
      call("MPI_Irecv", {Destination}),
      call("MPI_Wait", {}),
      call("MPI_Waitall", {}),
      call("MPI_Sendrecv", {Source, Ignored, Ignored, Ignored, Ignored, Destination}),
      call("MPI_Allreduce", {Source, Destination}),
      call("MPI_Reduce", {Source, Destination}),
      call("MPI_Allgather", {Source, Ignored, Ignored, Destination}),
      call("MPI_Gather", {Source, Ignored, Ignored, Destination}),
      call("MPI_Scatter", {Source, Ignored, Ignored, Destination}),
      call("MPI_Alltoall", {Source, Ignored, Ignored, Destination}),
  };
}

// By which a program says what it times. "std::chrono::now" stands for that of every clock.
std::vector<ApiCall> time_calls() {
  std::vector<ApiCall> calls = {
      {"clock_gettime", Kind::ClockRead, {Ignored, Out}},
      {"gettimeofday", Kind::ClockRead, {Out}},
      {"timespec_get", Kind::ClockRead, {Out}},
  };
  for (const char* name : {"MPI_Wtime", "omp_get_wtime", "clock", "std::chrono::now"})
    calls.push_back({name, Kind::ClockRead, {}});
  for (const char* name : {"nvtxRangePushA", "nvtxRangePushW", "nvtxRangePushEx", "nvtxRangeStartA", "nvtxRangeStartW",
                           "nvtxRangeStartEx", "nvtxDomainRangePushEx", "nvtxDomainRangeStartEx", "cudaProfilerStart"})
    calls.push_back({name, Kind::RangeBegin, {}});
  for (const char* name :
       {"nvtxRangePop", "nvtxRangeEnd", "nvtxDomainRangePop", "nvtxDomainRangeEnd", "cudaProfilerStop"})
    calls.push_back({name, Kind::RangeEnd, {}});
  return calls;
}

std::vector<ApiCall> all_calls() {
  std::vector<ApiCall> all;
  for (auto& calls :
       {memory_calls(), stream_calls(), collective_calls(), nccl_calls(), library_calls(), mpi_calls(), time_calls()})
    all.insert(all.end(), calls.begin(), calls.end());
  std::sort(all.begin(), all.end(), [](const ApiCall& a, const ApiCall& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const ApiCall* find_api_call(std::string_view name) {
  static const std::vector<ApiCall> calls = all_calls();
  if (name.starts_with("pnccl") || name.starts_with("PMPI_")) name.remove_prefix(1);
  if (name.starts_with("cublas") && name.ends_with("_v2")) name.remove_suffix(3);
  auto at = std::lower_bound(calls.begin(), calls.end(), name,
                             [](const ApiCall& call, std::string_view wanted) { return call.name < wanted; });
  return at != calls.end() && at->name == name ? &*at : nullptr;
}

uint32_t nccl_type_bytes(std::string_view enumerator) {
  struct Row {
    std::string_view name;
    uint32_t bytes;
  };
  static constexpr Row kRows[] = {
      {"ncclInt8", 1},       {"ncclChar", 1},       {"ncclUint8", 1},   {"ncclInt32", 4},   {"ncclInt", 4},
      {"ncclUint32", 4},     {"ncclInt64", 8},      {"ncclUint64", 8},  {"ncclFloat16", 2}, {"ncclHalf", 2},
      {"ncclFloat32", 4},    {"ncclFloat", 4},      {"ncclFloat64", 8}, {"ncclDouble", 8},  {"ncclBfloat16", 2},
      {"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1},
  };
  for (const Row& row : kRows)
    if (row.name == enumerator) return row.bytes;
  return 0;
}

}  // namespace cuco::frontend
