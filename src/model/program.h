// What the front end learns about a program, free of any parser's types.
//
// Everything lives in vectors of Program and refers to each other by index. The host side has two views:
//   operations  one per (call in the source, call path that reaches it), in order of first execution
//   steps       what a run would do, in order: every operation with its operands resolved, loops run for their first
//   few
//               iterations with exact values, both sides of a branch taken. Dependences are found on steps, so
//               double-buffering and loop-carried reuse come out right, and told in terms of operations.
// Expressions are the source's own text; those that matter for overlap are Symbolic too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/collectives.h"
#include "model/source.h"
#include "model/symbolic.h"

namespace cuco::model {

enum class Access : uint8_t { None = 0, Read = 1, Write = 2, ReadWrite = 3 };
inline Access operator|(Access a, Access b) { return static_cast<Access>(static_cast<int>(a) | static_cast<int>(b)); }
inline bool reads(Access access) { return (static_cast<int>(access) & 1) != 0; }
inline bool writes(Access access) { return (static_cast<int>(access) & 2) != 0; }

// A pointer that a kernel can reach: a parameter, a field of a parameter passed by value, or a __device__ variable.
struct KernelPointer {
  std::string name;         // "out"; "args.out" for a field; the variable's name.
  Index parameter = kNone;  // Position in the parameter list; kNone for a __device__ or __constant__ variable.
  Access access = Access::None;
  bool assumed = false;  // The pointer reaches code whose body cannot be seen; the access is what its type allows.

