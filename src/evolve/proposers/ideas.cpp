#include "evolve/proposers/ideas.h"

#include <algorithm>

#include "space/plan_legality.h"

namespace cuco::evolve {
namespace {

using space::Dimension;
using space::Directive;
using space::Issuer;
using space::Placement;
using space::SyncScope;

constexpr uint32_t kManyCtas = 8;     // Fill a link of today's GPUs without taking many SMs.
constexpr int kFinest = 1 << 10;      // The last of a unit's cuts, however many there are.
constexpr uint32_t kFewCtas = 2;      // Keep up with messages in parts, which the network carries by itself.
constexpr uint32_t kAddingCtas = 16;  // Add up the last part of a reduction soon; each does a share of it for long.
constexpr uint32_t kSoonCtas = 16;    // Have the last message over soon, where nothing is left to hide it.

// What every unit should look like, as far as it can.
struct Wish {
  Placement placement = Placement::Deferred;
  Issuer issuer = Issuer::Cta;
  int cut = -1;  // Index into the unit's cuts, or kFinest; -1: whole messages.
  space::Schedule schedule;
};

class Ideas {
 public:
  explicit Ideas(PlanSpace& plan_space) : space_(plan_space) {}

  std::vector<Idea> run() {
    std::vector<space::Backend> all = backends();
    // What tells ways for the bytes apart comes before refinements of any of them.
    for (space::Backend backend : all) add_main_ideas(backend);
    for (space::Backend backend : all) add_waiting_blocks(backend);
    if (!all.empty()) add_side_by_side(all.front());
    for (space::Backend backend : all) add_refinements(backend, backend == all.front());
    add_host_calls();
    return std::move(ideas_);
  }

 private:
  // That of the fast path first.
  std::vector<space::Backend> backends() {
    std::vector<space::Backend> found;
    auto note = [&](space::Backend backend) {
      if (backend != space::Backend::Host && std::ranges::find(found, backend) == found.end()) found.push_back(backend);
    };
    for (size_t unit = 0; unit < space_.unit_count(); ++unit) note(space_.directive(space_.fast_path(), unit).backend);
    for (size_t unit = 0; unit < space_.unit_count(); ++unit)
      for (const Directive& option : space_.options(unit)) note(option.backend);
    return found;
  }

  void add_main_ideas(space::Backend backend) {
    backend_ = backend;
    add({Placement::Stream, Issuer::MultiCta, -1, with_ctas(kManyCtas)}, Axis::Placement,
        "a stream of its own lets communication run beside compute");
    add_finest_parts();
    add_peers_first();
    add_reduced_parts();
    add({Placement::TileFused, Issuer::Cta, 2, {}}, Axis::Placement,
        "blocks that send what they wrote need no kernel after them");
    add({Placement::Split, Issuer::Cta, -1, {}}, Axis::Placement,
        "bytes that leave early and are awaited late travel beside compute");
    add_cuts({1});
    add_urgent_parts();
  }

  // Parts of messages, so that the first blocks wait for little; on a lane that goes before compute.
  void add_waiting_blocks(space::Backend backend) {
    backend_ = backend;
    for (int cut : {2, 0, -1}) {
      Wish wish{Placement::Stream, Issuer::MultiCta, cut, with_ctas(kManyCtas)};
      wish.schedule.priority = space::StreamPriority::High;
      wish.schedule.waits = space::Waits::Blocks;
      add(wish, Axis::Waits, "blocks that wait for just what they read let the others of their kernel run");
    }
    Wish both{Placement::TileFused, Issuer::Cta, 2, {}};
    both.schedule.waits = space::Waits::Blocks;
    add(both, Axis::Waits, "blocks that send what they wrote and wait for what they read need no kernel between them");
  }

  // As many parts as there can be, posted by one CTA: kernels between two exchanges go through their slices one by one.
  void add_finest_parts() {
    Wish wish{Placement::Stream, Issuer::Cta, kFinest, {}};
    wish.schedule.priority = space::StreamPriority::High;
    add(wish, Axis::Chunk, "the finest parts leave first and keep every kernel behind them waiting least");
  }

