// The part of DeviceReader that deals with calls.
#include <clang/AST/Attr.h>

#include "frontend/device_reader.h"
#include "frontend/device_types.h"

namespace cuco::frontend {

using clang::Expr;
using clang::FunctionDecl;
using clang::QualType;
using model::Access;

namespace {

// How deep fields of structs are searched for addresses that a call may use.
constexpr int kFieldDepthMax = 4;

// Parts of a call's temporaries: its result, the object, then the parameters.
constexpr unsigned kResultPart = 0;
unsigned part_of_parameter(uint32_t number) { return number == kThisParameter ? 1 : number + 2; }

const FunctionDecl* definition_of(const FunctionDecl* callee) {
  const FunctionDecl* definition = nullptr;
  if (callee == nullptr) return nullptr;
  if (callee->hasBody(definition)) return definition;
  // A specialisation that is named only inside an uninstantiated template has no body of its own.
  const FunctionDecl* pattern = callee->getTemplateInstantiationPattern();
  return pattern != nullptr && pattern->hasBody(definition) ? definition : nullptr;
}

bool is_memberwise_assignment(const FunctionDecl* callee) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  return method != nullptr && !method->isUserProvided() &&
         (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
}

bool is_virtual(const FunctionDecl* callee) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  return method != nullptr && method->isVirtual();
}

Access access_allowed_by(QualType type) {
  QualType pointee = type->isReferenceType() ? type.getNonReferenceType() : type->getPointeeType();
  if (pointee.isNull()) return Access::ReadWrite;
  if (pointee->isFunctionType()) return Access::None;
  return pointee.isConstQualified() ? Access::Read : Access::ReadWrite;
}

template <typename T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

DeviceReader::Argument DeviceReader::argument(const Expr* expression, const FunctionDecl* callee, unsigned position) {
  bool by_reference = callee != nullptr && position < callee->getNumParams() &&
                      callee->getParamDecl(position)->getType()->isReferenceType();
  return {expression, by_reference ? visit(expression) : value(expression)};
}

std::vector<DeviceReader::Argument> DeviceReader::arguments(llvm::ArrayRef<const Expr*> expressions,
                                                            const FunctionDecl* callee) {
  std::vector<Argument> result;
  for (const Expr* expression : expressions)
    result.push_back(argument(expression, callee, static_cast<unsigned>(result.size())));
  return result;
}

Places DeviceReader::VisitCallExpr(const clang::CallExpr* expression) {
  const FunctionDecl* callee = expression->getDirectCallee();
  if (callee == nullptr) return dependent_call(expression);
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  return perform(
      {expression, expression->getSourceRange(), callee, qualified_name(callee), {}, arguments(operands, callee)});
}

Places DeviceReader::VisitCXXMemberCallExpr(const clang::CXXMemberCallExpr* expression) {
  const FunctionDecl* callee = expression->getMethodDecl();
  if (callee == nullptr) return dependent_call(expression);
  const Expr* object = expression->getImplicitObjectArgument();
  Places places = object->getType()->isPointerType() ? value(object) : visit(object);
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  return perform(
      {expression, expression->getSourceRange(), callee, qualified_name(callee), places, arguments(operands, callee)});
}

Places DeviceReader::VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr* expression) {
  const FunctionDecl* callee = expression->getDirectCallee();
  if (callee == nullptr) return dependent_operator(expression);
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  Places object;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && method->isInstance()) {
    object = visit(operands.front());
    operands = operands.drop_front();
  }
  return perform(
      {expression, expression->getSourceRange(), callee, qualified_name(callee), object, arguments(operands, callee)});
}

Places DeviceReader::VisitCXXConstructExpr(const clang::CXXConstructExpr* expression) {
  const clang::CXXConstructorDecl* constructor = expression->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided()) {
    Places source = visit(expression->getArg(0));
    if (expression->getArg(0)->isGLValue()) record(source, Access::Read);
    return source;
  }
  Place object = temporary(expression);
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  Call call{expression, expression->getSourceRange(),    constructor, qualified_name(constructor),
            {object},   arguments(operands, constructor)};
  // A constructor that the compiler made runs no code of its own.
  if (constructor->isUserProvided() || definition_of(constructor) != nullptr) perform(call);
  return {object};
}

void DeviceReader::run_destructor(const clang::VarDecl* variable) {
  const clang::CXXRecordDecl* record = variable->getType()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return;
  const clang::CXXDestructorDecl* destructor = record->getDestructor();
  const FunctionDecl* definition = definition_of(destructor);
  if (definition == nullptr || !locations_.is_users(definition->getLocation())) return;
  perform_body({variable, variable->getSourceRange(), destructor, {}, {Place{root_of(variable), {}}}, {}}, definition);
}

