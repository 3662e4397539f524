#include "frontend/api_effects.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/enumerators.h"

namespace cuco::frontend {

using clang::dyn_cast;
using model::Access;
using model::Index;
using model::kNone;
using model::OperationKind;
using model::Symbolic;

namespace {

model::CopyKind copy_kind_named(std::string_view enumerator) {
  if (enumerator == "cudaMemcpyHostToDevice") return model::CopyKind::HostToDevice;
  if (enumerator == "cudaMemcpyDeviceToHost") return model::CopyKind::DeviceToHost;
  if (enumerator == "cudaMemcpyDeviceToDevice") return model::CopyKind::DeviceToDevice;
  if (enumerator == "cudaMemcpyHostToHost") return model::CopyKind::HostToHost;
  return model::CopyKind::Unknown;
}

// Handles of libraries: their first argument receives one, which holds a stream.
bool makes_library_handle(std::string_view callee) {
  static constexpr std::string_view names[] = {
      "cublasCreate", "cublasLtCreate", "cusolverDnCreate", "cusparseCreate", "curandCreateGenerator",
      "cufftCreate",  "cufftPlan1d",    "cufftPlan2d",      "cufftPlan3d",    "cufftPlanMany"};
  return std::find(std::begin(names), std::end(names), callee) != std::end(names);
}
bool sets_library_stream(std::string_view callee) {
  static constexpr std::string_view names[] = {"cublasSetStream", "cusolverDnSetStream", "cusparseSetStream",
                                               "curandSetStream", "cufftSetStream"};
  return std::find(std::begin(names), std::end(names), callee) != std::end(names);
}

}  // namespace

model::Operation& ApiEffects::operation(const Reading& reading) {
  return in_.recorder().program().operations[reading.operation];
}

model::CommunicateDetail& ApiEffects::detail(const Reading& reading) {
  auto& communicate = operation(reading).communicate;
  if (!communicate) communicate.emplace();
  return *communicate;
}

model::LaunchDetail& ApiEffects::launch_detail(const Reading& reading) {
  auto& launch = operation(reading).launch;
  if (!launch) launch.emplace();
  return *launch;
}

// The variable that an argument names or points at, else its text.
std::string ApiEffects::name_for(const clang::Expr* argument) const {
  const clang::Expr* plain = argument->IgnoreParenCasts();
  if (auto* address = dyn_cast<clang::UnaryOperator>(plain); address && address->getOpcode() == clang::UO_AddrOf)
    plain = address->getSubExpr()->IgnoreParenCasts();
  return in_.here().text_of(plain);
}

ApiEffects::Reading ApiEffects::begin(const clang::CallExpr* call, const ApiCall* api, OperationKind kind,
                                      const std::string& callee) {
  Reading reading;
  reading.call = call;
  reading.api = api;
  reading.operation = in_.recorder().operation_for(call, reading.fresh);
  if (!reading.fresh) return reading;
  model::Operation& made = operation(reading);
  made.kind = kind;
  made.callee = callee;
  made.range = in_.here().range_of(call->getSourceRange());
  made.text = in_.here().text_range_of(call->getSourceRange());
  const clang::Stmt* statement = in_.statement() ? in_.statement() : call;
  made.statement = in_.here().statement_range_of(statement->getSourceRange());
  if (api) {
    made.sync = api->sync;
    made.blocks_host = api->blocks_host;
  }
  return reading;
}

void ApiEffects::finish(Reading& reading) {
  model::Step& step = in_.recorder().add_step(reading.operation);
  step.regions = std::move(reading.step.regions);
  step.stream = reading.step.stream;
  step.event = reading.step.event;
  model::Operation& made = operation(reading);
  if (made.stream == kNone) made.stream = step.stream;
  if (made.event == kNone) made.event = step.event;
}

void ApiEffects::mark_region(const clang::CallExpr* call, OperationKind kind) {
  // The one call stands for both ends of the region, and each is an operation of its own.
  bool is_begin = kind == OperationKind::RegionBegin;
  Reading reading;
  reading.call = call;
  reading.operation = in_.recorder().operation_for(is_begin ? call : call->getCallee(), reading.fresh);
  model::Operation& made = operation(reading);
  made.kind = kind;
  made.callee = "cuco::Harness::run";
  made.range = made.text = made.statement = in_.here().range_of(call->getSourceRange());
  made.sync = model::SyncScope::Device;
  made.blocks_host = true;
  finish(reading);
}

void ApiEffects::receive_from_outside(const HostPlace& place, const clang::ParmVarDecl* parameter) {
  Recorder& recorder = in_.recorder();
  std::string name = parameter->getNameAsString();
  std::string type = parameter->getType().getUnqualifiedType().getAsString();
  clang::QualType pointee = parameter->getType()->getPointeeType();
  if (type == "cudaStream_t")
    in_.store(place, handle_value(TargetKind::Stream, recorder.stream_for(kNone, name, model::StreamKind::External)));
  else if (type == "ncclComm_t")
    in_.store(place, handle_value(TargetKind::Communicator,
                                  recorder.communicator_for(kNone, name, model::CommunicatorOrigin::External)));
  else if (!pointee.isNull() && (pointee->isArithmeticType() || pointee->isVoidType()))
    in_.store(place, handle_value(TargetKind::Buffer, recorder.external_buffer(name, model::BufferKind::External)));
}

Value ApiEffects::apply(const ApiCall& api, const clang::CallExpr* call) {
  Reading reading = begin(call, &api, api.kind, std::string(api.name));
  if (api.kind == OperationKind::Communicate && reading.fresh)
    detail(reading).collective = *model::collective_named(api.name);
  if (api.kind == OperationKind::Communicate && reading.fresh) detail(reading).group = open_group_;
  if (api.kind == OperationKind::Launch && reading.fresh) launch_detail(reading).cooperative = api.cooperative;
  // Sizes first: the regions of the pointers need them.
  for (bool sizes : {true, false})
    for (unsigned i = 0; i < call->getNumArgs() && i < api.roles.size(); ++i) {
      bool is_size = api.roles[i] == Role::Bytes || api.roles[i] == Role::AllocationBytes;
      if (is_size == sizes) read_argument(reading, api.roles[i], call->getArg(i));
    }
  for (unsigned i = static_cast<unsigned>(api.roles.size()); i < call->getNumArgs(); ++i)
    if (api.name == "cudaLaunchKernelEx")
      reading.kernel_arguments.push_back(call->getArg(i));
    else
      in_.evaluate(call->getArg(i));
  bool on_stream = model::is_device_work(api.kind) || api.kind == OperationKind::EventRecord;
  if (on_stream && reading.step.stream == kNone)
    reading.step.stream = in_.recorder().stream_for(kNone, "default stream", model::StreamKind::Legacy);
  if (api.kind == OperationKind::Communicate) add_collective_regions(reading);
  if (api.kind == OperationKind::Launch) add_kernel_regions(reading);
  if (api.kind == OperationKind::Copy) finish_copy(reading);
  if (api.kind == OperationKind::GroupStart) open_group_ = reading.operation;
  if (api.kind == OperationKind::GroupEnd) open_group_ = kNone;
  finish(reading);
  return {};
}

void ApiEffects::read_argument(Reading& reading, Role role, const clang::Expr* argument) {
  switch (role) {
    case Role::NewBuffer:
    case Role::OldBuffer:
    case Role::AllocationBytes:
    case Role::Destination:
    case Role::Source:
    case Role::Update:
    case Role::Bytes:
    case Role::CopyKind:
      return read_memory_argument(reading, role, argument);
    case Role::Stream:
    case Role::NewStream:
    case Role::StreamFlags:
    case Role::Priority:
    case Role::Event:
    case Role::NewEvent:
    case Role::EndEvent:
    case Role::LibraryHandle:
      return read_stream_argument(reading, role, argument);
    case Role::Kernel:
    case Role::Grid:
    case Role::Block:
    case Role::KernelArguments:
    case Role::SharedBytes:
    case Role::LaunchConfig:
      return read_launch_argument(reading, role, argument);
    case Role::Out:
      return clobber(in_.evaluate(argument));
    case Role::RankOut:
      return receive_rank(in_.evaluate(argument));
    case Role::Ignored:
      in_.evaluate(argument);
      return;
    default:
      return read_nccl_argument(reading, role, argument);
  }
}

void ApiEffects::clobber(const Value& pointer) {
  for (const HostPlace& place : pointed_places(pointer)) in_.memory().forget(place);
}

void ApiEffects::receive_rank(const Value& pointer) {
  for (const HostPlace& place : pointed_places(pointer)) {
    Value rank = number_value(in_.opaque(in_.name_of(place)));
    rank.varies = true;
    in_.store(place, rank);
  }
}

void ApiEffects::read_memory_argument(Reading& reading, Role role, const clang::Expr* argument) {
  if (role == Role::NewBuffer) return allocate(reading, argument);
  if (role == Role::OldBuffer) return free(reading, argument);
  Value value = in_.evaluate(argument);
  switch (role) {
    case Role::Bytes:
    case Role::AllocationBytes:
      reading.bytes = value.number;
      if (operation(reading).kind == OperationKind::Copy) {
        if (!operation(reading).copy) operation(reading).copy.emplace();
        operation(reading).copy->bytes = in_.describe(argument, value);
      }
      return;
    case Role::CopyKind:
      if (!operation(reading).copy) operation(reading).copy.emplace();
      operation(reading).copy->kind = copy_kind_named(enumerator_named(argument, value, in_.here()));
      return;
    case Role::Source:
      return add_regions(reading, value, argument, Access::Read, reading.bytes);
    case Role::Destination:
      return add_regions(reading, value, argument, Access::Write, reading.bytes);
    default:
      return add_regions(reading, value, argument, Access::ReadWrite, std::nullopt);
  }
}

void ApiEffects::add_regions(Reading& reading, const Value& value, const clang::Expr* argument, Access access,
                             std::optional<Symbolic> bytes) {
  std::string through = name_for(argument);
  bool known = false;
  auto add = [&](Index buffer, Symbolic offset) {
    reading.step.regions.push_back({buffer, std::move(offset), bytes, access, through});
    known = true;
  };
  for (const Target& target : buffer_targets(value)) add(target.index, target.offset_bytes);
  for (const HostPlace& place : pointed_places(value)) {
    // HostMemory of the host counts as one buffer per variable; a __device__ variable is reached through its name.
    if (std::optional<Value> held = in_.memory().load(place))
      if (const Target* symbol = find_target(*held, TargetKind::Buffer);
          symbol && in_.recorder().program().buffers[symbol->index].kind == model::BufferKind::Symbol) {
        add(symbol->index, symbol->offset_bytes);
        continue;
      }
    std::string name = in_.name_of({place.root, ""});
    if (name.empty()) name = through;
    add(in_.recorder().external_buffer("host " + name, model::BufferKind::Host), Symbolic());
    if (model::writes(access)) in_.memory().forget(place);
  }
  bool is_null = find_target(value, TargetKind::Null) != nullptr;
  if (!known && !is_null) add(in_.recorder().external_buffer(through, model::BufferKind::External), Symbolic());
}

namespace {

// A program's or a library's own name of a type says nothing to those who compare numbers; integers keep the names that
// the C library has for them.
clang::QualType with_known_name(clang::QualType type, const clang::ASTContext& context) {
  while (const auto* named = type->getAs<clang::TypedefType>()) {
    bool is_standard = context.getSourceManager().isInSystemHeader(named->getDecl()->getLocation());
    const clang::TagDecl* tag = type->getAsTagDecl();
    bool is_only_name = tag && !tag->getIdentifier();
    if (is_only_name || (is_standard && type->isIntegerType())) break;
    type = named->desugar();
  }
  return type;
}

}  // namespace

void ApiEffects::allocate(Reading& reading, const clang::Expr* argument) {
  Value pointer = in_.evaluate(argument);
  std::vector<HostPlace> places = pointed_places(pointer);
  std::string name = places.empty() ? name_for(argument) : in_.name_of(places.front());
  model::Program& program = in_.recorder().program();
  Index index = in_.recorder().buffer_for(reading.operation, name);
  model::Buffer& buffer = program.buffers[index];
  if (buffer.allocation.file == kNone) {
    buffer.kind = reading.api->buffer_kind;
    buffer.allocation = operation(reading).range;
    buffer.bytes = reading.bytes;
    for (unsigned i = 0; i < reading.call->getNumArgs() && i < reading.api->roles.size(); ++i)
      if (reading.api->roles[i] == Role::AllocationBytes)
        buffer.bytes_text = reading.bytes ? reading.bytes->to_text() : in_.here().text_of(reading.call->getArg(i));
    clang::QualType type = argument->IgnoreParenCasts()->getType()->getPointeeType();
    if (!type.isNull()) type = type->getPointeeType();
    if (!type.isNull() && !type->isVoidType()) {
      clang::PrintingPolicy policy(in_.here().context().getLangOpts());
      policy.SuppressTagKeyword = true;
      buffer.element_type = with_known_name(type, in_.here().context()).getUnqualifiedType().getAsString(policy);
    }
    if (!places.empty()) in_.made_buffer(index, places.front());
  }
  operation(reading).buffer = index;
  for (const HostPlace& place : places) in_.store(place, handle_value(TargetKind::Buffer, index));
}

void ApiEffects::free(Reading& reading, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  model::Program& program = in_.recorder().program();
  for (const Target& target : buffer_targets(value)) {
    operation(reading).buffer = target.index;
    if (reading.api->kind != OperationKind::Free) continue;
    std::vector<Index>& frees = program.buffers[target.index].frees;
    if (std::find(frees.begin(), frees.end(), reading.operation) == frees.end()) frees.push_back(reading.operation);
  }
}

void ApiEffects::read_stream_argument(Reading& reading, Role role, const clang::Expr* argument) {
  Value value = in_.evaluate(argument);
  model::Program& program = in_.recorder().program();
  switch (role) {
    case Role::Stream:
      reading.step.stream = stream_of(value, argument);
      break;
    case Role::NewStream:
      make_stream(reading, argument);
      break;
    case Role::StreamFlags:
      if (enumerator_text(argument, in_.here()).find("NonBlocking") != std::string::npos ||
          (value.number && value.number->as_constant() == 1))
        program.streams[reading.step.stream].kind = model::StreamKind::NonBlocking;
      break;
    case Role::Priority:
      program.streams[reading.step.stream].priority = in_.here().text_of(argument);
      break;
    case Role::Event:
      reading.step.event = event_of(value, argument);
      break;
    case Role::EndEvent:
      operation(reading).end_event = event_of(value, argument);
      break;
    case Role::NewEvent:
      for (const HostPlace& place : pointed_places(value)) {
        reading.step.event = in_.recorder().event_for(reading.operation, in_.name_of(place));
        in_.store(place, handle_value(TargetKind::Event, reading.step.event));
      }
      break;
    case Role::LibraryHandle:
      for (const HostPlace& place : pointed_places(value))
        if (std::optional<Value> stream = in_.memory().load(place.member("stream")))
          reading.step.stream = stream_of(*stream, argument);
      break;
    default:
      break;
  }
}

bool ApiEffects::follow(std::string_view callee, const clang::CallExpr* call) {
  if (callee.ends_with("_v2")) callee.remove_suffix(3);
  if (makes_library_handle(callee) && call->getNumArgs() >= 1) {
    for (const HostPlace& place : pointed_places(in_.evaluate(call->getArg(0))))
      in_.store(place, pointer_to(in_.new_heap_place("library")));
    return true;
  }
  if (sets_library_stream(callee) && call->getNumArgs() == 2) {
    Value stream = in_.evaluate(call->getArg(1));
    for (const HostPlace& place : pointed_places(in_.evaluate(call->getArg(0))))
      in_.store(place.member("stream"), stream);
    return true;
  }
  if (callee == "ncclCommUserRank" && call->getNumArgs() == 2) {
    receive_rank(in_.evaluate(call->getArg(1)));
    return true;
  }
  if (callee == "cudaGetSymbolAddress" && call->getNumArgs() == 2) {
    Value symbol = in_.evaluate(call->getArg(1));
    for (const HostPlace& place : pointed_places(in_.evaluate(call->getArg(0)))) in_.store(place, symbol);
    return true;
  }
  return false;
}

void ApiEffects::make_stream(Reading& reading, const clang::Expr* argument) {
  for (const HostPlace& place : pointed_places(in_.evaluate(argument))) {
    reading.step.stream = in_.recorder().stream_for(reading.operation, in_.name_of(place), model::StreamKind::Blocking);
    in_.store(place, handle_value(TargetKind::Stream, reading.step.stream));
  }
  if (reading.step.stream == kNone)
    reading.step.stream = in_.recorder().stream_for(reading.operation, name_for(argument), model::StreamKind::Blocking);
}

Index ApiEffects::stream_of(const Value& value, const clang::Expr* argument) {
  if (const Target* stream = find_target(value, TargetKind::Stream)) return stream->index;
  std::optional<int64_t> number = value.number ? value.number->as_constant() : std::nullopt;
  if (number == 2) return in_.recorder().stream_for(kNone, "per-thread default stream", model::StreamKind::PerThread);
  if (number || find_target(value, TargetKind::Null))
    return in_.recorder().stream_for(kNone, "default stream", model::StreamKind::Legacy);
  return in_.recorder().stream_for(kNone, name_for(argument), model::StreamKind::External);
}

Index ApiEffects::event_of(const Value& value, const clang::Expr* argument) {
  if (const Target* event = find_target(value, TargetKind::Event)) return event->index;
  return in_.recorder().event_for(kNone, name_for(argument));
}

Index ApiEffects::communicator_of(const Value& value, const clang::Expr* argument) {
  if (const Target* communicator = find_target(value, TargetKind::Communicator)) return communicator->index;
  return in_.recorder().communicator_for(kNone, name_for(argument), model::CommunicatorOrigin::External);
}

bool ApiEffects::is_host_side(const model::Region& region) const {
  model::BufferKind kind = in_.recorder().program().buffers[region.buffer].kind;
  return kind == model::BufferKind::Host || kind == model::BufferKind::PinnedHost;
}

void ApiEffects::finish_copy(Reading& reading) {
  model::Operation& made = operation(reading);
  if (!made.copy) made.copy.emplace();
  if (made.callee.find("ToSymbol") != std::string::npos && made.copy->kind == model::CopyKind::Unknown)
    made.copy->kind = model::CopyKind::HostToDevice;
  if (made.callee.find("FromSymbol") != std::string::npos && made.copy->kind == model::CopyKind::Unknown)
    made.copy->kind = model::CopyKind::DeviceToHost;
  if (made.copy->kind != model::CopyKind::Unknown || reading.step.regions.size() < 2) return;
  bool from_host = false, to_host = false;
  for (const model::Region& region : reading.step.regions)
    (model::writes(region.access) ? to_host : from_host) |= is_host_side(region);
  made.copy->kind = from_host ? (to_host ? model::CopyKind::HostToHost : model::CopyKind::HostToDevice)
                              : (to_host ? model::CopyKind::DeviceToHost : model::CopyKind::DeviceToDevice);
}

}  // namespace cuco::frontend
