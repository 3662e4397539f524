#include "frontend/device_reader.h"

#include <clang/AST/Attr.h>

#include "frontend/device_types.h"

namespace cuco::frontend {

using clang::Expr;
using clang::QualType;
using model::Access;

namespace {

// Growth is bounded, so this is never reached by code that a person wrote.
constexpr int kPassesMax = 64;

bool is_lambda_call(const clang::FunctionDecl* function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  return method != nullptr && method->getParent()->isLambda();
}

bool is_unresolved_construction(const clang::VarDecl* variable) {
  return variable->getType()->isDependentType() && record_of(variable->getType()) == nullptr &&
         variable->getType()->getAs<clang::TemplateSpecializationType>() != nullptr &&
         llvm::isa<clang::ParenListExpr, clang::InitListExpr>(variable->getInit());
}

// Variables count as what they are initialised with.
bool mentions(const clang::Stmt* statement, llvm::StringRef name, int depth) {
  if (statement == nullptr || depth == 0) return false;
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return false;
    return variable->getName() == name || mentions(variable->getInit(), name, depth - 1);
  }
  return llvm::any_of(statement->children(), [&](const clang::Stmt* child) { return mentions(child, name, depth); });
}

// Whole blocks take one way or the other. One that asks for threads as well keeps a loop inside its bounds.
bool tells_blocks_apart(const Expr* condition) {
  constexpr int kDepth = 4;
  return mentions(condition, "blockIdx", kDepth) && !mentions(condition, "threadIdx", kDepth);
}

// Some work and a return: what follows is for the others. A return alone is a bound of the grid.
bool works_and_returns(const clang::Stmt* arm) {
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(arm);
  return body != nullptr && body->size() > 1 && llvm::isa<clang::ReturnStmt>(body->body_back());
}

const Place kThisPlace{{RootKind::Parameter, kThisParameter}, {}};

}  // namespace

Summary DeviceReader::read() {
  for (int pass = 0; pass < kPassesMax; ++pass) {
    changed_ = is_of_some_blocks_ = false;
    visit_initializers();
    visit(function_->getBody());
    if (!changed_) break;
  }
  summary_.memory = memory_.visible_to_caller();
  return std::move(summary_);
}

void DeviceReader::visit_initializers() {
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function_);
  if (constructor == nullptr) return;
  Places object = memory_.load(kThisPlace, kDereference);
  for (const clang::CXXCtorInitializer* initializer : constructor->inits()) {
    const clang::FieldDecl* field = initializer->getAnyMember();
    if (field == nullptr) {
      assign(object, visit(initializer->getInit()), initializer->getInit()->getType());
    } else if (field->getType()->isReferenceType()) {
      Places target = visit(initializer->getInit());
      for (const Place& at : extended(object, step_name(field))) bind(at, target);
    } else {
      assign(member_places(object, field), value(initializer->getInit()), field->getType());
    }
  }
}

Places DeviceReader::VisitStmt(const clang::Stmt* statement) {
  for (const clang::Stmt* child : statement->children()) statement_value(child);
  return {};
}

Places DeviceReader::VisitIfStmt(const clang::IfStmt* statement) {
  bool returns = works_and_returns(statement->getThen());
  bool has_two_ways = returns || statement->getElse() != nullptr;
  bool before = is_of_some_blocks_;
  bool divides = has_two_ways && tells_blocks_apart(statement->getCond());
  is_of_some_blocks_ = before || divides;
  VisitStmt(statement);
  is_of_some_blocks_ = before || (divides && returns);
  return {};
}

// Code whose types are known marks its loads; in a template that nothing instantiates they are inferred.
Places DeviceReader::statement_value(const clang::Stmt* statement) {
  const auto* expression = llvm::dyn_cast_or_null<Expr>(statement);
  return expression != nullptr && expression->isTypeDependent() ? value(expression) : visit(statement);
}

Places DeviceReader::VisitDeclStmt(const clang::DeclStmt* statement) {
  for (const clang::Decl* declaration : statement->decls())
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) declare(variable);
  return {};
}

void DeviceReader::declare(const clang::VarDecl* variable) {
  if (variable->hasAttr<clang::CUDASharedAttr>()) return add_shared(variable);
  if (variable->hasGlobalStorage()) return;
  Place place{root_of(variable), {}};
  const Expr* initializer = variable->getInit();
  if (initializer == nullptr) return;
  if (variable->getType()->isReferenceType())
    bind(place, visit(initializer));
  else if (is_unresolved_construction(variable))
    surrender(initializer);
  else
    assign({place}, value(initializer), variable->getType());
  run_destructor(variable);
}

