// Both ends of a message leave the host, or neither does: what a kernel sends no call of the host receives, and the
// program would wait for ever.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

namespace {

bool is_off_host(const Work& work, Index site) { return std::ranges::find(work.sites, site) != work.sites.end(); }

// A send and a receive. Those of one group are refused as a group that is only partly off the host.
bool may_be_ends(const Work& work, Index site, Index other) {
  const model::CommunicateDetail &own = *first_call(work, site).communicate,
                                 &its = *first_call(work, other).communicate;
  bool pair = (own.collective == Collective::Send && its.collective == Collective::Recv) ||
              (own.collective == Collective::Recv && its.collective == Collective::Send);
  return pair && (own.group == model::kNone || own.group != its.group);
}

std::optional<Index> site_at(const Work& work, const TracedStep& step) {
  for (Index site = 0; site < work.site_count(); ++site)
    for (Index call : work.site(site).operations) {
      const Operation& operation = work.operation(call);
      if (operation.communicate && operation.communicate->collective == step.call.collective &&
          same_place(step.place, place_of(work, operation.range)))
        return site;
    }
  return std::nullopt;
}

// The calls of one kind over all ranks of a traced run, by sender, receiver and how many came before between them.
using Message = std::tuple<int, int, size_t>;
std::map<Message, const TracedStep*> messages_of(const AccessTrace& trace, Collective collective) {
  std::map<Message, const TracedStep*> messages;
  std::map<std::pair<int, int>, size_t> counts;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (const TracedStep& step : steps) {
      if (step.is_launch || step.call.collective != collective) continue;
      std::pair<int, int> ends(step.call.rank, step.call.peer);
      if (collective == Collective::Recv) std::swap(ends.first, ends.second);
      messages.emplace(Message(ends.first, ends.second, counts[ends]++), &step);
    }
  return messages;
}

using Ends = std::set<std::pair<Index, Index>>;  // Sites of a send and of the receive that has its message.

Ends traced_ends(const Work& work) {
  Ends ends;
  auto sends = messages_of(*work.request.accesses, Collective::Send),
       receives = messages_of(*work.request.accesses, Collective::Recv);
  for (const auto& [message, send] : sends) {
    auto receive = receives.find(message);
    std::optional<Index> from = site_at(work, *send), to;
    if (receive != receives.end()) to = site_at(work, *receive->second);
    if (from && to && may_be_ends(work, *from, *to)) ends.emplace(*from, *to);
  }
  return ends;
}

// Messages of several communicators cannot be told apart in a trace.
bool is_traced(const Work& work) {
  std::set<Index> communicators;
  for (const Operation& operation : work.program().operations)
    if (operation.communicate) communicators.insert(operation.communicate->communicator);
  return work.request.accesses && communicators.size() == 1;
}

void refuse(Work& work, Index site, Index other) {
  const Operation &call = first_call(work, site), &end = first_call(work, other);
  bool sends = call.communicate->collective == Collective::Send;
  work.obstacle(call.range, "the plan has kernels ", sends ? "send" : "receive", " the messages of ",
                work.site(site).name, " and leaves their other end on the host, ", end.callee, " at ",
                model::location_text(work.program(), end.range), " (", work.site(other).name,
                "): take both off the host, or neither");
}

void check_traced(Work& work) {
  for (const auto& [send, receive] : traced_ends(work)) {
    if (is_off_host(work, send) && !is_off_host(work, receive)) refuse(work, send, receive);
    if (is_off_host(work, receive) && !is_off_host(work, send)) refuse(work, receive, send);
  }
}

// Without a trace it is not known which of several calls has the other end, but one that is left must have it.
void check_untraced(Work& work) {
  for (Index site : work.sites) {
    std::vector<Index> ends;
    for (Index other = 0; other < work.site_count(); ++other)
      if (work.request.sites[other].exchange == work.request.sites[site].exchange && may_be_ends(work, site, other))
        ends.push_back(other);
    if (std::ranges::none_of(ends, [&](Index end) { return is_off_host(work, end); }) && !ends.empty())
      refuse(work, site, ends[0]);
  }
}

}  // namespace

void check_ends(Work& work) {
  if (is_traced(work))
    check_traced(work);
  else
    check_untraced(work);
}

}  // namespace cuco::rewrite
