#include "rewrite/infer.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/text/comm_calls.h"
#include "rewrite/words.h"

namespace cuco::rewrite {

namespace {

using model::DeviceCommKind;
using model::Kernel;
using model::Program;
using space::Backend;
using space::Directive;
using space::Placement;
using space::SyncScope;

bool has_kind(const std::vector<const Kernel*>& kernels, std::initializer_list<DeviceCommKind> kinds) {
  return std::ranges::any_of(kernels, [&](const Kernel* kernel) {
    return std::ranges::any_of(kernel->communication,
                               [&](const auto& call) { return std::ranges::find(kinds, call.kind) != kinds.end(); });
  });
}

Backend backend_of(const std::vector<const Kernel*>& kernels) {
  bool network = has_kind(kernels, {DeviceCommKind::GinPut, DeviceCommKind::GinSignal, DeviceCommKind::GinWait,
                                    DeviceCommKind::GinFlush, DeviceCommKind::GinBarrier});
  bool near = has_kind(kernels, {DeviceCommKind::LsaPointer, DeviceCommKind::LsaBarrier, DeviceCommKind::Ll});
  if (has_kind(kernels, {DeviceCommKind::Multimem})) return Backend::Multimem;
  if (has_kind(kernels, {DeviceCommKind::HybridBarrier}) || (network && near)) return Backend::Hybrid;
  return network ? Backend::Gin : Backend::Lsa;
}

SyncScope sync_of(const std::vector<const Kernel*>& kernels) {
  if (has_kind(kernels, {DeviceCommKind::LsaBarrier, DeviceCommKind::GinBarrier, DeviceCommKind::HybridBarrier}))
    return SyncScope::Barrier;
  return has_kind(kernels, {DeviceCommKind::GinWait}) ? SyncScope::PeerSignal : SyncScope::Flag;
}

bool communicates(const Kernel& kernel) { return !kernel.communication.empty(); }
bool waits_only(const Kernel* kernel) {
  return has_kind({kernel}, {DeviceCommKind::GinWait}) && !has_kind({kernel}, {DeviceCommKind::GinPut});
}

bool is_sending(const model::DeviceCommCall& call) {
  return call.kind == DeviceCommKind::LsaPointer || call.kind == DeviceCommKind::Multimem ||
         call.kind == DeviceCommKind::GinPut || call.kind == DeviceCommKind::Ll;
}

// Some of its blocks move bytes while others do something else.
bool divides_its_blocks(const Kernel& kernel) {
  auto by_all = [](const model::DeviceCommCall& call) { return is_sending(call) && !call.by_some_blocks; };
  return std::ranges::any_of(kernel.communication, is_sending) && std::ranges::none_of(kernel.communication, by_all);
}

std::string buffer_name(const Program& program, Index buffer) {
  return buffer < program.buffers.size() ? program.buffers[buffer].name : "";
}

class Reader {
 public:
  explicit Reader(const InferInput& input) : input_(input) {
    note_work();
    for (const Source& source : input.sources)
      for (CommCall& call : read_comm_calls(source.text)) calls_.push_back(std::move(call));
  }

  InferredPlan read() {
    find_host_sites();
    for (Index site = 0; site < input_.graph_before.sites.size(); ++site)
      result_.plan.choices.push_back({site_at(site).name, directive_of(site)});
    read_schedule();
    return std::move(result_);
  }

 private:
  const model::Site& site_at(Index site) const { return input_.graph_before.sites[site]; }
  const Operation& call_of(Index site) const { return input_.before.operations[site_at(site).operations[0]]; }
  void miss(Index site, const std::string& what) { result_.unknown.push_back(concat(site_at(site).name, ": ", what)); }

  // Sites that are left as host calls. Each of those stands for one site.
  void find_host_sites() {
    std::set<Index> taken;
    for (Index site = 0; site < input_.graph_before.sites.size(); ++site)
      for (Index left = 0; left < input_.graph_after.sites.size(); ++left)
        if (!taken.contains(left) && is_same_call(site, left)) {
          taken.insert(left);
          host_.insert(site);
          break;
        }
  }
  bool is_same_call(Index site, Index left) const {
    const model::Site &a = site_at(site), &b = input_.graph_after.sites[left];
    if (is_of_library(input_.after.operations[b.operations[0]])) return false;
    return call_of(site).callee == input_.after.operations[b.operations[0]].callee &&
           buffer_name(input_.before, a.send_buffer) == buffer_name(input_.after, b.send_buffer) &&
           buffer_name(input_.before, a.recv_buffer) == buffer_name(input_.after, b.recv_buffer);
  }

  Directive directive_of(Index site) {
    if (host_.contains(site)) return {};
    std::vector<const Kernel*> senders = own_senders(site), kernels = senders.empty() ? kernels_of(site) : senders;
    for (const Kernel* kernel : kernels) result_.kernels[site_at(site).name].push_back(kernel->name);
    // What a kernel of the program's own sends, the library moves only where that one does not fit.
    const CommCall* call = senders.empty() ? comm_call_of(site) : nullptr;
    if (kernels.empty() && call == nullptr) {
      miss(site, "neither a host call nor a kernel that communicates stands for it");
      return {};
    }
    miss(site, "how messages are cut is not visible in the code");
    if (call != nullptr) {
      Directive directive = call->directive;
      // The kernel decides what really moves the bytes.
      if (!kernels.empty()) directive.backend = backend_of(kernels);
      return directive;
    }
    return from_kernels(site, kernels);
  }