// Which constructor runs, and so what becomes of its arguments, is known only after instantiation.
void DeviceReader::surrender(const Expr* initializer) {
  for (const clang::Stmt* child : initializer->children()) {
    const auto* argument = llvm::dyn_cast_or_null<Expr>(child);
    if (argument == nullptr) continue;
    bool is_address = argument->getType()->isPointerType();
    record(is_address ? value(argument) : visit(argument), Access::ReadWrite, /*assumed=*/true);
  }
}

Places DeviceReader::VisitReturnStmt(const clang::ReturnStmt* statement) {
  const Expr* expression = statement->getRetValue();
  if (expression == nullptr) return {};
  Place result{{RootKind::Result, 0}, {}};
  if (function_->getReturnType()->isReferenceType())
    bind(result, visit(expression));
  else
    assign({result}, value(expression), expression->getType());
  return {};
}

Places DeviceReader::VisitStmtExpr(const clang::StmtExpr* expression) {
  Places last;
  for (const clang::Stmt* statement : expression->getSubStmt()->body()) last = visit(statement);
  return last;
}

Places DeviceReader::value(const Expr* expression) {
  Places places = visit(expression);
  if (!designates_memory(expression) || expression->getType()->isArrayType()) return places;
  // What an assignment yields was in a register already.
  if (!is_assignment(expression)) record(places, Access::Read);
  return loaded(places, expression->getType());
}

Places DeviceReader::loaded(const Places& places, QualType type) const {
  switch (carrier_of(type, locations_.context())) {
    case Carrier::None:
      return {};
    case Carrier::Address:
      return memory_.load(places, kDereference);
    case Carrier::Integer:
      return memory_.load(places, kIntegerDereference);
    case Carrier::Object:
      return places;
  }
  return {};
}

void DeviceReader::assign(const Places& to, const Places& value, QualType type) {
  Carrier carrier = carrier_of(type, locations_.context());
  if (carrier == Carrier::None) return;
  for (const Place& place : to)
    changed_ |= carrier == Carrier::Object ? memory_.copy(place, value) : memory_.store(place, value);
}

void DeviceReader::record(const Places& places, Access access, bool assumed) {
  for (const Place& place : places) {
    bool counts =
        place.root.kind == RootKind::Global || (place.root.kind == RootKind::Parameter && is_reached_by_address(place));
    if (!counts) continue;
    Effect& effect = summary_.accesses[accessed_object(place)];
    Effect grown{effect.access | access, effect.assumed || assumed};
    changed_ |= !(grown == effect);
    effect = grown;
  }
}

Root DeviceReader::root_of(const clang::VarDecl* variable) {
  const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  if (parameter != nullptr && parameter->getDeclContext() == function_)
    return {RootKind::Parameter, parameter->getFunctionScopeIndex()};
  return summaries_.variable_root(variable);
}

Place DeviceReader::temporary(const void* owner, unsigned part) { return {summaries_.temporary_root(owner, part), {}}; }

Places DeviceReader::variable_places(const clang::VarDecl* variable) {
  if (std::optional<Places> captured = captured_places(variable)) return *captured;
  if (variable->hasAttr<clang::CUDASharedAttr>()) add_shared(variable);
  Place place{root_of(variable), {}};
  if (variable->getType()->isReferenceType()) return memory_.load(place, kDereference);
  return {place};
}

// Inside a lambda's body an enclosing variable stands for a field of the closure object.
std::optional<Places> DeviceReader::captured_places(const clang::VarDecl* variable) {
  if (!is_lambda_call(function_)) return std::nullopt;
  for (const clang::LambdaCapture& capture : llvm::cast<clang::CXXMethodDecl>(function_)->getParent()->captures()) {
    if (!capture.capturesVariable() || capture.getCapturedVar() != variable) continue;
    Places closure = memory_.load(kThisPlace, kDereference);
    Places field = extended(closure, std::string_view(variable->getName()));
    return capture.getCaptureKind() == clang::LCK_ByRef ? memory_.load(field, kDereference) : field;
  }
  return std::nullopt;
}

