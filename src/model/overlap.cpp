#include "model/overlap.h"

#include <algorithm>
#include <map>

#include "model/bits.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

using Neighbours = std::vector<std::vector<Index>>;

// Dependences as adjacency lists, with or without the assumed ones. The sends and receives of one exchange complete
// together: what feeds one of them comes before whatever any of them feeds, since the peers do the same.
struct StepGraph {
  Neighbours after;
  Neighbours before;

  StepGraph(const std::vector<Index>& exchanges, const std::vector<StepDependence>& dependences, bool with_assumed)
      : after(exchanges.size()), before(exchanges.size()) {
    for (const StepDependence& dependence : dependences)
      if (with_assumed || !dependence.assumed) join(dependence.from, dependence.to);
    std::map<Index, Index> latest;
    for (Index step = 0; step < exchanges.size(); ++step) {
      if (exchanges[step] == kNone) continue;
      auto [member, first] = latest.emplace(exchanges[step], step);
      if (first) continue;
      join(member->second, step);
      join(step, member->second);
      member->second = step;
    }
  }

  void join(Index from, Index to) {
    after[from].push_back(to);
    before[to].push_back(from);
  }
};

void mark_reachable(const Neighbours& neighbours, std::vector<Index> frontier, Bits& reached) {
  while (!frontier.empty()) {
    Index step = frontier.back();
    frontier.pop_back();
    for (Index next : neighbours[step]) {
      if (reached.test(next)) continue;
      reached.set(next);
      frontier.push_back(next);
    }
  }
}

// Forward and backward chains are followed apart: two consumers of one producer are not related to each other.
Bits related_to(const StepGraph& graph, const std::vector<Index>& steps) {
  Bits later(graph.after.size());
  Bits earlier(graph.after.size());
  mark_reachable(graph.after, steps, later);
  mark_reachable(graph.before, steps, earlier);
  return later |= earlier;
}

// Of one piece of work to an instance of the site; the smaller the freer.
enum class Relation : uint8_t { Independent, PerhapsDependent, Dependent };

// What is known about one operation beside a site, by how many iterations later it runs in each loop around both, and
// by the site's own iteration: the freest pair of instances.
class Evidence {
 public:
  void add(const CommonIterations& iterations, Index instance, Relation relation) {
    if (!iterations.same() && !iterations.neighbouring()) return;
    Relation& freest = shifts_[shift_of(iterations)].emplace(instance, relation).first->second;
    freest = std::min(freest, relation);
  }

  // The best of the shifts to the same (or to neighbouring) iterations. Every instance of the site must allow it: only
  // the first iterations of a loop are run, so the last one that is may lack the consumers that the next would bring.
  Relation best(bool same_iteration) const {
    Relation best = Relation::Dependent;
    for (const auto& [shift, relations] : shifts_) {
      bool same = std::all_of(shift.begin(), shift.end(), [](int64_t distance) { return distance == 0; });
      if (same != same_iteration) continue;
      Relation worst = Relation::Independent;
      for (const auto& [instance, relation] : relations) worst = std::max(worst, relation);
      best = std::min(best, worst);
    }
    return best;
  }

 private:
  using Shift = std::vector<int64_t>;

  static Shift shift_of(const CommonIterations& iterations) {
    Shift shift;
    for (size_t i = 0; i < iterations.first.size(); ++i)
      shift.push_back(int64_t{iterations.second[i]} - int64_t{iterations.first[i]});
    return shift;
  }

  std::map<Shift, std::map<Index, Relation>> shifts_;
};

class OverlapFinder {
 public:
  OverlapFinder(const Program& program, const std::vector<Index>& exchanges,
                const std::vector<StepDependence>& dependences)
      : program_(program),
        exchanges_(exchanges),
        all_(exchanges, dependences, true),
        certain_(exchanges, dependences, false) {}

  std::vector<Overlap> find(const Site& site) const {
    std::map<Index, Evidence> evidence;
    for (Index step = 0; step < program_.steps.size(); ++step)
      if (belongs(site, step) && in_timed_region(program_, step)) compare_with_instance(site, step, evidence);
    std::vector<Overlap> overlaps;
    for (const auto& [operation, found] : evidence) {
      Relation same = found.best(true);
      Relation freest = same == Relation::Dependent ? found.best(false) : same;
      if (freest == Relation::Dependent) continue;
      overlaps.push_back({operation, freest == Relation::PerhapsDependent, same == Relation::Dependent});
    }
    return overlaps;
  }

 private:
  bool belongs(const Site& site, Index step) const {
    Index operation = program_.steps[step].operation;
    return std::find(site.operations.begin(), site.operations.end(), operation) != site.operations.end();
  }

  void compare_with_instance(const Site& site, Index instance, std::map<Index, Evidence>& evidence) const {
    std::vector<Index> exchange;
    for (Index step = 0; step < program_.steps.size(); ++step)
      if (exchanges_[step] == exchanges_[instance]) exchange.push_back(step);
    Bits related = related_to(all_, exchange);
    Bits surely_related = related_to(certain_, exchange);
    for (Index step = program_.timed_region.first_step; step <= program_.timed_region.last_step; ++step) {
      if (!in_timed_region(program_, step) || !is_candidate(site, instance, step)) continue;
      Relation relation = surely_related.test(step) ? Relation::Dependent
                          : related.test(step)      ? Relation::PerhapsDependent
                                                    : Relation::Independent;
      evidence[program_.steps[step].operation].add(common_iterations(program_, instance, step), instance, relation);
    }
  }

  bool is_candidate(const Site& site, Index instance, Index step) const {
    const Operation& work = operation_at(program_, step);
    const Operation& call = operation_at(program_, instance);
    if (!is_device_work(work.kind) || belongs(site, step) || on_opposite_sides(work, call)) return false;
    bool unknown_effects = work.launch && work.launch->kernel == kNone && program_.steps[step].regions.empty();
    if (unknown_effects) return false;
    bool same_group =
        work.communicate && work.communicate->group != kNone && work.communicate->group == call.communicate->group;
    return !same_group && exchanges_[step] != exchanges_[instance];
  }

  const Program& program_;
  const std::vector<Index>& exchanges_;
  StepGraph all_;
  StepGraph certain_;
};

}  // namespace

void find_overlaps(const Program& program, const std::vector<Index>& exchanges,
                   const std::vector<StepDependence>& dependences, std::vector<Site>& sites) {
  if (program.timed_region.basis == RegionBasis::None) return;
  OverlapFinder finder(program, exchanges, dependences);
  for (Site& site : sites) site.overlaps = finder.find(site);
}

}  // namespace cuco::model
