// Communicators, windows and collectives.
#include "base/text.h"
#include "frontend/api_effects.h"
#include "frontend/enumerators.h"

namespace cuco::frontend {

using model::Access;
using model::Index;
using model::kNone;
using model::OperationKind;
using model::Symbolic;

namespace {

bool sends_to_all(model::Collective collective) {
  using enum model::Collective;
  return collective == ReduceScatter || collective == AlltoAll || collective == Scatter;
}

bool receives_from_all(model::Collective collective) {
  using enum model::Collective;
  return collective == AllGather || collective == AlltoAll || collective == Gather;
}

bool share_bytes(const model::Region& a, const model::Region& b) {
  if (a.buffer != b.buffer) return false;
  return !a.bytes || !b.bytes || model::may_overlap(a.offset_bytes, *a.bytes, b.offset_bytes, *b.bytes);
}

}  // namespace

void ApiEffects::make_communicator(Reading& reading, const clang::Expr* argument) {
  model::CommunicatorOrigin origin = reading.api->name == "ncclCommInitAll"     ? model::CommunicatorOrigin::InitAll
                                     : reading.api->roles.front() == Role::Comm ? model::CommunicatorOrigin::Split
                                                                                : model::CommunicatorOrigin::InitRank;
  Index parent = operation(reading).communicate ? detail(reading).communicator : kNone;
  operation(reading).communicate.reset();
  for (HostPlace place : pointed_places(in_.evaluate(argument))) {
    if (origin == model::CommunicatorOrigin::InitAll && place.path.ends_with("[0]"))
      place.path.replace(place.path.size() - 3, 3, "[*]");
    Index made = in_.recorder().communicator_for(reading.operation, in_.name_of(place), origin);
    in_.recorder().program().communicators[made].parent = parent;
    in_.store(place, handle_value(TargetKind::Communicator, made));
    reading.step.event = kNone;
    auto [known, fresh] = rank_counts_.try_emplace(made, Symbolic::unknown(concat("ranks of ", in_.name_of(place))));
    in_.recorder().program().communicators[made].rank_count_value = known->second;
  }
}

void ApiEffects::tell_rank_count(Reading& reading, const Value& where) {
  Value holder = in_.evaluate(reading.call->getArg(0));
  const Target* comm = find_target(holder, TargetKind::Communicator);
  if (!comm || !rank_counts_.contains(comm->index)) return clobber(where);
  for (const HostPlace& place : pointed_places(where)) in_.store(place, number_value(rank_counts_[comm->index]));
}

// In ncclCommInit*: the size of the communicator made just before. In ncclCommCount: where the size goes.
void ApiEffects::set_rank_count(Reading& reading, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  if (argument->getType()->isPointerType()) return tell_rank_count(reading, value);
  Value holder;
  for (const HostPlace& place : pointed_places(in_.evaluate(reading.call->getArg(0))))
    if (std::optional<Value> held = in_.memory().load(place)) holder = either_of(holder, *held);
  const Target* made = find_target(holder, TargetKind::Communicator);
  if (!made) return;
  in_.recorder().program().communicators[made->index].rank_count = in_.describe(argument, value);
  if (!value.number) return;
  rank_counts_[made->index] = *value.number;
  in_.recorder().program().communicators[made->index].rank_count_value = value.number;
}

void ApiEffects::read_nccl_argument(Reading& reading, Role role, const clang::Expr* argument) {
  if (role == Role::SendBuffer)
    reading.send = argument;
  else if (role == Role::RecvBuffer)
    reading.recv = argument;
  else if (role == Role::NewComm)
    make_communicator(reading, argument);
  else if (role == Role::RankCount)
    set_rank_count(reading, argument);
  else if (role == Role::NewWindow || role == Role::Window)
    read_window(reading, role, argument);
  else
    read_site_argument(reading, role, argument);
}

// A window stands for the buffer it was made of.
void ApiEffects::read_window(Reading& reading, Role role, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  if (role == Role::Window)
    for (const Target& target : buffer_targets(value)) operation(reading).buffer = target.index;
  if (role != Role::NewWindow) return;
  Value buffer = in_.evaluate(reading.call->getArg(1));
  for (const HostPlace& place : pointed_places(value)) in_.store(place, buffer);
}

// What differs from step to step, as an element that a loop chooses, is told as it is written.
std::string ApiEffects::told(const Reading& reading, const std::string& before, const clang::Expr* argument,
                             const Value& value) const {
  std::string text = in_.describe(argument, value);
  return reading.fresh || text == before ? text : in_.here().text_of(argument);
}

void ApiEffects::read_site_argument(Reading& reading, Role role, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  bool describes_site = operation(reading).kind == OperationKind::Communicate;
  bool names_parent = role == Role::Comm && reading.api->kind == OperationKind::CommInit;
  if (!describes_site && !names_parent) return;
  model::CommunicateDetail& facts = detail(reading);
  if (role == Role::Comm) facts.communicator = communicator_of(value, argument);
  if (role == Role::Reduction) {
    std::optional<int64_t> number = value.number ? value.number->as_constant() : std::nullopt;
    facts.makes_reduction = number == kMadeReduction;
    facts.reduction =
        facts.makes_reduction ? in_.here().text_of(argument) : enumerator_named(argument, value, in_.here());
  }
  // The number that one rank's thread has for it is not that of others.
  bool is_one_ranks = value.varies && value.number && value.number->as_constant();
  if (role == Role::Peer)
    facts.root_or_peer =
        is_one_ranks ? in_.here().text_of(argument) : told(reading, facts.root_or_peer, argument, value);
  if (role == Role::Type) {
    facts.type = enumerator_named(argument, value, in_.here());
    facts.element_bytes = nccl_type_bytes(facts.type);
  }
  if (role == Role::Count) {
    facts.count = told(reading, facts.count, argument, value);
    facts.count_value = value.number ? *value.number : in_.opaque(facts.count);
  }
}

void ApiEffects::add_collective_regions(Reading& reading) {
  model::CommunicateDetail& facts = detail(reading);
  auto ranks = rank_counts_.find(facts.communicator);
  Symbolic rank_count = ranks == rank_counts_.end() ? Symbolic::unknown("ranks") : ranks->second;
  std::optional<Symbolic> message;
  if (facts.element_bytes > 0) message = facts.count_value * Symbolic::constant(facts.element_bytes);
  auto scaled = [&](bool by_ranks) { return message && by_ranks ? std::optional(*message * rank_count) : message; };
  size_t first = reading.step.regions.size();
  if (reading.send)
    add_regions(reading, in_.evaluate(reading.send), reading.send, Access::Read,
                scaled(sends_to_all(facts.collective)));
  size_t middle = reading.step.regions.size();
  bool one_pointer = reading.recv && !reading.send && facts.collective == model::Collective::Broadcast;
  if (reading.recv)
    add_regions(reading, in_.evaluate(reading.recv), reading.recv, one_pointer ? Access::ReadWrite : Access::Write,
                scaled(receives_from_all(facts.collective)));
  facts.in_place = one_pointer;
  for (size_t s = first; s < middle; ++s)
    for (size_t r = middle; r < reading.step.regions.size(); ++r)
      facts.in_place = facts.in_place || share_bytes(reading.step.regions[s], reading.step.regions[r]);
}

}  // namespace cuco::frontend
