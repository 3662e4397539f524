// Every kind of finding that a verdict can have, with its severity and its rule in one sentence. docs/findings.md has a
// section for each, with a wrong and a right example; finding_kinds_test.cpp holds the code, this table and the page
// against each other.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "model/source.h"

namespace cuco::model {

struct FindingKind {
  std::string_view name;
  std::string_view rule;
  Severity severity = Severity::Error;
};

inline constexpr FindingKind kFindingKinds[] = {
    // The text of a candidate.
    {"frozen_text", "A candidate differs from its parent only inside evolve blocks."},
    {"marker", "Evolve blocks are marked by comment lines of their own, in pairs."},
    {"forbidden", "Code in evolve blocks leaves processes, files, clocks and the harness alone."},
    // Building.
    {"build", "The program builds for the virtual cluster."},
    {"nvcc", "The program builds with nvcc for the profile's architecture."},
    {"unsupported", "The program calls only what the virtual cluster has."},
    // Waiting.
    {"deadlock", "Whatever waits is woken by something that can still run."},
    {"residency_deadlock", "Blocks that wait leave room on the GPU for what they wait for."},
    {"no_progress", "A loop that waits ends by something that changes."},
    {"hang", "On GPUs every rank returns from its region."},
    {"divergent_barrier", "All threads of a block reach the same __syncthreads."},
    {"barrier_misuse", "All members of a team arrive equally often at a barrier that was asked for."},
    {"collective_mismatch", "All ranks make the same collectives in the same order."},
    // Signals between ranks.
    {"stale_wait", "A wait asks for more than earlier rounds have left behind."},
    {"signal_accounting", "Every signal can be matched by a wait, and is reset only when none is under way."},
    // Memory.
    {"window_race", "Accesses of two ranks to window memory are ordered by a barrier, signal or acquired flag."},
    {"missing_fence", "What a flag, barrier or signal announces was released and is acquired at the needed scope."},
    {"source_reuse", "A put's source is written again only after a flush or its counter."},
    {"async_copy", "A kernel touches what an asynchronous copy moves only after it has waited for the copy."},
    {"gpu_race", "Accesses of one GPU to the same bytes are ordered."},
    {"host_race", "The host touches memory only when no copy or kernel uses it any more."},
    {"unwritten_read", "Bytes are written before they are used."},
    {"memory_access", "Accesses stay inside memory, windows and communicators that exist."},
    {"foreign_memory", "A program touches its own memory, and peers' only through windows."},
    {"window_asymmetric", "All ranks register as many bytes for a window."},
    {"message_truncated", "A receive has room for the message."},
    {"device_choice", "A process uses devices that its node has, and no two ranks of a communicator the same one.",
     Severity::Warning},
    {"leak", "What is made is released.", Severity::Warning},
    // How a run ends.
    {"trap", "No device assertion fails and no kernel traps."},
    {"abort", "The program does not abort itself."},
    {"exit_code", "The program ends with code 0."},
    {"exit", "The program comes to its end."},
    {"fault", "The program is not ended by a fault."},
    {"crash", "A run leaves a report."},
    {"limit", "A run stays inside the limits of the sandbox."},
    {"time_limit", "A run stays inside its processor time."},
    {"memory_limit", "A run stays inside its memory."},
    {"cannot_run", "The program's parameters fit each other."},
    // What the judge compares.
    {"harness_misuse", "The program uses the harness as its header says."},
    {"left_early", "Every rank stays until the harness lets it go."},
    {"not_repeatable", "The region of a candidate without the harness can be called again where the baseline's can."},
    {"leaking_work", "Nothing that the region began goes on after it."},
    {"unwritten_output", "Every call of the region writes all outputs."},
    {"wrong_result", "Outputs are the baseline's within their tolerance."},
    {"not_communicated", "Whoever gets data of a rank by NCCL in the baseline gets some in the candidate."},
    {"host_channel", "Data of the region go by NCCL, from the host or from kernels."},
    {"lower_precision", "Outputs follow small changes of the inputs as the baseline's do."},
    {"fallback", "At full size kernels that a plan has communicate what they write do so."},
    {"missing_work", "At full size a candidate does the share of the work that it did where it was verified."},
    {"impossible_time", "No time is below what its own blocks and bytes take, or hides more than there is."},
    {"capture", "The outputs of a run can be read."},
};

constexpr const FindingKind* find_kind(std::string_view name) {
  auto found = std::find_if(std::begin(kFindingKinds), std::end(kFindingKinds),
                            [name](const FindingKind& kind) { return kind.name == name; });
  return found == std::end(kFindingKinds) ? nullptr : found;
}

}  // namespace cuco::model