Places DeviceReader::VisitDeclRefExpr(const clang::DeclRefExpr* expression) {
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(expression->getDecl()))
    return visit(binding->getBinding());
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(expression->getDecl());
  // A constant is folded into the code: its variable is not touched.
  if (variable == nullptr || expression->isNonOdrUse() == clang::NOUR_Constant) return {};
  return variable_places(variable);
}

Places DeviceReader::VisitCXXThisExpr(const clang::CXXThisExpr*) { return this_object(); }

Places DeviceReader::this_object() const {
  Places object = memory_.load(kThisPlace, kDereference);
  if (!is_lambda_call(function_)) return object;
  Places field = extended(object, kCapturedThis);
  for (const clang::LambdaCapture& capture : llvm::cast<clang::CXXMethodDecl>(function_)->getParent()->captures())
    if (capture.getCaptureKind() == clang::LCK_StarThis) return field;
  return memory_.load(field, kDereference);
}

Places DeviceReader::member_places(const Places& object, const clang::FieldDecl* field) {
  Places places = step_name(field).empty() ? object : extended(object, step_name(field));
  return field->getType()->isReferenceType() ? memory_.load(places, kDereference) : places;
}

Places DeviceReader::VisitMemberExpr(const clang::MemberExpr* expression) {
  Places object = expression->isArrow() ? value(expression->getBase()) : visit(expression->getBase());
  if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(expression->getMemberDecl()))
    return member_places(object, field);
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(expression->getMemberDecl()))
    return variable_places(variable);
  return object;
}

Places DeviceReader::VisitCXXDependentScopeMemberExpr(const clang::CXXDependentScopeMemberExpr* expression) {
  Places object;
  if (expression->isImplicitAccess())
    object = this_object();
  else
    object = expression->isArrow() ? value(expression->getBase()) : visit(expression->getBase());
  if (!expression->getMember().isIdentifier()) return object;
  return extended(object, std::string_view(expression->getMember().getAsIdentifierInfo()->getName()));
}

Places DeviceReader::VisitUnresolvedMemberExpr(const clang::UnresolvedMemberExpr* expression) {
  if (expression->isImplicitAccess()) return this_object();
  return expression->isArrow() ? value(expression->getBase()) : visit(expression->getBase());
}

Places DeviceReader::VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* expression) {
  bool left_is_base = expression->isTypeDependent() || expression->getBase() == expression->getLHS();
  const Expr* base = left_is_base ? expression->getLHS() : expression->getRHS();
  value(left_is_base ? expression->getRHS() : expression->getLHS());
  return base->getType()->isVectorType() ? visit(base) : value(base);
}

Places DeviceReader::VisitExtVectorElementExpr(const clang::ExtVectorElementExpr* expression) {
  return expression->isArrow() ? value(expression->getBase()) : visit(expression->getBase());
}

Places DeviceReader::VisitUnaryDeref(const clang::UnaryOperator* expression) { return value(expression->getSubExpr()); }

Places DeviceReader::VisitUnaryAddrOf(const clang::UnaryOperator* expression) {
  return visit(expression->getSubExpr());
}

Places DeviceReader::VisitUnaryOperator(const clang::UnaryOperator* expression) {
  const Expr* operand = expression->getSubExpr();
  if (!expression->isIncrementDecrementOp()) {
    Places places = expression->isGLValue() ? visit(operand) : value(operand);
    return expression->getOpcode() == clang::UO_LNot ? Places() : places;
  }
  Places places = modify(operand, {});
  return expression->isGLValue() ? places : loaded(places, operand->getType());
}

Places DeviceReader::modify(const Expr* target, const Places& added) {
  Places places = visit(target);
  record(places, Access::ReadWrite);
  if (carrier_of(target->getType(), locations_.context()) == Carrier::Integer) assign(places, added, target->getType());
  return places;
}

Places DeviceReader::VisitBinAssign(const clang::BinaryOperator* expression) {
  Places assigned = value(expression->getRHS());
  Places target = visit(expression->getLHS());
  record(target, Access::Write);
  assign(target, assigned, expression->getLHS()->getType());
  return target;
}

Places DeviceReader::VisitCompoundAssignOperator(const clang::CompoundAssignOperator* expression) {
  Places added = value(expression->getRHS());
  return modify(expression->getLHS(), added);
}

// Members behind a member pointer are not told apart from their object.
Places DeviceReader::VisitBinPtrMemD(const clang::BinaryOperator* expression) { return visit(expression->getLHS()); }

