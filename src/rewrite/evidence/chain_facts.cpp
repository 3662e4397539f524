#include "rewrite/evidence/chain_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "footprint/block_accesses.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using footprint::unit_accesses;
using footprint::UnitAccesses;

// A run of bytes of each buffer.
struct Span {
  uint64_t begin = UINT64_MAX, end = 0;
};
using Spans = std::map<uint32_t, Span>;

struct LaunchSpans {
  Spans read, written;
};

LaunchSpans spans_of(const TracedLaunch& launch) {
  LaunchSpans spans;
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints) {
      Span& span = (print.written ? spans.written : spans.read)[print.buffer];
      span.begin = std::min(span.begin, print.begin);
      span.end = std::max(span.end, print.end());
    }
  return spans;
}

bool meet(const Spans& a, const Spans& b) {
  return std::ranges::any_of(a, [&](const auto& one) {
    auto other = b.find(one.first);
    return other != b.end() && one.second.begin < other->second.end && other->second.begin < one.second.end;
  });
}

// What the steps of one rank touch, and which of them belong to the chain.
class RankChain {
 public:
  RankChain(const std::vector<TracedStep>& steps, const std::vector<std::string>& places) : steps_(steps) {
    for (const TracedStep& step : steps) spans_.push_back(step.is_launch ? spans_of(step.launch) : LaunchSpans());
    for (size_t i = 0; i < steps.size(); i++)
      if (!steps[i].is_launch && is_one_of(steps[i].place, places)) add_neighbours(i);
    for (size_t i = steps.size(); i-- > 0;)
      if (chained_.contains(i)) add_writers(spans_[i].read, i);
  }

  const std::set<size_t>& chained() const { return chained_; }
  const LaunchSpans& spans(size_t step) const { return spans_[step]; }

 private:
  static bool is_one_of(const std::string& place, const std::vector<std::string>& places) {
    return std::ranges::any_of(places, [&](const std::string& one) { return same_place(place, one); });
  }

  void add_neighbours(size_t call) {
    const TracedCall& traced = steps_[call].call;
    if (traced.collective == Collective::Recv && traced.receive.used)
      return add_readers({{traced.receive.buffer, {traced.receive.offset, traced.receive.offset + traced.bytes}}},
                         call);
    if (std::optional<Sent> sent = sent_by(traced))
      for (uint64_t offset : sent->offsets) add_writers({{sent->buffer, {offset, offset + sent->bytes}}}, call);
  }
  void add_readers(const Spans& received, size_t call) {
    for (size_t i = call + 1; i < steps_.size(); i++)
      if (meet(spans_[i].read, received)) chained_.insert(i);
  }
  void add_writers(const Spans& read, size_t step) {
    for (size_t i = 0; i < step; i++)
      if (meet(spans_[i].written, read)) chained_.insert(i);
  }

  const std::vector<TracedStep>& steps_;
  std::vector<LaunchSpans> spans_;
  std::set<size_t> chained_;
};

ChainLaunch& launch_at(std::vector<ChainLaunch>& all, const TracedStep& step) {
  for (ChainLaunch& one : all)
    if (same_place(one.place, step.place)) return one;
  all.push_back({step.place, step.launch.kernel, ""});
  return all.back();
}

void add_launch(std::vector<ChainLaunch>& all, const TracedStep& step) {
  ChainLaunch& launch = launch_at(all, step);
  for (const model::TracedPointer& pointer : step.launch.pointers)
    launch.pointers.emplace(pointer.parameter, pointer.field);
}

void add_forms(ChainLaunch& launch, const AccessTrace& trace) {
  UnitForms found = unit_forms(trace, launch.place);
  launch.obstacle = std::move(found.obstacle);
  launch.forms = std::move(found.forms);
}

// How many units of the writer one unit of the reader needs; 1 where that does not come out even.
uint32_t ratio(const UnitAccesses& writer, const TracedLaunch& written, const UnitAccesses& reader,
               const TracedLaunch& read) {
  auto buffer_of = [](const TracedLaunch& launch, const Access& access) {
    for (const model::TracedPointer& pointer : launch.pointers)
      if (access.is_behind(pointer)) return static_cast<int64_t>(pointer.buffer);
    return int64_t{-1};
  };
  int64_t most = 1;
  for (const Access& write : writer.accesses)
    for (const Access& use : reader.accesses)
      if (write.writes && !use.writes && use.has_rule() && buffer_of(written, write) == buffer_of(read, use) &&
          use.step() % write.step() == 0)
        most = std::max(most, use.step() / write.step());
  return static_cast<uint32_t>(most);
}

void add_grains(std::vector<ChainLaunch>& all, const std::vector<TracedStep>& steps, const RankChain& chain) {
  for (size_t i : chain.chained())
    for (size_t j : chain.chained()) {
      if (j <= i || !meet(chain.spans(i).written, chain.spans(j).read)) continue;
      UnitAccesses writer = unit_accesses(steps[i].launch), reader = unit_accesses(steps[j].launch);
      if (!writer.obstacle.empty() || !reader.obstacle.empty()) continue;
      uint32_t grain = ratio(writer, steps[i].launch, reader, steps[j].launch);
      for (UnitForm& form : launch_at(all, steps[i]).forms) form.grain = std::max(form.grain, grain);
    }
}

}  // namespace

std::vector<ChainLaunch> chain_of(const AccessTrace& trace, const std::vector<std::string>& places) {
  std::vector<ChainLaunch> all;
  for (const std::vector<TracedStep>& steps : trace.ranks) {
    RankChain chain(steps, places);
    for (size_t step : chain.chained()) add_launch(all, steps[step]);
  }
  for (ChainLaunch& launch : all) add_forms(launch, trace);
  for (const std::vector<TracedStep>& steps : trace.ranks) add_grains(all, steps, RankChain(steps, places));
  return all;
}

}  // namespace cuco::rewrite