Places DeviceReader::perform(const Call& call) {
  if (is_memberwise_assignment(call.callee)) return perform_memberwise(call);
  // A function of the user may bear a known name; then its body tells.
  bool is_users = call.callee != nullptr && locations_.is_users(call.callee->getLocation());
  const KnownCall* known = is_users ? nullptr : find_known_call(call.name);
  if (known != nullptr) return perform_known(call, *known);
  const FunctionDecl* definition = definition_of(call.callee);
  if (definition == nullptr || is_virtual(call.callee)) return perform_unknown(call);
  return perform_body(call, definition);
}

Places DeviceReader::perform_memberwise(const Call& call) {
  const Places& source = call.arguments.front().places;
  record(source, Access::Read);
  record(call.object, Access::Write);
  for (const Place& place : call.object) changed_ |= memory_.copy(place, source);
  return call.object;
}

// What the address-like arguments point to, in order. A symmetric pointer is its window's address.
std::vector<Places> DeviceReader::addresses(const Call& call) const {
  std::vector<Places> result;
  for (const Argument& argument : call.arguments) {
    QualType type = argument.expression->getType();
    const clang::RecordDecl* record = record_of(type);
    if (record != nullptr && record->getName() == "ncclSymPtr")
      result.push_back(memory_.load(extended(argument.places, "window"), kDereference));
    else if (type->isPointerType() || (type->isDependentType() && !argument.places.empty()))
      result.push_back(argument.places);
  }
  return result;
}

Places DeviceReader::perform_known(const Call& call, const KnownCall& known) {
  std::vector<Places> targets = addresses(call);
  for (size_t i = 0; i < targets.size() && i < known.effects.size(); ++i)
    record(targets[i], access_of_letter(known.effects[i]));
  if (known.role == CallRole::BlockBarrier) add_barrier(call.range.getBegin());
  if (known.role == CallRole::GridBarrier) summary_.grid_barrier = true;
  if (known.role == CallRole::Communication)
    add_communication({known.communication, shown_callee(call.name), call.range, false});
  if (known.flow == AddressFlow::Copied && targets.size() >= 2)
    for (const Place& place : targets[0]) changed_ |= memory_.copy(place, targets[1]);
  if (known.flow == AddressFlow::None || targets.empty()) return {};
  return targets[0];
}

void DeviceReader::record_worst_case(const Places& places, QualType type, int depth) {
  if (type->isPointerType() || type->isReferenceType())
    return record(places, access_allowed_by(type), /*assumed=*/true);
  const clang::RecordDecl* record = record_of(type);
  if (record == nullptr || depth == 0 || !locations_.is_users(record->getLocation())) return;
  for (const clang::FieldDecl* field : record->fields()) {
    Places held = member_places(places, field);
    if (field->getType()->isPointerType()) held = memory_.load(held, kDereference);
    record_worst_case(held, field->getType(), depth - 1);
  }
}

Places DeviceReader::perform_unknown(const Call& call) {
  Places reachable;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    bool has_parameter = call.callee != nullptr && i < call.callee->getNumParams();
    QualType type = has_parameter ? call.callee->getParamDecl(i)->getType() : argument.expression->getType();
    bool is_known = type->isPointerType() || !type->isDependentType();
    if (is_known)
      record_worst_case(argument.places, type, kFieldDepthMax);
    else if (!designates_memory(argument.expression))
      record(argument.places, Access::ReadWrite, /*assumed=*/true);
    if (type->isPointerType() || type->isReferenceType()) merge(reachable, argument.places);
  }
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.callee);
  bool is_const = method != nullptr && method->isConst();
  record(call.object, is_const ? Access::Read : Access::ReadWrite, /*assumed=*/true);
  return reachable;
}

void DeviceReader::bind_parameters(const Call& call, const FunctionDecl* definition) {
  bind(temporary(call.owner, part_of_parameter(kThisParameter)), call.object);
  for (unsigned i = 0; i < definition->getNumParams() && i < call.arguments.size(); ++i) {
    Place place = temporary(call.owner, part_of_parameter(i));
    QualType type = definition->getParamDecl(i)->getType();
    if (type->isReferenceType())
      bind(place, call.arguments[i].places);
    else
      assign({place}, call.arguments[i].places, type);
  }
}

// A place of the callee, seen from here. Its locals are gone; its shared and global variables are the same.
Places DeviceReader::translated(const Call& call, const Place& place) {
  Place start{place.root, {}};
  if (place.root.kind == RootKind::Parameter) start = temporary(call.owner, part_of_parameter(place.root.number));
  if (place.root.kind == RootKind::Result) start = temporary(call.owner, kResultPart);
  return memory_.walk(start, place.steps);
}