  Directive from_kernels(Index site, const std::vector<const Kernel*>& kernels) {
    Directive directive{backend_of(kernels), placement_of(site, kernels), sync_of(kernels), space::Issuer::Cta,
                        space::kWholeMessage};
    const Operation* launch = first_launch(kernels);
    if (launch == nullptr) {
      miss(site, "the launch of its kernel is not found, so who issues is not known");
      return directive;
    }
    directive.issuer = issuer_of(site, *launch->launch);
    return directive;
  }

  space::Issuer issuer_of(Index site, const model::LaunchDetail& launch) {
    if (launch.block == "1") return space::Issuer::Thread;
    if (launch.block == "32") return space::Issuer::Warp;
    if (launch.grid == "1" || launch.grid == "dim3(1)") return space::Issuer::Cta;
    miss(site, concat("a grid of `", launch.grid, "` is taken for several CTAs that issue"));
    return space::Issuer::MultiCta;
  }

  // Buffers that the original's kernels work on and that are not sent or received.
  void note_work() {
    for (const model::Step& step : input_.before.steps)
      if (input_.before.operations[step.operation].kind == OperationKind::Launch)
        for (const model::Region& region : step.regions) worked_on_.insert(buffer_name(input_.before, region.buffer));
    for (const model::Site& site : input_.graph_before.sites)
      for (Index buffer : {site.send_buffer, site.recv_buffer}) worked_on_.erase(buffer_name(input_.before, buffer));
    worked_on_.erase("");
  }

  // It does work of the original besides: has the name of a kernel of it, or touches what only such work on.
  bool computes(const Kernel& kernel) const {
    if (is_program_kernel(kernel.name)) return true;
    return touches_any(kernel, [&](const std::string& buffer) { return worked_on_.contains(buffer); });
  }
  // The kernel that an operation of the result launches; none where that is not known.
  const Kernel* launched(Index operation) const {
    const auto& launch = input_.after.operations[operation].launch;
    return launch && launch->kernel != model::kNone ? &input_.after.kernels[launch->kernel] : nullptr;
  }
  // Whether a step touches a buffer whose name is one of `wanted`.
  template <class Wanted>
  bool touches_any(const model::Step& step, Wanted wanted) const {
    return std::ranges::any_of(
        step.regions, [&](const model::Region& region) { return wanted(buffer_name(input_.after, region.buffer)); });
  }
  template <class Wanted>
  bool touches_any(const Kernel& kernel, Wanted wanted) const {
    return std::ranges::any_of(input_.after.steps, [&](const model::Step& step) {
      return launched(step.operation) == &kernel && touches_any(step, wanted);
    });
  }

  Placement placement_of(Index site, std::vector<const Kernel*> kernels) {
    // A kernel of the program that waits for what it reads says nothing about how that is sent.
    if (std::erase_if(kernels, [&](const Kernel* kernel) { return waits_only(kernel) && computes(*kernel); }) > 0)
      result_.plan.schedule.waits = space::Waits::Blocks;
    for (const Kernel* kernel : kernels)
      if (computes(*kernel))
        return kernel->grid_barrier || divides_its_blocks(*kernel) ? Placement::Specialised : Placement::TileFused;
    if (runs_apart(kernels)) return Placement::Stream;
    bool waits = std::ranges::any_of(kernels, waits_only);
    if (waits && !std::ranges::all_of(kernels, waits_only)) return Placement::Split;
    if (kernels.size() > 1) {
      miss(site, "several kernels stand for it, taken for begin and end");
      return Placement::Split;
    }
    return Placement::Deferred;
  }

  // The original has a kernel of this name: communication went into a kernel that computes.
  bool is_program_kernel(const std::string& name) const {
    auto base = [](const std::string& full) { return full.substr(0, full.find('<')); };
    return std::ranges::any_of(input_.before.kernels, [&](const Kernel& kernel) {
      return base(kernel.name) == base(name) && !communicates(kernel);
    });
  }

  // Launched on a stream that no kernel of the program's own uses.
  bool runs_apart(const std::vector<const Kernel*>& kernels) const {
    std::set<Index> own, theirs;
    for (const model::Step& step : input_.after.steps) {
      const Kernel* kernel = launched(step.operation);
      if (kernel && std::ranges::find(kernels, kernel) != kernels.end()) theirs.insert(step.stream);
      if (kernel && !communicates(*kernel)) own.insert(step.stream);
    }
    return !own.empty() && !theirs.empty() &&
           std::ranges::none_of(theirs, [&](Index one) { return own.contains(one); });
  }

