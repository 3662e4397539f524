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
  for (Place place : pointed_places(in_.evaluate(argument))) {
    if (origin == model::CommunicatorOrigin::InitAll && place.path.ends_with("[0]"))
      place.path.replace(place.path.size() - 3, 3, "[*]");
    Index made = in_.recorder().communicator_for(reading.operation, in_.name_of(place), origin);
    in_.recorder().program().communicators[made].parent = parent;
    in_.store(place, handle_value(TargetKind::Communicator, made));
    reading.step.event = kNone;
    rank_counts_.try_emplace(made, Symbolic::unknown(concat("ranks of ", in_.name_of(place))));
  }
}

// In ncclCommInit*: the size of the communicator made just before. In ncclCommCount: where the size goes.
void ApiEffects::set_rank_count(Reading& reading, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  if (argument->getType()->isPointerType()) return clobber(value);
  const Target* made = nullptr;
  Value holder;
  for (const Place& place : pointed_places(in_.evaluate(reading.call->getArg(0))))
    if (std::optional<Value> held = in_.memory().load(place)) holder = join(holder, *held);
  made = find_target(holder, TargetKind::Communicator);
  if (!made) return;
  in_.recorder().program().communicators[made->index].rank_count = in_.describe(argument, value);
  if (value.number) rank_counts_[made->index] = *value.number;
}

void ApiEffects::read_nccl_argument(Reading& reading, Role role, const clang::Expr* argument) {
  switch (role) {
    case Role::SendBuffer:
      reading.send = argument;
      return;
    case Role::RecvBuffer:
      reading.recv = argument;
      return;
    case Role::NewComm:
      return make_communicator(reading, argument);
    case Role::RankCount:
      return set_rank_count(reading, argument);
    default:
      break;
  }
  Value value = in_.evaluate(argument);
  if (role == Role::NewWindow) {
    Value buffer = in_.evaluate(reading.call->getArg(1));
    for (const Place& place : pointed_places(value)) in_.store(place, buffer);
    return;
  }
  if (role == Role::Window) {
    for (const Target& target : buffer_targets(value)) operation(reading).buffer = target.index;
    return;
  }
  bool describes_site = operation(reading).kind == OperationKind::Communicate;
  if (!describes_site && role != Role::Comm) return;
  if (!describes_site && reading.api->kind != OperationKind::CommInit) return;
  model::CommunicateDetail& facts = detail(reading);
  std::string text = in_.describe(argument, value);
  switch (role) {
    case Role::Count:
      facts.count = text;
      facts.count_value = value.number ? *value.number : in_.opaque(text);
      break;
    case Role::Type:
      facts.type = enumerator_named(argument, value, in_.here());
      facts.element_bytes = nccl_type_bytes(facts.type);
      break;
    case Role::Reduction:
      facts.reduction = enumerator_named(argument, value, in_.here());
      break;
    case Role::Peer:
      facts.root_or_peer = text;
      break;
    case Role::Comm:
      facts.communicator = communicator_of(value, argument);
      break;
    default:
      break;
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