Places DeviceReader::translated(const Call& call, const Places& places) {
  Places result;
  for (const Place& place : places) merge(result, translated(call, place));
  return result;
}

Places DeviceReader::result_of(const Call& call, QualType type) {
  Place result = temporary(call.owner, kResultPart);
  return type->isReferenceType() ? memory_.load(result, kDereference) : loaded({result}, type);
}

Places DeviceReader::perform_body(const Call& call, const FunctionDecl* definition) {
  bind_parameters(call, definition);
  const Summary& summary = summaries_.current(definition);
  for (const auto& [at, addresses] : summary.memory.stores()) {
    Places held = translated(call, addresses);
    for (const Place& place : translated(call, at)) changed_ |= memory_.store(place, held);
  }
  for (const auto& [to, sources] : summary.memory.copies()) {
    Places from = translated(call, sources);
    for (const Place& place : translated(call, to)) changed_ |= memory_.copy(place, from);
  }
  for (const auto& [place, effect] : summary.accesses) record(translated(call, place), effect.access, effect.assumed);
  take_events(call, definition, summary);
  return result_of(call, definition->getReturnType());
}

// What happens inside a header that is not the user's happens, for the user, at the call.
void DeviceReader::take_events(const Call& call, const FunctionDecl* definition, const Summary& summary) {
  bool is_users = locations_.is_users(definition->getLocation());
  for (const clang::VarDecl* variable : summary.shared) add_shared(variable);
  for (clang::SourceLocation location : summary.block_barriers)
    add_barrier(is_users ? location : call.range.getBegin());
  for (const Communication& communication : summary.communication)
    add_communication(is_users ? communication
                               : Communication{communication.kind, shown_callee(call.name), call.range,
                                               communication.by_some_blocks});
  if (summary.grid_barrier) summary_.grid_barrier = true;
}

void DeviceReader::add_barrier(clang::SourceLocation location) { add_once(summary_.block_barriers, location); }

void DeviceReader::add_communication(Communication communication) {
  communication.by_some_blocks = communication.by_some_blocks || is_of_some_blocks_;
  add_once(summary_.communication, communication);
}

void DeviceReader::add_shared(const clang::VarDecl* variable) {
  if (locations_.is_users(variable->getLocation())) add_once(summary_.shared, variable);
}

const FunctionDecl* DeviceReader::candidate(const clang::OverloadExpr* callee, size_t argument_count) const {
  for (const clang::NamedDecl* declaration : callee->decls()) {
    const FunctionDecl* function = declaration->getUnderlyingDecl()->getAsFunction();
    if (function != nullptr && function->getMinRequiredArguments() <= argument_count &&
        argument_count <= function->getNumParams())
      return function;
  }
  return nullptr;
}

// A call whose callee is not settled before instantiation: the first candidate that takes as many arguments.
Places DeviceReader::dependent_call(const clang::CallExpr* expression) {
  const Expr* target = expression->getCallee()->IgnoreParenImpCasts();
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  Call call{expression, expression->getSourceRange(), nullptr, {}, {}, {}};
  if (const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(target)) {
    call.callee = candidate(overloads, operands.size());
    call.name = call.callee != nullptr ? qualified_name(call.callee) : overloads->getName().getAsString();
  }
  if (!llvm::isa<clang::UnresolvedLookupExpr>(target)) call.object = visit(target);
  call.arguments = arguments(operands, call.callee);
  return perform(call);
}

// Before instantiation an operator is taken for the built-in one.
Places DeviceReader::dependent_operator(const clang::CXXOperatorCallExpr* expression) {
  llvm::ArrayRef<const Expr*> operands(expression->getArgs(), expression->getNumArgs());
  clang::OverloadedOperatorKind kind = expression->getOperator();
  if (kind == clang::OO_Call) return perform_unknown({expression, {}, nullptr, {}, {}, arguments(operands, nullptr)});
  if (kind == clang::OO_Amp && operands.size() == 1) return visit(operands[0]);
  Places last;
  for (const Expr* operand : operands.drop_front()) last = value(operand);
  if (kind == clang::OO_PlusPlus || kind == clang::OO_MinusMinus) return modify(operands[0], {});
  if (kind == clang::OO_Equal) {
    Places target = visit(operands[0]);
    record(target, Access::Write);
    assign(target, last, operands[0]->getType());
    return target;
  }
  if (expression->isAssignmentOp()) return modify(operands[0], last);
  Places first = value(operands[0]);
  return expression->isComparisonOp() ? Places() : first;
}

}  // namespace cuco::frontend
