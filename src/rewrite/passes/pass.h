// What the passes of pipeline.cpp share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "rewrite/evidence/chain_facts.h"
#include "rewrite/evidence/consume_facts.h"
#include "rewrite/evidence/fuse_facts.h"
#include "rewrite/evidence/send_facts.h"
#include "rewrite/evidence/slice_facts.h"
#include "rewrite/rewrite.h"
#include "rewrite/text/fuse_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/launch_text.h"
#include "rewrite/text/relation_text.h"

namespace cuco::rewrite {

using KernelNames = std::set<std::string>;

struct Chain {
  std::vector<ChainLaunch> launches = {};  // Around messages in flight that leave in parts.
  KernelNames kernels = {};                // That are cut.
};
using SitesInParts = std::map<Index, SliceFacts>;
using FusedSites = std::map<Index, FuseFacts>;
using Consumers = std::map<std::pair<Index, uint32_t>, ConsumeFacts>;  // By file and byte.

// What passes found, each the result of one of them, for those that come after it (pipeline.cpp).
struct Findings {
  Chain chain = {};                           // cut_chain
  SitesInParts slices = {};                   // find_slices: the sites that are sent in parts.
  FusedSites fusions = {};                    // find_fusions: the sites that a kernel sends for.
  std::vector<SendingLaunch> senders = {};    // find_senders: launches that send what they write, by message.
  Consumers consumers = {};                   // find_consumers: launches whose blocks wait for what they read.
  bool asks_for_less = false;                 // receive_exactly: receives say how many bytes they want.
  bool turns_loops = false;                   // order_loops: loops over ranks begin elsewhere.
  std::vector<SliceFacts> plain_slices = {};  // slice_compute: launches in slices before calls that stay as they are.
};

// A pass sees the program as it was and what others found, returns what it found itself, and adds edits, notes and
// obstacles. It never sees those of others.
struct Work {
  const Request& request;
  const std::vector<Index> sites;  // Of the plan, off the host.
  const Findings& found;
  Edits edits = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> obstacles = {};  // "file:line:col: ..."; any of them ends the rewriting.
  std::vector<Source> added = {};           // Files that the program had not.
  bool opens_when_made = false;             // All sites are staged: communicators are set up where they are made.

