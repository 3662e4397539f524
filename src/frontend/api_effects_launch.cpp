// Kernel launches in all their forms.
#include "base/text.h"
#include "frontend/api_effects.h"
#include "frontend/enumerators.h"
#include "frontend/nvcc_syntax.h"

namespace cuco::frontend {

using model::Access;
using model::Index;
using model::kNone;
using model::OperationKind;
using model::Symbolic;

std::string ApiEffects::shape_text(const clang::Expr* argument, const Value& value) {
  if (!value.text.empty()) return value.text;
  std::vector<const clang::Expr*> parts = braced_parts(argument->IgnoreUnlessSpelledInSource());
  if (parts.size() == 1) return in_.describe(argument, value);
  std::vector<std::string> texts;
  for (const clang::Expr* part : parts) texts.push_back(in_.describe(part, in_.evaluate(part)));
  return concat("dim3(", join(texts, ", "), ")");
}

void ApiEffects::read_launch_argument(Reading& reading, Role role, const clang::Expr* argument) {
  if (role == Role::LaunchConfig) return read_launch_config(reading, argument);
  Value value = in_.evaluate(argument);
  model::LaunchDetail& facts = launch_detail(reading);
  switch (role) {
    case Role::Grid:
      facts.grid = shape_text(argument, value);
      break;
    case Role::Block:
      facts.block = shape_text(argument, value);
      break;
    case Role::SharedBytes:
      facts.shared_bytes = in_.describe(argument, value);
      break;
    case Role::KernelArguments:
      reading.packed_arguments = value;
      break;
    case Role::Kernel:
      if (const Target* kernel = find_target(value, TargetKind::Function)) {
        auto known = in_.kernels().by_name.find(unique_name(kernel->function));
        if (known != in_.kernels().by_name.end()) facts.kernel = known->second;
        facts.callee =
            facts.kernel == kNone ? kernel->function->getNameAsString() : in_.kernels().kernels[facts.kernel].name;
      }
      operation(reading).callee = facts.callee.empty() ? name_for(argument) : facts.callee;
      break;
    default:
      break;
  }
}

void ApiEffects::read_launch_config(Reading& reading, const clang::Expr* argument) {
  Value config = in_.evaluate(argument);
  std::vector<HostPlace> places = pointed_places(config);
  if (config.object) places.push_back(*config.object);
  for (const HostPlace& place : places) {
    model::LaunchDetail& facts = launch_detail(reading);
    if (std::optional<Value> grid = in_.memory().load(place.member("gridDim"))) facts.grid = grid->text;
    if (std::optional<Value> block = in_.memory().load(place.member("blockDim"))) facts.block = block->text;
    if (std::optional<Value> shared = in_.memory().load(place.member("dynamicSmemBytes")); shared && shared->number)
      facts.shared_bytes = shared->number->to_text();
    if (std::optional<Value> stream = in_.memory().load(place.member("stream")))
      reading.step.stream = stream_of(*stream, argument);
  }
}

void ApiEffects::launch(const clang::CUDAKernelCallExpr* call) {
  Reading reading = begin(call, nullptr, OperationKind::Launch, "");
  const clang::CallExpr* config = call->getConfig();
  static constexpr Role kRoles[] = {Role::Grid, Role::Block, Role::SharedBytes, Role::Stream};
  for (unsigned i = 0; i < config->getNumArgs() && i < 4; ++i)
    if (!clang::isa<clang::CXXDefaultArgExpr>(config->getArg(i))) read_argument(reading, kRoles[i], config->getArg(i));
  if (reading.step.stream == kNone)
    reading.step.stream = in_.recorder().stream_for(kNone, "default stream", model::StreamKind::Legacy);
  read_argument(reading, Role::Kernel, call->getCallee());
  reading.kernel_arguments.assign(call->arg_begin(), call->arg_end());
  add_kernel_regions(reading);
  finish(reading);
}

Value ApiEffects::kernel_argument(const Reading& reading, Index parameter) {
  if (!reading.packed_arguments)
    return parameter < reading.kernel_arguments.size() ? in_.evaluate(reading.kernel_arguments[parameter]) : Value{};
  Value argument;
  for (HostPlace place : pointed_places(*reading.packed_arguments)) {
    if (place.path.ends_with("[0]")) place.path.resize(place.path.size() - 3);
    std::optional<Value> address = in_.memory().load(place.element(parameter));
    if (!address) continue;
    for (const HostPlace& variable : pointed_places(*address)) {
      if (std::optional<Value> held = in_.memory().load(variable)) argument = either_of(argument, *held);
      argument.object = variable;
    }
  }
  return argument;
}

// Where a pointer that the kernel reaches comes from: a __device__ variable, an argument, or a field of one.
Value ApiEffects::value_behind(const model::KernelPointer& pointer, const std::vector<Value>& arguments) {
  if (pointer.parameter == kNone)
    return handle_value(TargetKind::Buffer, in_.recorder().external_buffer(pointer.name, model::BufferKind::Symbol));
  if (pointer.parameter >= arguments.size()) return {};
  const Value& argument = arguments[pointer.parameter];
  size_t field = pointer.name.find_first_of(".[");
  if (field == std::string::npos || !argument.object) return argument;
  HostPlace place{argument.object->root, argument.object->path + pointer.name.substr(field)};
  return in_.memory().load(place).value_or(Value{});
}

namespace {

// For these arguments; none where their values are not known.
std::optional<Symbolic> bytes_of(const Reach& reach, const std::vector<Value>& arguments) {
  Symbolic bytes;
  for (const ReachTerm& term : reach) {
    Symbolic product = Symbolic::constant(term.factor);
    for (uint32_t parameter : term.parameters) {
      if (parameter >= arguments.size() || !arguments[parameter].number) return std::nullopt;
      product = product * *arguments[parameter].number;
    }
    bytes = bytes + product;
  }
  return bytes;
}

// The furthest place that lies in the buffer for certain: a kernel that goes back beyond its begin does not do so there.
Symbolic furthest_back(const Symbolic& offset, const std::vector<Reach>& reaches, const std::vector<Value>& arguments) {
  Symbolic furthest = offset;
  for (const Reach& reach : reaches) {
    std::optional<Symbolic> bytes = bytes_of(reach, arguments);
    if (!bytes) continue;
    Symbolic place = offset - *bytes;
    if (place.is_never_negative() && (furthest - place).is_never_negative()) furthest = place;
  }
  return furthest;
}

}  // namespace

void ApiEffects::add_kernel_region(Reading& reading, const model::KernelPointer& pointer, const Value& value) {
  auto add = [&](Index buffer, const Symbolic& offset) {
    reading.step.regions.push_back({buffer, offset, std::nullopt, pointer.access, pointer.name});
  };
  std::vector<Target> targets = buffer_targets(value);
  for (const Target& target : targets) add(target.index, target.offset_bytes);
  bool unknown = targets.empty() && !find_target(value, TargetKind::Null);
  if (!unknown || pointer.parameter >= reading.kernel_arguments.size()) return;
  const clang::Expr* argument = reading.kernel_arguments[pointer.parameter];
  if (argument->getType()->isPointerType())
    add(in_.recorder().external_buffer(name_for(argument), model::BufferKind::External), Symbolic());
}

// A pointer from which the kernel goes back stands for the place that it goes back to.
Value ApiEffects::place_reached(Index kernel, const model::KernelPointer& pointer, const std::vector<Value>& arguments) {
  Value value = value_behind(pointer, arguments);
  const auto& reaches = in_.kernels().reaches[kernel];
  auto back = reaches.find(pointer.parameter);
  bool is_parameter = pointer.name.find_first_of(".[") == std::string::npos;
  if (back == reaches.end() || !is_parameter) return value;
  for (Target& target : value.targets)
    target.offset_bytes = furthest_back(target.offset_bytes, back->second, arguments);
  return value;
}

void ApiEffects::add_kernel_regions(Reading& reading) {
  Index index = launch_detail(reading).kernel;
  size_t count = index == kNone ? reading.kernel_arguments.size() : in_.kernels().kernels[index].parameters.size();
  std::vector<Value> arguments;
  for (size_t i = 0; i < count; ++i) arguments.push_back(kernel_argument(reading, static_cast<Index>(i)));
  if (reading.fresh)
    for (const clang::Expr* argument : reading.kernel_arguments)
      launch_detail(reading).arguments.push_back(in_.here().text_of(argument));
  if (index == kNone) return;
  const model::Kernel& kernel = in_.kernels().kernels[index];
  for (const model::KernelPointer& pointer : kernel.pointers) {
    if (pointer.access == Access::None) continue;
    bool stored_on_device = pointer.name.starts_with("*") || pointer.name.find("->") != std::string::npos;
    if (stored_on_device)
      in_.recorder().diagnose(model::Severity::Note, in_.here().location_text(reading.call->getBeginLoc()),
                              concat(kernel.name, " follows the pointer `", pointer.name,
                                     "`, which lies in device memory; what it points to is not known"));
    else
      add_kernel_region(reading, pointer, place_reached(index, pointer, arguments));
  }
}

}  // namespace cuco::frontend