  // Where everybody sends to everybody, results for peers can travel while own ones are computed. Two lanes: messages
  // of one call do not wait for those of another to leave.
  void add_peers_first() {
    if (std::ranges::none_of(space_.sites(), [](const space::SiteFacts& site) {
          return site.in_region && site.group_pattern == model::GroupPattern::AllToAll;
        }))
      return;
    Wish wish{Placement::Stream, Issuer::MultiCta, kFinest, with_ctas(kFewCtas)};
    wish.schedule.streams = 2;
    wish.schedule.order = space::WorkOrder::RemoteFirst;
    wish.schedule.priority = space::StreamPriority::High;
    add(wish, Axis::Order, "parts of what peers wait for can leave first and travel beside the rest");
  }

  // What reads a reduction waits for its last part: small, and added up by many.
  void add_reduced_parts() {
    if (std::ranges::none_of(space_.sites(),
                             [](const space::SiteFacts& site) { return site.in_region && !site.reduction.empty(); }))
      return;
    Wish wish{Placement::Stream, Issuer::MultiCta, kFinest, with_ctas(kAddingCtas)};
    wish.schedule.priority = space::StreamPriority::High;
    add(wish, Axis::Chunk,
        "the last part of a reduction is all that its reader waits for, and many CTAs add it up sooner");
  }

  // The blocks of a kernel in slices fill the GPU: what waits behind them leaves late.
  void add_urgent_parts() {
    for (int cut : {3, 2, 1}) {
      Wish wish{Placement::Stream, Issuer::MultiCta, cut, with_ctas(kFewCtas)};
      wish.schedule.priority = space::StreamPriority::High;
      add(wish, Axis::Chunk, "fine parts that go before the blocks of compute keep the link busy from early on");
    }
  }

  void add_side_by_side(space::Backend backend) {
    backend_ = backend;
    Wish wish{Placement::Stream, Issuer::MultiCta, -1, with_ctas(kManyCtas)};
    wish.schedule.order = space::WorkOrder::SideBySide;
    add(wish, Axis::Order, "the end of one kernel leaves multiprocessors idle that another can use");
    wish.schedule.communication_ctas = kSoonCtas;
    add(wish, Axis::Ctas, "kernels side by side end together, and more CTAs send sooner what is then left");
  }

  // Numbers of CTAs, streams and the like are left to moves from what these find.
  void add_refinements(space::Backend backend, bool in_full) {
    backend_ = backend;
    add({Placement::Specialised, Issuer::MultiCta, 2, with_ctas(kFewCtas)}, Axis::Placement,
        "blocks that only communicate let the others of their kernel compute without a break");
    add({Placement::Split, Issuer::MultiCta, -1, with_ctas(kManyCtas)}, Axis::Placement,
        "several CTAs post early what is awaited late");
    add({Placement::Deferred, Issuer::MultiCta, -1, with_ctas(kManyCtas)}, Axis::Ctas,
        "one CTA cannot fill a fast link");
    add({Placement::Stream, Issuer::Cta, -1, {}}, Axis::Issuer, "one CTA takes the fewest SMs from compute");
    add({Placement::Deferred, Issuer::Cta, -1, {}}, Axis::Backend, "this way for the bytes may be the faster one");
    if (!in_full) return;
    add_cuts({2, 0});
    add_orders();
  }

  void add_cuts(const std::vector<int>& cuts) {
    for (int cut : cuts) {
      add({Placement::Stream, Issuer::MultiCta, cut, with_ctas(kManyCtas)}, Axis::Chunk,
          "a part can leave while the next is computed");
      add({Placement::Split, Issuer::Cta, cut, {}}, Axis::Chunk, "a part can leave while the next is computed");
    }
  }

  void add_orders() {
    for (Placement placement : {Placement::Stream, Placement::Split}) {
      Wish wish{placement, Issuer::MultiCta, -1, with_ctas(kManyCtas)};
      wish.schedule.order = space::WorkOrder::RemoteFirst;
      add(wish, Axis::Order, "what peers wait for should be done first");
      wish.schedule.order = space::WorkOrder::LocalFirst;
      add(wish, Axis::Order, "work on local data can hide what is still under way");
    }
    // Fine parts of what is done first travel while the rest is computed.
    for (int cut : {2, 3}) {
      Wish wish{Placement::Stream, Issuer::Cta, cut, {}};
      wish.schedule.order = space::WorkOrder::RemoteFirst;
      add(wish, Axis::Order, "parts of what peers wait for can leave first");
    }
  }