  const model::Program& program() const { return request.program; }
  const Operation& operation(Index index) const { return request.program.operations[index]; }
  const model::Site& site(Index index) const { return request.graph.sites[index]; }
  // Of the program, also those that stay on the host.
  Index site_count() const { return static_cast<Index>(request.graph.sites.size()); }
  // The call as its file has it; nothing where it is written in another way.
  std::optional<CallText> call_text(const Operation& call) const {
    return read_call(text_of(call.text), call.text.begin_byte, call.callee);
  }
  const std::string& text_of(const SourceRange& range) const { return request.sources[range.file].text; }
  template <typename... Parts>
  void note(const Parts&... parts) {
    notes.push_back(concat(parts...));
  }
  template <typename... Parts>
  void obstacle(const SourceRange& range, const Parts&... problem) {
    add_obstacle(concat(model::location_text(program(), range), ": error: ", problem...));
  }
  void add_obstacle(std::string line);  // Once.
};

// ends.cpp: whether both ends of each message leave the host.
void check_ends(Work& work);
// windows.cpp: buffers become windows; their frees follow.
void allocate_windows(Work& work);
// communicators.cpp: communicators are remembered, opened before the first use, closed before they go.
void open_communicators(Work& work);
// slices.cpp: what the traced run says of the sites that the plan cuts; then the grids that feed them.
SitesInParts find_slices(Work& work);
void cut_grids(Work& work);
// A launch that is to be cut, and what changes its text.
struct LaunchCut {
  const Operation* launch;
  std::function<void(const KernelLaunch&)> change;
  std::set<int> dimensions;  // Of the grid, that it may be cut along.
};
// Launches of one kernel are cut together, since it takes its blocks once; it is added to those that are cut. For each
// launch the obstacle, as the end of a sentence; empty when it is done.
std::vector<std::string> cut_launches(Work& work, const std::vector<LaunchCut>& cuts, KernelNames& cut_kernels);
// Launches slice by slice, as the facts say; with `like`, only where it is like the traced ones.
void change_launch(Work& work, Index file, const KernelLaunch& launch, const SliceFacts& facts,
                   const std::string& like = {});
// Before what closes the arguments, behind those that are there.
void add_argument(Work& work, Index file, const LaunchText& launch, const std::string& argument);
// chain.cpp: the same for messages in flight, and the launches that stand between those that come and those that
// leave.
Chain cut_chain(Work& work);
bool is_in_chain(const Work& work, const Operation& launch);
// Buffers that the chain's launches touch and somebody writes from a step on.
std::set<Index> chained_buffers(const Work& work, Index first_step);
// compute_slices.cpp: launches before calls that the host keeps, found and cut.
std::vector<SliceFacts> slice_compute(Work& work);
// fuse.cpp: why no kernel sends as the site's directive says, whatever the program; empty when one may, or none is to.
std::string fused_obstacle(const Work& work, Index site);
// What the traced run says of the sites that a kernel is to send for; then these kernels.
FusedSites find_fusions(Work& work);
void fuse_kernels(Work& work);
// send.cpp: the same for sends and receives, where one kernel sends for several calls and one call has several.
std::vector<SendingLaunch> find_senders(Work& work);
void fuse_senders(Work& work);
const SendingLaunch* sender_at(const Work& work, const Operation& launch);
// consume.cpp: whether the plan wants blocks to wait for what they read; then the launches that can.
bool waits_in_blocks(const Work& work);
Consumers find_consumers(Work& work);
const ConsumeFacts* consumer_at(const Work& work, const Operation& launch);
// "{shapes}": what before_blocks gets of the facts, with the text of each argument.
std::string shapes_of(const ConsumeFacts& facts, const RelationText& numbers,
                      const std::function<std::string(Index)>& argument);
// Its pointers promise nothing: bytes come while the kernel runs.
KernelParts open_parameters(KernelParts kernel);
// The kernel whose blocks wait for what they read.
struct LaunchParts;
struct MadeKernel;
MadeKernel waiting_kernel(const Work& work, const LaunchParts& parts);
// The launch of a kernel that takes what `waits` says, and that kernel.
void await_in_blocks(Work& work, const Operation& operation, const LaunchText& launch);
// sites.cpp: calls go to the library; groups too.
void replace_calls(Work& work);
// exact.cpp: receives ask for no more than what is read. Whether some do.
bool receive_exactly(Work& work);
// order.cpp: loops over ranks begin with the part that the plan wants first. Whether some do.
bool order_loops(Work& work);
// uses.cpp: from which step on an exchange may be in flight; kNone: none ever is.
Index first_step_in_flight(const Work& work);
// Work that touches what is in flight waits for it, and is waited for.
void order_uses(Work& work);
// beside.cpp: whether the plan wants kernels side by side, and nothing but told uses orders this launch with other
// work from a step on. `told` are the buffers of which uses are told.
bool is_written(const Work& work, Index buffer, Index first_step);
bool can_run_beside(Work& work, const Operation& launch, const std::set<Index>& told, Index first_step);
// includes.cpp: how a file of the program can call the library, and what it calls a function of it there.
FileKind kind_of(const Work& work, Index file);
std::string library_name(const Work& work, Index file, const std::string& function);
// The headers of the library, after the program's own.
void insert_includes(Work& work);
// Options of the set-up that a search may change stand under a name.
constexpr const char* kOptionsName = "comm_options";
bool has_named_options(const Work& work);
std::string open_options(const Work& work);
// annotate.cpp: markers around what may evolve. Whoever has marked some of the program has decided it: nothing is
// added.
void mark_evolvable(Work& work);
bool is_unmarked(const Work& work);

const Operation& first_call(const Work& work, Index site);
const model::CommunicateDetail& detail_of(const Work& work, Index site);
bool is_call_of(const Work& work, Index site, Index operation);
// The site whose kernel the site's call launches: the first of its group where it has one.
std::string shared_site(const Work& work, Index site);
// "exchange_for<1" or "reduce_for<1": how the name of that kernel begins.
std::string kernel_name(const Work& work, Index site);
// "s1_all_gather": the site's own name for its call, whether or not it shares a kernel.
std::string call_name(const Work& work, Index site);
uint32_t blocks_of(const Work& work, Index site);
const space::Directive& directive_of(const Work& work, Index site);
// "Lsa", "Gin" or "Hybrid": the library's name for what the site's backend reaches.
std::string reach_of(const Work& work, Index site);

// "Thread", "Warp" or "Block": the library's name for who issues inside each of the site's blocks.
std::string issue_of(const Work& work, Index site);
// Sends and receives in flight whose messages leave in parts as the work on them is done.
bool is_chunked(const Work& work, Index site);
// A kernel of the program sends the site's messages.
bool is_fused(const Work& work, Index site);
// A send or a receive.
bool is_pairwise(const Work& work, Index site);
// Likewise, by blocks that do nothing else.
bool is_specialised(const Work& work, Index site);
// "file:line", as a traced run names places.
std::string place_of(const Work& work, const SourceRange& range);
// placement.cpp: what placements other than deferred need.
bool is_in_flight(const Work& work, Index site);
// Which stream of communication the site's kernels run on; none: that of the call.
std::optional<uint32_t> lane_of(const Work& work, Index site);
// Its messages start and are awaited one by one.
bool is_by_message(const Work& work, Index site);
// ".on_stream(0).by_message()": when the site's call runs; nothing for a deferred site.
std::string course_of(const Work& work, Index site);
void check_courses(Work& work);

// Its bytes go through staging memory, because its buffers cannot be windows.
bool is_staged(const Work& work, Index site);

// Buffers that a site off the host sends from or receives into, where they can be windows.
std::set<Index> window_buffers(const Work& work);
bool allocates_one_of(const Work& work, const Operation& operation, const std::set<Index>& buffers);

}  // namespace cuco::rewrite