  bool operator==(const KernelPointer&) const = default;
};

struct KernelParameter {
  std::string name;
  std::string type;
};

struct SharedVariable {
  std::string name;
  std::string type;
  std::optional<uint64_t> bytes;  // Absent for extern __shared__, whose size comes with the launch.
};

enum class DeviceCommKind : uint8_t {
  LsaPointer,  // ncclGetLsaPointer and friends: loads and stores on a peer's window.
  Multimem,    // ncclGetLsaMultimemPointer and friends.
  LsaBarrier,
  GinBarrier,
  HybridBarrier,
  GinPut,     // put, putValue.
  GinSignal,  // signal without data.
  GinWait,    // waitSignal and friends.
  GinFlush,
  GinOther,  // reads, resets and shadows of signals and counters.
  Ll,        // LL all-to-all sessions.
};

struct DeviceCommCall {
  DeviceCommKind kind;
  std::string callee;  // "ncclGin::put".
  SourceRange range;
  bool by_some_blocks = false;  // In an arm of a branch on the block's index: others do something else.
};

struct Kernel {
  std::string name;   // With template arguments where there are any: "gemm<64, float>".
  SourceRange range;  // The definition, from its first specifier to its closing brace.
  std::vector<KernelParameter> parameters;
  std::vector<KernelPointer> pointers;
  std::vector<SharedVariable> shared;
  std::vector<DeviceCommCall> communication;  // Includes that of __device__ functions it calls.
  uint32_t block_barriers = 0;                // __syncthreads and equals in the source, callees included.
  bool grid_barrier = false;                  // cooperative_groups grid sync.
  std::string max_threads;                    // First argument of __launch_bounds__, or empty.
  std::string min_blocks;                     // Second one, or empty.
};

enum class BufferKind : uint8_t {
  Device,       // cudaMalloc and friends.
  DeviceAsync,  // cudaMallocAsync.
  NcclMemory,   // ncclMemAlloc: can become a window as it is.
  Managed,
  PinnedHost,  // cudaMallocHost, cudaHostAlloc, cudaHostRegister.
  Symbol,      // __device__ or __constant__ variable.
  Host,        // A host object or allocation that a call's operand points into.
  External,    // Comes from code that cannot be seen.
};

struct Buffer {
  std::string name;  // Of the variable or field that first holds it.
  BufferKind kind = BufferKind::External;
  std::string element_type;  // As the variable that holds it declares it: "float"; empty when unknown.
  std::string bytes_text;    // The size as written; empty when unknown.
  std::optional<Symbolic> bytes;
  SourceRange allocation;
  std::vector<Index> frees;  // Operations.
};

enum class StreamKind : uint8_t { Legacy, PerThread, Blocking, NonBlocking, External };

struct Stream {
  std::string name;
  StreamKind kind = StreamKind::External;
  std::string priority;  // As written; empty when none was asked for.
};

struct Event {
  std::string name;
};

enum class CommunicatorOrigin : uint8_t { InitRank, InitAll, Split, External };

struct Communicator {
  std::string name;
  CommunicatorOrigin origin = CommunicatorOrigin::External;
  std::string rank_count;  // As written; empty when unknown.
  Index parent = kNone;    // For a split.
  std::optional<Symbolic> rank_count_value = std::nullopt;
};

enum class LoopKind : uint8_t { For, While, Do, Range };

struct Loop {
  LoopKind kind = LoopKind::For;
  SourceRange range;
  std::string induction;  // Variable name; empty when none was recognised. Bounds as written.
  std::string first;
  std::string limit;  // "< n": the comparison with its operator.
  std::string step;   // "+1".
  Index parent = kNone;
  std::optional<Symbolic> limit_value = std::nullopt;  // What the comparison is with, before the first iteration.
};

enum class OperationKind : uint8_t {
  Launch,
  Library,  // A call of a compute library whose effect on its operands is known (cuBLAS).
  Communicate,
  Copy,
  Set,
  Allocate,
  Free,
  StreamCreate,
  StreamDestroy,
  EventCreate,
  EventDestroy,
  EventRecord,
  StreamWaitEvent,
  EventElapsed,
  HostSync,
  GroupStart,
  GroupEnd,
  CommInit,
  CommDestroy,
  WindowRegister,
  WindowDeregister,
  DevCommCreate,
  DevCommDestroy,
  GraphCapture,  // Begin or end of stream capture, graph launch.
  Mpi,
  HostCallback,
  ClockRead,   // Of the host: MPI_Wtime, std::chrono, gettimeofday and the like.
  RangeBegin,  // Of NVTX, or what the profiler looks at.
  RangeEnd,
  RegionBegin,  // The harness calls the program's region, and has its end.
  RegionEnd,
};

// The bytes of one buffer that a step touches.
struct Region {
  Index buffer = kNone;
  Symbolic offset_bytes;
  std::optional<Symbolic> bytes;  // Absent: how far it reaches is not known, e.g. through a kernel's pointer.
  Access access = Access::None;
  std::string through;  // The argument or kernel pointer that names it.
};

struct CommunicateDetail {
  Collective collective{};
  std::string count;  // Elements, as written, with arguments of helper functions put in.
  Symbolic count_value;
  std::string type;              // "ncclFloat"; the expression when it is not an enumerator.
  uint32_t element_bytes = 0;    // 0 when the type is not known.
  std::string reduction;         // "ncclSum"; empty when the call has none.
  bool makes_reduction = false;  // It is one of ncclRedOpCreatePreMulSum's, which NCCL alone knows.
  std::string root_or_peer;      // Empty when the call has none.
  Index communicator = kNone;
  Index group = kNone;  // The GroupStart operation that encloses it.
  bool in_place = false;
};

struct LaunchDetail {
  Index kernel = kNone;  // kNone when a function pointer could not be resolved.
  std::string callee;
  std::string grid;
  std::string block;
  std::string shared_bytes;
  std::vector<std::string> arguments;
  bool cooperative = false;
};

enum class CopyKind : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost, Unknown };

struct CopyDetail {
  CopyKind kind = CopyKind::Unknown;
  std::string bytes;
};

// Which streams or event the host, or another stream, waits for.
enum class SyncScope : uint8_t { None, Device, Stream, Event };