  const Operation* first_launch(const std::vector<const Kernel*>& kernels) const {
    for (Index i = 0; i < input_.after.operations.size(); ++i)
      if (const Kernel* kernel = launched(i); kernel && std::ranges::find(kernels, kernel) != kernels.end())
        return &input_.after.operations[i];
    return nullptr;
  }

  // The site's name, and those of the sites in its group: one kernel serves them all.
  std::vector<std::string> names_of(Index site) const {
    std::vector<std::string> names = {site_at(site).name};
    Index group = call_of(site).communicate->group;
    for (Index other = 0; group != model::kNone && other < input_.graph_before.sites.size(); ++other)
      if (other != site && call_of(other).communicate->group == group) names.push_back(site_at(other).name);
    return names;
  }
  bool is_named_after(const std::string& kernel, Index site) const {
    std::vector<std::string> names = names_of(site);
    return std::ranges::any_of(names, [&](const std::string& name) {
      return kernel.starts_with(concat(name, "_")) || site_of_kernel(kernel) == name;
    });
  }

  const CommCall* comm_call_of(Index site) const {
    std::vector<std::string> names = names_of(site);
    for (const CommCall& call : calls_)
      if (std::ranges::find(names, call.site) != names.end()) return &call;
    return nullptr;
  }

  // Kernels of the program's own that move the site's bytes, and that no call of the library says to be its doing.
  std::vector<const Kernel*> own_senders(Index site) const {
    const CommCall* call = comm_call_of(site);
    if (call == nullptr || is_fused(call->directive.placement)) return {};
    std::vector<const Kernel*> found = kernels_on_buffers(site);
    std::erase_if(found, [&](const Kernel* kernel) {
      return !site_of_kernel(kernel->name).empty() || std::ranges::none_of(kernel->communication, is_sending) ||
             !sends_for(*kernel, site);
    });
    return found;
  }
  static bool is_fused(Placement placement) {
    return placement == Placement::TileFused || placement == Placement::Specialised;
  }

  // A kernel that sends may also use what others have brought: its sites are those without a call of the library, else
  // those whose messages it has in hand before they leave.
  bool sends_for(const Kernel& kernel, Index site) const {
    for (Index other = 0; other < input_.graph_before.sites.size(); ++other)
      if (!host_.contains(other) && comm_call_of(other) == nullptr && touches(kernel, site_at(other).send_buffer))
        return false;
    return touches(kernel, site_at(site).send_buffer);
  }
  bool touches(const Kernel& kernel, Index buffer_before) const {
    std::string name = buffer_name(input_.before, buffer_before);
    return !name.empty() && touches_any(kernel, [&](const std::string& buffer) { return buffer == name; });
  }

  std::vector<const Kernel*> kernels_of(Index site) {
    std::vector<const Kernel*> found;
    for (const Kernel& kernel : input_.after.kernels)
      if (communicates(kernel) && is_named_after(kernel.name, site)) found.push_back(&kernel);
    if (found.empty()) found = kernels_on_buffers(site);
    return found.empty() ? kernels_by_order(site) : found;
  }

  std::vector<const Kernel*> kernels_on_buffers(Index site) const {
    std::set<std::string> wanted = {buffer_name(input_.before, site_at(site).send_buffer),
                                    buffer_name(input_.before, site_at(site).recv_buffer)};
    wanted.erase("");
    std::vector<const Kernel*> found;
    for (const model::Step& step : input_.after.steps) {
      const Kernel* kernel = launched(step.operation);
      if (!kernel || !communicates(*kernel) || std::ranges::find(found, kernel) != found.end()) continue;
      if (touches_any(step, [&](const std::string& buffer) { return wanted.contains(buffer); }))
        found.push_back(kernel);
    }
    return found;
  }

  // The kernels that communicate, in the order of their definitions; the last one stands for all sites behind it.
  std::vector<const Kernel*> kernels_by_order(Index site) {
    std::vector<const Kernel*> all;
    for (const Kernel& kernel : input_.after.kernels)
      if (communicates(kernel) && site_of_kernel(kernel.name).empty()) all.push_back(&kernel);
    if (all.empty()) return {};
    size_t place = 0;
    for (Index other = 0; other < site; ++other) place += !host_.contains(other);
    const Kernel* kernel = all[std::min(place, all.size() - 1)];
    miss(site, concat("nothing but order tells that `", kernel->name, "` stands for it"));
    return {kernel};
  }

  void read_schedule() {
    space::Schedule& schedule = result_.plan.schedule;
    for (const CommCall& call : calls_) {
      schedule.streams = std::max(schedule.streams, call.streams);
      schedule.communication_ctas = std::max(schedule.communication_ctas, call.blocks);
    }
    for (const Source& source : input_.sources) {
      if (schedule.order == space::WorkOrder::AsWritten) schedule.order = read_loop_order(source.text);
      if (schedule.waits == space::Waits::Stream) schedule.waits = read_waits(source.text);
    }
  }

  const InferInput& input_;
  std::vector<CommCall> calls_;
  std::set<Index> host_;
  std::set<std::string> worked_on_;
  InferredPlan result_;
};

}  // namespace

InferredPlan infer_plan(const InferInput& input) { return Reader(input).read(); }

}  // namespace cuco::rewrite
