#include "rewrite/sections.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "rewrite/section_texts.h"

namespace cuco::rewrite {

namespace {

using model::Collective;
using space::Backend;

constexpr const char* kBegin = "\nnamespace device_comm {\n";
constexpr const char* kEnd = "\n}  // namespace device_comm\n";
constexpr const char* kPartsDeclared = "\nstruct Pending;\ninline ncclResult_t submit_parts(Pending& call);\n";
constexpr const char* kChunked =
    "  if (way.course.chunk_bytes > 0) return add_parts(way.course, message, count, all);\n";
constexpr const char* kRelayed =
    "    if (goes_through_nodes(call, channel)) return gather_through_nodes(call, channel, from, (char*)to, bytes);\n";
constexpr const char* kFusedDeclared = "\nstruct Pending;\ninline ncclResult_t submit_fused(Pending& call);\n";
constexpr const char* kSpecialisedDeclared = "inline ncclResult_t submit_specialised(Pending& call);\n";
constexpr const char* kClosingDeclared = "\ninline void close_fused(ncclComm_t comm);\n";
constexpr const char* kSendingDeclared =
    "\nstruct Pending;\ninline ncclResult_t submit_sending(Pending& call);\ninline void close_senders(ncclComm_t "
    "comm);\n";
constexpr const char* kSendingCalled =
    "  if (call.way.course.placement == Placement::Deferred && call.way.course.chunk_bytes > 0) return "
    "submit_sending(call);\n";
constexpr const char* kFusedCalled = "  if (call.way.parts.fused) return submit_fused(call);\n";
constexpr const char* kSpecialisedCalled =
    "  if (call.way.course.placement == Placement::Specialised) return submit_specialised(call);\n";
constexpr const char* kStrongSignals =
    "using CoveringSignalAdd = ncclGin_StrongSignalAdd;  // Covers every put before it to that peer.\n"
    "inline void cover_puts(ncclDevCommRequirements& needs) { needs.ginStrongSignalsRequired = true; }\n";
constexpr const char* kAnySignals =
    "using CoveringSignalAdd = ncclGin_SignalAdd;\n"
    "inline void cover_puts(ncclDevCommRequirements&) {}\n";
constexpr const char* kPartsCalled = "  if (call.way.parts.count > 1) return submit_parts(call);\n";

constexpr const char* kReducedInParts = "  if (way.parts.count > 1) return submit_parts(call);\n";
constexpr const char* kReducingCalled = "  if (way.parts.fused) return submit_reducing(call);\n";
constexpr const char* kReducingCounters =
    "  uint32_t begun, stayed, gone;     // Blocks that have begun, that wait for others, that have left.\n"
    "  uint32_t taken;                   // Items that somebody reduces,\n"
    "  uint32_t reduced[kFusedParts];    // and that are reduced, by part.\n";
constexpr const char* kSpecialisedCounters = "  uint32_t dealt;                   // Tiles that somebody computes.\n";
constexpr const char* kFusedPart = "  bool fused = false;  // Sent by the kernel that writes them.\n";
constexpr const char* kReducedPart =
    "  size_t units = 0, message_bytes = 0;  // Of a launch and call that reduce together.\n";

constexpr const char* kCountBegun =
    "  if (work.begun != nullptr && threadIdx.x == 0)\n"
    "    cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*work.begun).fetch_add(1, "
    "cuda::memory_order_relaxed);\n";

bool uses_network(const SectionNeeds& needs) {
  return needs.backends.contains(Backend::Gin) || needs.backends.contains(Backend::Hybrid);
}

bool has_moves(const SectionNeeds& needs) {
  return std::any_of(needs.calls.begin(), needs.calls.end(),
                     [](const auto& call) { return !is_reduction(call.second); });
}

// Whether an all-gather in parts may cross the network once for a node instead of once for a rank.
bool has_relays(const SectionNeeds& needs) {
  return (needs.in_parts || needs.fused) && needs.backends.contains(Backend::Hybrid) &&
         needs.calls.contains("ncclAllGather");
}

bool has_reductions(const SectionNeeds& needs) {
  return std::any_of(needs.calls.begin(), needs.calls.end(),
                     [](const auto& call) { return is_reduction(call.second); });
}

// The text of one function in a file whose functions are led by "// PART name" lines.
std::string part_of(const std::string& text, const std::string& name) {
  std::string mark = concat("// PART ", name, "\n");
  size_t begin = text.find(mark);
  CUCO_ASSERT(begin != text.npos);
  begin += mark.size();
  size_t end = text.find("// PART ", begin);
  return concat("\n", trim(text.substr(begin, end == text.npos ? end : end - begin)), "\n");
}

std::string calls(const SectionNeeds& needs, bool reductions) {
  std::string text;
  for (const auto& [callee, collective] : needs.calls)
    if (is_reduction(collective) == reductions)
      text += part_of(reductions ? texts::kReduceCalls : texts::kCollectives, function_of(callee));
  return text;
}

bool has_fused(const SectionNeeds& needs) { return needs.fused || needs.reducing; }

std::string requirements(const SectionNeeds& needs) {
  if (!uses_network(needs)) return "  needs.lsaBarrierCount = kBarriers;\n";
  return "  connect_all(needs);\n"
         "  needs.barrierCount = kBarriers;\n"
         "  needs.ginContextCount = kContexts;\n"
         "  needs.ginSignalCount = first_signal(channel.ranks) + kSignals;\n" +
         std::string(has_fused(needs) ? "  cover_puts(needs);\n" : "");
}

// How calls reach the GPU: at once, or beside the program's work.
std::string submissions(const SectionNeeds& needs) {
  std::string text;
  if (has_moves(needs) || needs.groups)
    text += needs.in_flight ? texts::kMoveFlights : part_of(texts::kDirect, "moves");
  if (has_reductions(needs)) text += needs.in_flight ? texts::kReduceFlights : part_of(texts::kDirect, "reductions");
  if (needs.in_parts || needs.reduced_in_parts) text += texts::kPacking;
  if (needs.in_parts) text += concat(texts::kParts, texts::kPacked, texts::kSubmitParts);
  if (needs.reduced_in_parts) text += texts::kReduceParts;
  if (needs.sending) text += concat(needs.in_flight ? texts::kSendingFlights : "", texts::kSubmitSending);
  if (needs.fused) text += texts::kSubmitFused;
  if (needs.specialised) text += texts::kSubmitSpecialised;
  if (needs.reducing) text += texts::kSubmitReducing;
  return text;
}

std::string priority_text(space::StreamPriority priority) {
  if (priority == space::StreamPriority::Default) return "0";
  return priority == space::StreamPriority::High ? "greatest" : "least";
}

bool has_slices(const SectionNeeds& needs) {
  return needs.in_parts || needs.reduced_in_parts || needs.chunked || needs.sliced;
}

std::string slices(const SectionNeeds& needs) {
  if (!has_slices(needs)) return "";
  return concat(texts::kSlices, needs.in_parts ? kPartsDeclared : "");
}

std::string with_hooks(std::string text, const SectionNeeds& needs) {
  bool cut = has_slices(needs);
  const char* opened = needs.in_flight ? "  if (result == ncclSuccess) result = open_lanes(comm);\n" : "";
  text = replace_all(std::move(text), "  CUCO_OPENED;\n", opened);
  text = replace_all(std::move(text), "  CUCO_WANTED;\n", needs.exact ? "  bytes = wanted_of(to, bytes);\n" : "");
  text = replace_all(std::move(text), "CUCO_EXACT", needs.exact ? "true" : "false");
  text = replace_all(
      std::move(text), "  CUCO_CLOSING;\n",
      concat(needs.in_flight ? "  close_lanes(comm);\n" : "", cut ? "  close_slices(comm);\n" : "",
             has_fused(needs) ? "  close_fused(comm);\n" : "", needs.sending ? "  close_senders(comm);\n" : ""));
  text = replace_all(std::move(text), "  CUCO_IN_PARTS;\n",
                     concat(needs.sending ? kSendingCalled : "", needs.specialised ? kSpecialisedCalled : "",
                            needs.fused ? kFusedCalled : "", needs.in_parts ? kPartsCalled : ""));
  text = replace_all(std::move(text), "  CUCO_REDUCED_IN_PARTS;\n",
                     concat(needs.reducing ? kReducingCalled : "", needs.reduced_in_parts ? kReducedInParts : ""));
  text = replace_all(std::move(text), "CUCO_REDUCED_PARTS_DECLARED;\n",
                     concat(needs.reducing ? "inline ncclResult_t submit_reducing(ReduceCall& call);\n" : "",
                            needs.reduced_in_parts ? "ncclResult_t submit_parts(ReduceCall& call);\n" : ""));
  bool left = needs.sending && needs.in_flight;
  text = replace_all(std::move(text), "CUCO_READERS_AWAIT", left ? "true" : "false");
  text = replace_all(std::move(text), "  CUCO_JOIN_TARGETS;\n", left ? "  join_targets(call);\n" : "");
  text = replace_all(std::move(text), "  CUCO_LEAVE_RECEIVES;\n", left ? "  leave_receives(call);\n" : "");
  text = replace_all(std::move(text), "    CUCO_RELAYED;\n", has_relays(needs) ? kRelayed : "");
  // Of a message in parts each part has a slot.
  text = replace_all(std::move(text), "CUCO_SLOTS",
                     has_fused(needs) || needs.sending ? "64"
                     : cut || needs.awaited_in_parts   ? "32"
                                                       : "8");
  text = replace_all(std::move(text), "  CUCO_CHUNKED;\n",
                     needs.chunked || needs.awaited_in_parts || needs.sending ? kChunked : "");
  text = replace_all(std::move(text), "  CUCO_LAND;\n", needs.in_flight ? "  land(slices.parts);\n" : "");
  text = replace_all(std::move(text), "  CUCO_PASSED;\n", needs.in_flight ? "  passed();\n" : "");
  text = replace_all(std::move(text), "CUCO_LANES", std::to_string(needs.lanes));
  return replace_all(std::move(text), "CUCO_PRIORITY", priority_text(needs.priority));
}

// Only fused kernels put several times for one signal, and only they hold launches back.
std::string with_fused_types(std::string text, const SectionNeeds& needs) {
  bool network = has_fused(needs) && uses_network(needs);
  text = replace_all(std::move(text), "  CUCO_FUSED_PART;\n",
                     concat(has_fused(needs) ? kFusedPart : "", needs.reducing ? kReducedPart : ""));
  text = replace_all(std::move(text), "  CUCO_SPECIALISED_COUNTERS;\n", needs.specialised ? kSpecialisedCounters : "");
  text = replace_all(std::move(text), "  CUCO_REDUCING_COUNTERS;\n", needs.reducing ? kReducingCounters : "");
  text = replace_all(std::move(text), "CUCO_REDUCING_DECLARED;\n",
                     needs.reducing ? "struct Reducing;\nusing ReducingKernel = void (*)(Reducing);\n" : "");
  text = replace_all(std::move(text), "  CUCO_REDUCING_KERNEL;\n",
                     needs.reducing ? "  ReducingKernel (*in_parts_for)(ncclDataType_t) = nullptr;\n" : "");
  text = replace_all(std::move(text), "  CUCO_COVERING_WEAK;\n", network ? kStrongSignals : "");
  return replace_all(std::move(text), "  CUCO_COVERING;\n", network ? kAnySignals : "");
}

// Kernels that communicate count themselves begun, for those that wait block by block.
std::string with_awaiting(std::string text, const SectionNeeds& needs) {
  auto hook = [&](const char* mark, const char* code) {
    text = replace_all(std::move(text), mark, needs.awaited_by_blocks ? code : "");
  };
  hook("  CUCO_BEGUN_FIELD;\n", "  uint64_t* begun;  // Counts blocks that have started.\n");
  hook("  CUCO_COUNTED;\n", "  work.begun = lanes().begun;\n  lanes().launched += blocks;\n");
  hook("  CUCO_FLIGHT_BEGUN;\n",
       "  uint64_t begun = 0;        // Blocks of communication up to those that announced it.\n"
       "  bool in_blocks = false;  // Blocks of the launch that follows wait for it.\n");
  hook("  CUCO_BEGUN_STATE;\n",
       "  uint64_t* begun = nullptr;  // Blocks of communication that have started, on the device,\n"
       "  uint64_t launched = 0;      // and that will.\n"
       "  std::map<cudaStream_t, uint64_t> passed_begun;  // How many of them a stream has waited for.\n");
  hook("  CUCO_OPEN_BEGUN;\n",
       "  uint64_t*& begun = lanes().begun;\n"
       "  if (begun == nullptr && (cudaMalloc(&begun, sizeof *begun) != cudaSuccess ||\n"
       "                           cudaMemset(begun, 0, sizeof *begun) != cudaSuccess))\n"
       "    return ncclUnhandledCudaError;\n");
  hook("  CUCO_CLOSE_BEGUN;\n", "  cudaFree(lanes().begun);\n");
  hook("  CUCO_AWAITED_BY_READERS;\n", "  awaits = false;  // By who reads it: blocks of a kernel, else its stream.\n");
  hook("    CUCO_BEGUN_SO_FAR;\n", "    one.begun = lanes().launched;\n");
  hook("  CUCO_ONE_BY_ONE;\n", "  one = false;  // Readers wait for it themselves.\n");
  return text;
}

std::string with_streams_beside(std::string text, const SectionNeeds& needs) {
  auto hook = [&](const char* mark, const char* code) {
    text = replace_all(std::move(text), mark, needs.beside || needs.chunked ? code : "");
  };
  hook("  CUCO_AFTER_WORKS;\n", "  wait_for_works(stream, uses);\n");
  hook("    CUCO_AFTER_BESIDE;\n", "    wait_for_streams_beside(floor.first);\n");
  hook("  CUCO_PASSED_BESIDE;\n", "  passed();\n");
  hook("    CUCO_JOIN_BESIDE;\n",
       "    for (const auto& floor : lanes().floors) wait_for_streams_beside(floor.first);\n");
  hook("  CUCO_LAND_BESIDE;\n", "  wait_for_streams_beside(stream);\n");
  hook("  CUCO_CLOSE_BESIDE;\n", "  close_streams_beside();\n");
  hook("CUCO_BESIDE_DECLARED;\n",
       "void wait_for_works(cudaStream_t stream, const std::vector<Use>& uses);\n"
       "void wait_for_streams_beside(cudaStream_t stream);\n"
       "void close_streams_beside();\n");
  text = replace_all(std::move(text), "  CUCO_COPIES_IN_PARTS;\n",
                     needs.chunked ? "  cut_copies(course, call.work.copies);\n" : "");
  text = replace_all(std::move(text), "CUCO_SLICES_DECLARED;\n", needs.chunked ? "void launch_slices();\n" : "");
  return replace_all(std::move(text), "  CUCO_LAUNCH_SLICES;\n", needs.chunked ? "  launch_slices();\n" : "");
}

// With no call to make, nothing is worth warming up, and the code that could is not there.
std::string with_warm_up(std::string text, const SectionNeeds& needs) {
  bool wanted = !needs.calls.empty();
  text = replace_all(std::move(text), "CUCO_WARM_UP_DECLARED;\n",
                     wanted ? "inline ncclResult_t warm_up(ncclComm_t comm);\n" : "");
  return replace_all(std::move(text), "    CUCO_WARM_UP;\n",
                     wanted ? "    if (result == ncclSuccess) result = warm_up(one.comm);\n" : "");
}

std::string fused_kernels(const SectionNeeds& needs) {
  std::string text = texts::kFusedBlocks;
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kFusedStores;
  if (uses_network(needs)) text += texts::kFusedNetwork;
  if (hybrid) text += texts::kFusedHybrid;
  text += texts::kFusedKernel;
  if (!needs.specialised) return text;
  return concat(text, texts::kSpecialisedKernel, hybrid ? texts::kSpecialisedHybrid : "");
}

std::string sending_kernels(const SectionNeeds& needs) {
  std::string text = texts::kSendingBlocks;
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kSendingStores;
  if (uses_network(needs)) text += texts::kSendingNetwork;
  if (hybrid) text += texts::kSendingHybrid;
  return concat(text, texts::kSendingKernel);
}

std::string reducing_kernels(const SectionNeeds& needs) {
  std::string text = texts::kReducingParts;
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kReducingLoads;
  if (uses_network(needs)) text += texts::kReducingNetwork;
  if (hybrid) text += texts::kReducingHybrid;
  return concat(text, texts::kReducingKernel);
}

std::string greetings(const SectionNeeds& needs) {
  std::string text;
  for (auto [backend, path] : {std::pair(Backend::Lsa, "Lsa"), {Backend::Gin, "Gin"}, {Backend::Hybrid, "Hybrid"}})
    if (needs.backends.contains(backend))
      text += concat("  if (result == cudaSuccess) result = greet_all(channel_of(comm), Reach::", path, ", greet<",
                     path, ">);\n");
  return text;
}

}  // namespace

std::string function_of(const std::string& callee) {
  static const std::map<std::string, std::string> functions = {{"ncclAllGather", "all_gather"},
                                                               {"ncclAllReduce", "all_reduce"},
                                                               {"ncclReduceScatter", "reduce_scatter"},
                                                               {"ncclBroadcast", "broadcast"},
                                                               {"ncclBcast", "bcast"},
                                                               {"ncclReduce", "reduce"},
                                                               {"ncclAlltoAll", "all_to_all"},
                                                               {"ncclGather", "gather"},
                                                               {"ncclScatter", "scatter"},
                                                               {"ncclSend", "send"},
                                                               {"ncclRecv", "receive"}};
  auto found = functions.find(callee);
  CUCO_ASSERT(found != functions.end());
  return found->second;
}

std::string knobs_section() { return texts::kKnobs; }

std::string set_up_section(const SectionNeeds& needs) {
  bool moves = has_moves(needs) || needs.groups;
  bool guarded = has_slices(needs) || has_fused(needs) || needs.sending || needs.awaited_by_blocks;
  std::string text =
      concat(texts::kTypes, guarded ? texts::kTracedNumbers : "", needs.in_flight ? texts::kLanes : "", slices(needs),
             needs.fused ? kFusedDeclared : "", needs.sending ? kSendingDeclared : "",
             needs.specialised ? kSpecialisedDeclared : "", has_fused(needs) ? kClosingDeclared : "", texts::kWindows);
  if (!needs.calls.empty()) text += texts::kPieces;
  if (needs.order) text += texts::kOrder;
  if (needs.in_flight) text += texts::kFlights;
  if (needs.beside || needs.chunked) text += texts::kBeside;
  if (needs.chunked) text += concat(texts::kTracedSlices, texts::kChunks);
  if (needs.awaited_by_blocks) text += texts::kConsume;
  if (needs.awaited_in_parts || needs.sending) text += texts::kConsumeChunks;
  if (needs.exact) text += texts::kExact;
  if (moves) text += texts::kMessages;
  if (has_relays(needs)) text += texts::kRelays;
  if (needs.sending) text += texts::kSending;
  if (has_fused(needs)) text += texts::kFused;
  if (needs.fused) text += texts::kFusedExchange;
  if (needs.specialised) text += texts::kSpecialised;
  if (has_reductions(needs)) text += texts::kReductions;
  if (needs.reducing) text += texts::kReducing;
  text += concat(submissions(needs), calls(needs, false), calls(needs, true));
  text = with_fused_types(with_streams_beside(with_hooks(std::move(text), needs), needs), needs);
  text = with_awaiting(std::move(text), needs);
  text = replace_all(std::move(text), "CUCO_BLOCKS", std::to_string(needs.blocks_max));
  text = replace_all(std::move(text), "  CUCO_REQUIREMENTS;\n", requirements(needs));
  return with_warm_up(std::move(text), needs) + kEnd;
}

std::string device_section(const SectionNeeds& needs) {
  std::string text = concat(kBegin, texts::kPlaces);
  bool hybrid = needs.backends.contains(Backend::Hybrid);
  if (hybrid || needs.backends.contains(Backend::Lsa)) text += texts::kLsa;
  if (uses_network(needs)) text += texts::kGin;
  if (hybrid) text += texts::kHybrid;
  text += replace_all(texts::kExchange, "  CUCO_COUNT_BEGUN;\n", needs.awaited_by_blocks ? kCountBegun : "");
  if (has_reductions(needs)) text += texts::kReduce;
  bool loads = has_reductions(needs) && needs.backends.contains(Backend::Lsa);
  if (has_reductions(needs) && uses_network(needs)) text += texts::kReduceStaged;
  if (loads || needs.reducing) text += texts::kReduceRows;
  if (loads) text += texts::kReduceLoaded;
  if (has_fused(needs) || needs.sending) text += texts::kBlockCounts;
  if (needs.fused || needs.sending) text += texts::kCopyRuns;
  if (needs.sending) text += sending_kernels(needs);
  if (has_fused(needs)) text += texts::kFusedGrid;
  if (needs.fused) text += fused_kernels(needs);
  if (needs.reducing) text += reducing_kernels(needs);
  if (needs.awaited_by_blocks) text += texts::kConsumeKernel;
  text += replace_all(texts::kWarmUp, "  CUCO_GREETINGS;\n", greetings(needs));
  return text + kEnd;
}

}  // namespace cuco::rewrite