struct Operation {
  OperationKind kind{};
  std::string callee;                  // "ncclAllGather", "cudaMemcpyAsync"; the kernel's name for a launch.
  SourceRange range;                   // The call expression alone, without a checking macro around it.
  SourceRange text;                    // Where its text can be edited: `range`, or the body of the macro that makes it.
  SourceRange statement;               // The whole statement that holds it, with checking macro and semicolon.
  std::string function;                // That the call stands in.
  std::vector<std::string> callers;    // The functions that lead to it, outermost first, without `function`.
  std::vector<SourceRange> call_path;  // Calls from the entry point down to `function`, outermost first.
  Index loop = kNone;                  // Innermost; its parents enclose it too, across calls.
  std::vector<std::string> conditions;  // Conditions of the branches around it, outermost first, "!(...)" for else.
  bool rank_dependent = false;          // A branch or loop around it depends on the rank: not every rank may get here.
  Index stream = kNone;
  Index event = kNone;
  Index end_event = kNone;  // EventElapsed: the later event.
  Index buffer = kNone;     // Allocate, Free, WindowRegister.
  SyncScope sync = SyncScope::None;
  bool blocks_host = false;  // The host waits for it: synchronous copies, synchronisations, MPI.
  std::optional<CommunicateDetail> communicate;
  std::optional<LaunchDetail> launch;
  std::optional<CopyDetail> copy;
};

struct Step {
  Index operation = kNone;
  std::vector<Region> regions;
  Index stream = kNone;  // kNone for what does not run on a stream.
  Index event = kNone;
  std::vector<uint32_t> iterations;  // Of the enclosing loops, outermost first.
  bool conditional = false;          // May not happen: stands under a branch.
};

// Text between EVOLVE-BLOCK-START and EVOLVE-BLOCK-END markers.
struct EvolveBlock {
  SourceRange range;
};

struct ProgramFile {
  std::string path;
  uint32_t lines = 0;
  std::vector<EvolveBlock> evolve_blocks;
};

// What the region was found by. Nothing in the program marks a Loop or FirstToLast: these are guesses.
enum class RegionBasis : uint8_t { Events, Clock, Ranges, Loop, FirstToLast, Named, Harness, None };

// Steps [first_step, last_step] of the timed region. With a harness these are several spans, one for each call of the
// region that the reading follows, and what lies between them is not timed.
struct TimedRegion {
  RegionBasis basis = RegionBasis::None;
  Index first_step = kNone;
  Index last_step = kNone;
  Index loop = kNone;  // The innermost around it; loops inside of that are in the region as a whole or not at all.
};

struct Output {
  Index buffer = kNone;
  std::string reason;  // "copied back to the host after the region", "received by the last collective".
};

enum class RankModel : uint8_t { Mpi, Threads, SingleProcess, Unknown };

struct Program {
  std::vector<ProgramFile> files;
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::vector<Stream> streams;
  std::vector<Event> events;
  std::vector<Communicator> communicators;
  std::vector<Loop> loops;
  std::vector<Operation> operations;
  std::vector<Step> steps;
  RankModel rank_model = RankModel::Unknown;
  TimedRegion timed_region;
  std::vector<Output> outputs;
  std::vector<Diagnostic> diagnostics;  // Notes and warnings; errors prevent a Program.
};

std::string_view name_of(OperationKind kind);
std::string_view name_of(BufferKind kind);
std::string_view name_of(StreamKind kind);
std::string_view name_of(Access access);
std::string_view name_of(DeviceCommKind kind);
std::string_view name_of(RankModel model);
std::string_view name_of(CopyKind kind);
std::string_view name_of(LoopKind kind);
std::string_view name_of(RegionBasis basis);
std::string_view name_of(CommunicatorOrigin origin);
std::string_view name_of(SyncScope scope);

// "file:line:col".
std::string location_text(const Program& program, const SourceRange& range);

// Runs on the GPU and takes time there: launches, library calls, communication, copies and sets.
bool is_device_work(OperationKind kind);

}  // namespace cuco::model
