// Sends by the kernels that write what is sent. A launch is held until the call, which knows the messages; what no
// held launch writes is sent by the kernel of the call.
#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/launch_followers.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/held_launch.h"
#include "rewrite/text/relation_text.h"

namespace cuco::rewrite {

namespace {

constexpr size_t kTilesMax = 4;  // As sending.cuh has it.
constexpr const char *kSending = "_sending", *kWaiting = "_waiting";

// Sends and receives of the plan that kernels are to send.
std::vector<Index> fused_sites(const Work& work) {
  std::vector<Index> sites;
  for (Index site : work.sites)
    if (is_fused(work, site) && is_pairwise(work, site)) sites.push_back(site);
  return sites;
}

std::vector<PairwiseCall> fused_calls(const Work& work) {
  std::vector<PairwiseCall> calls;
  for (Index site : fused_sites(work))
    for (Index call : work.site(site).operations) {
      const Operation& operation = work.operation(call);
      calls.push_back({place_of(work, operation.range), operation.communicate->group});
    }
  return calls;
}

// Why this site of the plan is in the way of one that a kernel is to send.
std::string obstacle_between(const Work& work, Index site, Index fused) {
  const std::string& name = work.site(site).name;
  const std::string& other = work.site(fused).name;
  const space::Directive &own = directive_of(work, site), &wanted = directive_of(work, fused);
  if (is_fused(work, site) && !is_pairwise(work, site))
    return concat(name, " is a collective that a kernel is to send, too, and launches are held for one kind of call");
  if (is_fused(work, site) && own.backend != wanted.backend)
    return concat(name, " and ", other, " have different backends, and a kernel sends by one");
  bool is_end = work.request.sites[site].exchange == work.request.sites[fused].exchange;
  if (is_end && (own.placement != wanted.placement || own.chunk_bytes != wanted.chunk_bytes))
    return concat(name, " and ", other, " are ends of one exchange and do not cut its messages alike");
  if (is_in_flight(work, site) && !is_fused(work, site))
    return concat(name, " runs beside the program's work, whose order is kept by launches that are not held back");
  return "";
}

std::string obstacle_of_plan(const Work& work, const std::vector<Index>& sites) {
  for (Index site : work.sites)
    for (Index fused : sites)
      if (std::string obstacle = obstacle_between(work, site, fused); !obstacle.empty()) return obstacle;
  return work.request.accesses ? "" : "that needs a traced run of the program";
}

bool is_fused_call(const Work& work, Index operation) {
  std::vector<Index> sites = fused_sites(work);
  return std::ranges::any_of(sites, [&](Index site) { return is_call_of(work, site, operation); });
}

Followers followers_in(const Work& work, const Operation& launch) {
  return followers_of(work, launch, {[&](Index operation) { return is_fused_call(work, operation); }, true});
}

std::string obstacle_in_tiles(const model::Kernel& kernel, const SendingLaunch& launch) {
  for (const AccessForm& form : launch.forms)
    if (form.accesses.size() > kTilesMax) return concat("it writes more than ", kTilesMax, " buffers that are sent");
  return are_behind_pointers(kernel, launch.forms) ? "" : "it gets its pointers in a structure";
}

std::string obstacle_of(const Work& work, const SendingLaunch& launch) {
  if (!launch.obstacle.empty()) return launch.obstacle;
  const Operation* operation = launch_at(work, launch.place);
  if (!operation) return "the analysis does not know its kernel";
  const model::Kernel& kernel = work.program().kernels[operation->launch->kernel];
  if (std::string obstacle = obstacle_in_tiles(kernel, launch); !obstacle.empty()) return obstacle;
  Result<LaunchParts> parts = launch_parts(work, *operation);
  if (!parts) return concat("it ", parts.error().message);
  return followers_in(work, *operation).obstacle;
}

void refuse(Work& work, const std::vector<Index>& sites, const std::string& reason) {
  for (Index site : sites)
    work.obstacle(first_call(work, site).range, "no kernel can send the messages itself: ", reason);
}

// ".writes(next, cuco::comm::Tiles()..., 4096)".
std::string writes_text(const AccessTerms& access, const LaunchText& launch, const RelationText& numbers) {
  std::string pointer = launch.arguments[access.parameter].text, offset = numbers.of(access.offset);
  std::string from = offset == "0" ? pointer : concat("cuco::comm::offset_by(", pointer, ", ", offset, ")");
  return concat(".writes(", from, ", ", numbers.tiles(access), ", ", numbers.of(access.filled), ")");
}

void change_launch(Work& work, const Operation& operation, const SendingLaunch& launch, const LaunchParts& parts) {
  bool awaits = consumer_at(work, operation) != nullptr;
  RelationText numbers(work.program().kernels[operation.launch->kernel], parts.launch);
  std::string kernel = awaits ? with_suffix(parts.called, kWaiting) : parts.called;
  HeldLaunch held{"cuco::comm::launch_sending(",
                  numbers.shapes(launch.forms, ",\n       ",
                                 [&](const auto& access) { return writes_text(access, parts.launch, numbers); }),
                  {},
                  {},
                  "FusedMessages",
                  kernel,
                  with_suffix(kernel, kSending),
                  awaits ? "waits" : ""};
  uint32_t begin = operation.range.begin_byte;
  work.edits.replace(operation.range.file, begin, operation.range.end_byte,
                     held_text(held, parts.launch, indentation(work.text_of(operation.range), begin)));
}

// One that sends, and where its blocks wait for what they read one that only does that.
void write_senders(Work& work, const Operation& launch, const LaunchParts& parts) {
  bool awaits = consumer_at(work, launch) != nullptr;
  KernelParts kernel = awaits ? open_parameters(parts.kernel) : parts.kernel;
  std::string path, block = awaits ? "block" : "blockIdx", name = concat(parts.name, awaits ? kWaiting : "");
  for (Index site : work.sites)
    if (is_fused(work, site)) path = concat("<cuco::comm::", reach_of(work, site), ">");
  std::string call = concat("  ", body_call(kernel, concat(parts.name, "_body"), block), ";\n");
  std::vector<MadeKernel> made;
  if (awaits) made.push_back(waiting_kernel(work, parts));
  std::string waits = awaits ? made[0].parameters : "";
  if (awaits) call = made[0].body;
  made.push_back({"Sends what it writes.", concat(name, kSending),
                  concat(waits, awaits ? ", " : "", "const cuco::comm::FusedMessages fused"),
                  concat("  cuco::comm::begin_sending", path, "(fused);\n", call, "  cuco::comm::end_sending", path,
                         "(fused, ", block, ");\n")});
  write_kernels(work, work.program().kernels[launch.launch->kernel].range.file, parts, kernel, false, made);
}

}  // namespace

const SendingLaunch* sender_at(const Work& work, const Operation& launch) {
  for (const SendingLaunch& one : work.found.senders)
    if (launch.launch && same_place(one.place, place_of(work, launch.range))) return &one;
  return nullptr;
}

std::vector<SendingLaunch> find_senders(Work& work) {
  std::vector<SendingLaunch> senders;
  std::vector<Index> sites = fused_sites(work);
  if (sites.empty()) return senders;
  if (std::string obstacle = obstacle_of_plan(work, sites); !obstacle.empty()) {
    refuse(work, sites, obstacle);
    return senders;
  }
  std::vector<std::string> reasons;
  for (SendingLaunch& launch : sending_launches(*work.request.accesses, fused_calls(work))) {
    std::string obstacle = obstacle_of(work, launch);
    if (!obstacle.empty()) reasons.push_back(concat(launch.kernel, " does not send what it writes: ", obstacle));
    work.note(obstacle.empty()
                  ? concat(launch.kernel, " at ", launch.place,
                           " sends what it writes, each part of a message from the last block on that works on "
                           "it; ",
                           launch.forms.at(0).at_other_sizes
                               ? "which blocks write which bytes held at further sizes, and "
                               : "",
                           "launches that are not like the traced ones run as written")
                  : reasons.back());
    if (obstacle.empty()) senders.push_back(std::move(launch));
  }
  if (senders.empty())
    refuse(work, sites,
           reasons.empty() ? "none that writes what is sent comes right before the calls" : join(reasons, "; "));
  return senders;
}

void fuse_senders(Work& work) {
  auto is_held = [&](const Operation& operation) { return sender_at(work, operation) != nullptr; };
  std::set<Index> others;
  std::set<std::string> written;
  for (const SendingLaunch& launch : work.found.senders) {
    const Operation& operation = *launch_at(work, launch.place);
    others.merge(followers_in(work, operation).others);
    LaunchParts parts = *launch_parts(work, operation);
    change_launch(work, operation, launch, parts);
    if (written.insert(parts.name).second) write_senders(work, operation, parts);
  }
  release_before(work, others, is_held);
}

}  // namespace cuco::rewrite