Places DeviceReader::VisitBinPtrMemI(const clang::BinaryOperator* expression) { return value(expression->getLHS()); }

Places DeviceReader::VisitBinComma(const clang::BinaryOperator* expression) {
  visit(expression->getLHS());
  return visit(expression->getRHS());
}

// In a sum with a pointer the other operand is an offset; in one of integers either may be the address.
Places DeviceReader::combined(const Expr* left, const Expr* right, QualType type) {
  Places from_left = value(left), from_right = value(right);
  Carrier carrier = carrier_of(type, locations_.context());
  if (carrier == Carrier::None) return {};
  if (type->isPointerType()) return left->getType()->isPointerType() ? from_left : from_right;
  merge(from_left, from_right);
  return from_left;
}

Places DeviceReader::VisitBinaryOperator(const clang::BinaryOperator* expression) {
  Places places = combined(expression->getLHS(), expression->getRHS(), expression->getType());
  switch (expression->getOpcode()) {
    case clang::BO_Add:
    case clang::BO_And:
    case clang::BO_Or:
      return places;
    case clang::BO_Sub:
      return expression->getLHS()->getType()->isPointerType() && expression->getRHS()->getType()->isPointerType()
                 ? Places()
                 : places;
    default:
      return {};
  }
}

Places DeviceReader::VisitAbstractConditionalOperator(const clang::AbstractConditionalOperator* expression) {
  statement_value(expression->getCond());
  bool as_value = !expression->isGLValue();
  Places places = as_value ? value(expression->getTrueExpr()) : visit(expression->getTrueExpr());
  merge(places, as_value ? value(expression->getFalseExpr()) : visit(expression->getFalseExpr()));
  return places;
}

Places DeviceReader::VisitCastExpr(const clang::CastExpr* expression) {
  const Expr* operand = expression->getSubExpr();
  switch (expression->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_LValueToRValueBitCast:
    case clang::CK_Dependent:
      return expression->isGLValue() ? visit(operand) : value(operand);
    case clang::CK_IntegralToPointer:
      return without_offsets(visit(operand));
    case clang::CK_ToVoid:
    case clang::CK_PointerToBoolean:
    case clang::CK_IntegralToBoolean:
      visit(operand);
      return {};
    case clang::CK_IntegralCast: {
      Places places = visit(operand);
      return carrier_of(expression->getType(), locations_.context()) == Carrier::None ? Places() : places;
    }
    default:
      return visit(operand);
  }
}

Places DeviceReader::VisitAtomicExpr(const clang::AtomicExpr* expression) {
  Places target = value(expression->getPtr());
  llvm::StringRef name = expression->getOpAsString();
  Access access = name.contains("load") ? Access::Read : name.contains("store") ? Access::Write : Access::ReadWrite;
  record(target, access);
  for (unsigned i = 1; i < expression->getNumSubExprs(); ++i) statement_value(expression->getSubExprs()[i]);
  return loaded(target, expression->getType());
}

Places DeviceReader::VisitParenExpr(const clang::ParenExpr* expression) { return visit(expression->getSubExpr()); }

Places DeviceReader::VisitFullExpr(const clang::FullExpr* expression) { return visit(expression->getSubExpr()); }

Places DeviceReader::VisitCXXBindTemporaryExpr(const clang::CXXBindTemporaryExpr* expression) {
  return visit(expression->getSubExpr());
}

Places DeviceReader::VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* expression) {
  Places held = visit(expression->getSubExpr());
  if (carrier_of(expression->getType(), locations_.context()) == Carrier::Object) return held;
  Place place = temporary(expression);
  assign({place}, held, expression->getType());
  return {place};
}

Places DeviceReader::VisitOpaqueValueExpr(const clang::OpaqueValueExpr* expression) {
  return visit(expression->getSourceExpr());
}

Places DeviceReader::VisitArrayInitLoopExpr(const clang::ArrayInitLoopExpr* expression) {
  Places source = visit(expression->getCommonExpr());
  record(source, Access::Read);
  return source;
}

Places DeviceReader::VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* expression) {
  return visit(expression->getExpr());
}

Places DeviceReader::VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* expression) {
  return visit(expression->getExpr());
}

Places DeviceReader::VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* expression) {
  return visit(expression->getReplacement());
}

// Operands of sizeof and noexcept are never evaluated.
Places DeviceReader::VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr*) { return {}; }

Places DeviceReader::VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr*) { return {}; }

}  // namespace cuco::frontend