  // Single calls that do not pay: NCCL's own kernels beside those of the others.
  void add_host_calls() {
    if (space_.unit_count() < 2 || ideas_.empty()) return;
    space::Plan best_guess = ideas_.front().plan;
    for (size_t unit = 0; unit < space_.unit_count(); ++unit)
      add_plan(space_.with(best_guess, unit, Directive{}), Axis::Backend, "this call may be better left to the host");
  }

  static space::Schedule with_ctas(uint32_t ctas) {
    space::Schedule schedule;
    schedule.communication_ctas = ctas;
    return schedule;
  }

  Directive wanted(size_t unit, const Wish& wish, uint64_t chunk_bytes) const {
    bool by_store = backend_ == space::Backend::Lsa || backend_ == space::Backend::Multimem;
    SyncScope sync = by_store ? SyncScope::Flag : SyncScope::PeerSignal;
    if (!by_store && chunk_bytes != space::kWholeMessage) sync = SyncScope::ChunkSignal;
    if (wish.placement == Placement::Deferred) sync = space_.directive(space_.fast_path(), unit).sync;
    return {backend_, wish.placement, sync, wish.issuer, chunk_bytes};
  }

  std::optional<Directive> fulfilled(size_t unit, const Wish& wish) {
    if (wish.cut < 0)
      return space_.nearest(unit, wanted(unit, wish, space::kWholeMessage),
                            {Dimension::Backend, Dimension::Placement, Dimension::Issuer, Dimension::Chunk});
    std::vector<uint64_t> cuts = space_.cuts(unit);
    size_t cut = wish.cut == kFinest && !cuts.empty() ? cuts.size() - 1 : static_cast<size_t>(wish.cut);
    if (cut >= cuts.size()) return std::nullopt;
    return space_.nearest(unit, wanted(unit, wish, cuts[cut]),
                          {Dimension::Backend, Dimension::Placement, Dimension::Chunk});
  }

  // Units that cannot follow do as much of it as they can: whole messages, else the same way for the bytes, deferred.
  void add(const Wish& wish, Axis axis, const char* reason) {
    space::Plan plan = space_.fast_path();
    plan.schedule = wish.schedule;
    bool followed = false;
    std::vector<std::pair<size_t, Directive>> chosen;
    for (size_t unit = 0; unit < space_.unit_count(); ++unit) {
      std::optional<Directive> directive = fulfilled(unit, wish);
      followed = followed || directive.has_value();
      if (!directive) directive = fulfilled(unit, {wish.placement, wish.issuer, -1, wish.schedule});
      if (!directive) directive = fulfilled(unit, {Placement::Deferred, wish.issuer, -1, wish.schedule});
      if (directive) chosen.emplace_back(unit, *directive);
    }
    if (!followed) return;
    for (const auto& [unit, directive] : chosen) set_keeping_schedule(plan, unit, directive);
    plan.schedule = space::fitted_schedule(space_.sites(), plan, space_.profile());
    add_plan(std::move(plan), axis, reason);
  }

  // The schedule is fitted once, when all units have their directives: before that it would lose what they need.
  void set_keeping_schedule(space::Plan& plan, size_t unit, const Directive& directive) {
    space::Schedule schedule = plan.schedule;
    plan = space_.with(std::move(plan), unit, directive);
    plan.schedule = schedule;
  }

  void add_plan(space::Plan plan, Axis axis, const char* reason) {
    bool known = std::ranges::any_of(ideas_, [&](const Idea& idea) { return idea.plan == plan; });
    if (!known) ideas_.push_back({std::move(plan), axis, reason});
  }

  PlanSpace& space_;
  space::Backend backend_ = space::Backend::Host;
  std::vector<Idea> ideas_;
};

}  // namespace

std::vector<Idea> expert_ideas(PlanSpace& plan_space) { return Ideas(plan_space).run(); }

}  // namespace cuco::evolve
