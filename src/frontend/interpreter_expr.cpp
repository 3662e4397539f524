// Expressions: the values they have.
#include "base/text.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::isa;
using model::Symbolic;

namespace {

// Operators are calculated from their operands; asking Clang at every level of a long sum would cost its square.
bool may_be_constant(const clang::Expr* expression) {
  if (auto* cast = dyn_cast<clang::CastExpr>(expression)) return may_be_constant(cast->getSubExpr()->IgnoreParens());
  return !isa<clang::BinaryOperator, clang::UnaryOperator, clang::AbstractConditionalOperator>(expression);
}

std::optional<int64_t> constant_of(const clang::Expr* expression, const clang::ASTContext& context) {
  if (expression->isValueDependent() || !expression->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  if (!may_be_constant(expression)) return std::nullopt;
  clang::Expr::EvalResult result;
  if (!expression->EvaluateAsInt(result, context) || result.HasSideEffects) return std::nullopt;
  llvm::APSInt value = result.Val.getInt();
  if (value.getSignificantBits() > 64) return std::nullopt;
  return value.getExtValue();
}

std::optional<int64_t> constant_of(const Value& value) {
  return value.number ? value.number->as_constant() : std::nullopt;
}

int64_t bytes_of_pointee(clang::QualType pointer, const clang::ASTContext& context) {
  clang::QualType pointee = pointer->getPointeeType();
  if (pointee.isNull()) pointee = context.CharTy;
  if (auto* array = context.getAsArrayType(pointer)) pointee = array->getElementType();
  if (pointee->isVoidType() || pointee->isIncompleteType() || pointee->isDependentType() || pointee->isFunctionType())
    return 1;
  return context.getTypeSizeInChars(pointee).getQuantity();
}

std::optional<bool> compare(clang::BinaryOperatorKind kind, const Symbolic& left, const Symbolic& right) {
  std::optional<int64_t> difference = (left - right).as_constant();
  if (!difference) return std::nullopt;
  switch (kind) {
    case clang::BO_LT:
      return *difference < 0;
    case clang::BO_GT:
      return *difference > 0;
    case clang::BO_LE:
      return *difference <= 0;
    case clang::BO_GE:
      return *difference >= 0;
    case clang::BO_EQ:
      return *difference == 0;
    case clang::BO_NE:
      return *difference != 0;
    default:
      return std::nullopt;
  }
}

std::optional<bool> connect(clang::BinaryOperatorKind kind, const Value& left, const Value& right) {
  std::optional<int64_t> a = constant_of(left), b = constant_of(right);
  if (kind == clang::BO_LAnd) {
    if (a == 0 || b == 0) return false;
    if (a && b) return true;
  } else {
    if ((a && *a != 0) || (b && *b != 0)) return true;
    if (a && b) return false;
  }
  return std::nullopt;
}

std::optional<Symbolic> arithmetic(clang::BinaryOperatorKind kind, const Symbolic& left, const Symbolic& right) {
  switch (kind) {
    case clang::BO_Add:
    case clang::BO_AddAssign:
      return left + right;
    case clang::BO_Sub:
    case clang::BO_SubAssign:
      return left - right;
    case clang::BO_Mul:
    case clang::BO_MulAssign:
      return left * right;
    case clang::BO_Div:
    case clang::BO_DivAssign:
      return left.divided_by(right);
    case clang::BO_Rem:
    case clang::BO_RemAssign:
      return left.modulo(right);
    default:
      break;
  }
  std::optional<int64_t> a = left.as_constant(), b = right.as_constant();
  if (!a || !b) return std::nullopt;
  bool shifts = *b >= 0 && *b < 63;
  switch (kind) {
    case clang::BO_Shl:
    case clang::BO_ShlAssign:
      if (shifts) return Symbolic::constant(static_cast<int64_t>(static_cast<uint64_t>(*a) << *b));
      return std::nullopt;
    case clang::BO_Shr:
    case clang::BO_ShrAssign:
      if (shifts) return Symbolic::constant(*a >> *b);
      return std::nullopt;
    case clang::BO_And:
    case clang::BO_AndAssign:
      return Symbolic::constant(*a & *b);
    case clang::BO_Or:
    case clang::BO_OrAssign:
      return Symbolic::constant(*a | *b);
    case clang::BO_Xor:
    case clang::BO_XorAssign:
      return Symbolic::constant(*a ^ *b);
    default:
      return std::nullopt;
  }
}

}  // namespace

Value Interpreter::evaluate(const clang::Expr* expression) {
  if (!reachable_) return {};
  ++fuel_;
  expression = expression->IgnoreParens();
  if (auto known = constant_of(expression, here().context())) return number_value(Symbolic::constant(*known));
  if (auto* call_expression = dyn_cast<clang::CallExpr>(expression)) {
    Value value = call(call_expression);
    return expression->isGLValue() ? load({pointed_places(value), buffer_targets(value)}, expression->getType())
                                   : value;
  }
  if (auto* cast = dyn_cast<clang::CastExpr>(expression)) return evaluate_cast(cast);
  if (auto* reference = dyn_cast<clang::DeclRefExpr>(expression)) return evaluate_reference(reference);
  if (auto* op = dyn_cast<clang::UnaryOperator>(expression)) return evaluate_unary(op);
  if (auto* op = dyn_cast<clang::BinaryOperator>(expression)) return evaluate_binary(op);
  if (auto* op = dyn_cast<clang::AbstractConditionalOperator>(expression)) return evaluate_conditional(op);
  if (isa<clang::MemberExpr, clang::ArraySubscriptExpr>(expression))
    return load(locate(expression), expression->getType());
  if (isa<clang::CXXThisExpr>(expression)) return address_of({frames_.back().self, {}});
  if (auto* construction = dyn_cast<clang::CXXConstructExpr>(expression))
    return construct(construction, new_place("temporary"));
  if (auto* lambda = dyn_cast<clang::LambdaExpr>(expression)) return evaluate_lambda(lambda);
  if (auto* list = dyn_cast<clang::InitListExpr>(expression)) return evaluate_init_list(list);
  if (auto* made = dyn_cast<clang::CXXNewExpr>(expression)) return evaluate_new(made);
  return evaluate_children(expression);
}

// Wrappers that stand for what they hold, and whatever has no meaning of its own here.
Value Interpreter::evaluate_children(const clang::Expr* expression) {
  if (auto* full = dyn_cast<clang::FullExpr>(expression)) return evaluate(full->getSubExpr());
  if (auto* temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression)) return evaluate(temporary->getSubExpr());
  if (auto* items = dyn_cast<clang::CXXStdInitializerListExpr>(expression)) return evaluate(items->getSubExpr());
  if (auto* bound = dyn_cast<clang::CXXBindTemporaryExpr>(expression)) return evaluate(bound->getSubExpr());
  if (auto* argument = dyn_cast<clang::CXXDefaultArgExpr>(expression)) return evaluate(argument->getExpr());
  if (auto* field = dyn_cast<clang::CXXDefaultInitExpr>(expression)) return evaluate(field->getExpr());
  if (auto* parameter = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return evaluate(parameter->getReplacement());
  if (isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr>(expression))
    return handle_value(TargetKind::Null, model::kNone);
  if (auto* block = dyn_cast<clang::StmtExpr>(expression)) return evaluate_block(block);
  if (isa<clang::CXXThrowExpr>(expression)) {
    end_program();
    return {};
  }
  for (const clang::Stmt* child : expression->children())
    if (auto* part = clang::dyn_cast_or_null<clang::Expr>(child)) evaluate(part);
  return {};
}

// `({ ... })`, a common form of checking macros: its value is that of its last expression.
Value Interpreter::evaluate_block(const clang::StmtExpr* block) {
  const clang::Stmt* last = block->getSubStmt()->getStmtExprResult();
  Value value;
  for (const clang::Stmt* statement : block->getSubStmt()->body()) {
    auto* expression = dyn_cast<clang::Expr>(statement);
    if (statement == last && expression && reachable_)
      value = evaluate(expression);
    else
      run(statement);
  }
  return value;
}

Value Interpreter::evaluate_cast(const clang::CastExpr* cast) {
  const clang::Expr* inner = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
      return load(locate(inner), inner->getType());
    case clang::CK_ArrayToPointerDecay: {
      Located array = locate(inner);
      for (HostPlace& place : array.places) place = place.element(0);
      return address_of(array);
    }
    case clang::CK_FunctionToPointerDecay:
      return evaluate(inner);
    case clang::CK_NullToPointer:
      return handle_value(TargetKind::Null, model::kNone);
    case clang::CK_IntegralToPointer: {
      // cudaStreamLegacy and cudaStreamPerThread are small integers in a pointer's clothes.
      Value value = evaluate(inner);
      if (constant_of(value) == 0) return handle_value(TargetKind::Null, model::kNone);
      return value;
    }
    default:
      return evaluate(inner);
  }
}

Value Interpreter::evaluate_reference(const clang::DeclRefExpr* reference) {
  if (auto* function = dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
    Value value;
    value.targets.push_back({TargetKind::Function, model::kNone, {}, {}, function});
    return value;
  }
  return load(locate(reference), reference->getType());
}

Value Interpreter::evaluate_unary(const clang::UnaryOperator* op) {
  const clang::Expr* inner = op->getSubExpr();
  if (op->getOpcode() == clang::UO_AddrOf) {
    if (auto* reference = dyn_cast<clang::DeclRefExpr>(inner->IgnoreParens()))
      if (isa<clang::FunctionDecl>(reference->getDecl())) return evaluate(inner);
    return address_of(locate(inner));
  }
  if (op->getOpcode() == clang::UO_Deref) return load(locate(op), op->getType());
  if (op->isIncrementDecrementOp()) {
    Located located = locate(inner);
    Value before = load(located, inner->getType());
    Symbolic step = Symbolic::constant(op->isIncrementOp() ? 1 : -1);
    Value after = inner->getType()->isPointerType() ? offset_pointer(before, step, inner->getType())
                  : before.number                   ? number_value(*before.number + step)
                                                    : Value{};
    after.varies = before.varies;
    store(located, after);
    return op->isPrefix() ? after : before;
  }
  Value value = evaluate(inner);
  if (op->getOpcode() == clang::UO_Plus) return value;
  Value result;
  if (op->getOpcode() == clang::UO_Minus && value.number) result = number_value(Symbolic() - *value.number);
  if (std::optional<int64_t> known = constant_of(value); known && op->getOpcode() == clang::UO_LNot)
    result = number_value(Symbolic::constant(*known == 0));
  result.varies = value.varies;
  return result;
}

Value Interpreter::evaluate_binary(const clang::BinaryOperator* op) {
  if (op->isAssignmentOp()) return evaluate_assignment(op);
  Value left = evaluate(op->getLHS());
  Value right = evaluate(op->getRHS());
  if (op->getOpcode() == clang::BO_Comma) return right;
  return combine(left, right, op);
}

Value Interpreter::combine(const Value& left, const Value& right, const clang::BinaryOperator* op) {
  Value result = calculate(left, right, op);
  result.varies = left.varies || right.varies;
  return result;
}

Value Interpreter::calculate(const Value& left, const Value& right, const clang::BinaryOperator* op) {
  clang::BinaryOperatorKind kind = op->getOpcode();
  bool left_pointer = op->getLHS()->getType()->isPointerType();
  bool right_pointer = op->getRHS()->getType()->isPointerType();
  bool adds = kind == clang::BO_Add || kind == clang::BO_AddAssign;
  bool subtracts = kind == clang::BO_Sub || kind == clang::BO_SubAssign;
  Symbolic unknown_shift = opaque(here().text_of(op->getRHS()));
  if (left_pointer && !right_pointer && (adds || subtracts)) {
    Symbolic shift = right.number ? *right.number : unknown_shift;
    return offset_pointer(left, adds ? shift : Symbolic() - shift, op->getLHS()->getType());
  }
  if (right_pointer && !left_pointer && adds && left.number)
    return offset_pointer(right, *left.number, op->getRHS()->getType());
  if (op->isLogicalOp()) {
    std::optional<bool> truth = connect(kind, left, right);
    return truth ? number_value(Symbolic::constant(*truth)) : Value{};
  }
  if (!left.number || !right.number) return {};
  if (op->isComparisonOp()) {
    std::optional<bool> truth = compare(kind, *left.number, *right.number);
    return truth ? number_value(Symbolic::constant(*truth)) : Value{};
  }
  std::optional<Symbolic> result = arithmetic(kind, *left.number, *right.number);
  if (!result) return number_value(opaque(here().text_of(op)));
  return number_value(*result);
}

Value Interpreter::evaluate_assignment(const clang::BinaryOperator* op) {
  Value value = evaluate(op->getRHS());
  Located target = locate(op->getLHS());
  if (op->isCompoundAssignmentOp()) value = combine(load(target, op->getLHS()->getType()), value, op);
  store(target, value);
  return value;
}

Value Interpreter::evaluate_conditional(const clang::AbstractConditionalOperator* op) {
  Decision decision = decide(op->getCond());
  if (decision.known) return evaluate(*decision.known ? op->getTrueExpr() : op->getFalseExpr());
  // `ok ? (void)0 : exit(1)`: the program goes on with the side that returns.
  Value yes = evaluate(op->getTrueExpr());
  bool yes_returns = std::exchange(reachable_, true);
  Value no = evaluate(op->getFalseExpr());
  bool no_returns = std::exchange(reachable_, true);
  reachable_ = yes_returns || no_returns;
  Value either = yes_returns && no_returns ? either_of(yes, no) : yes_returns ? yes : no;
  either.varies = either.varies || decision.varies;
  return either;
}

// What a lambda captures by name is reached through the bindings that hold when it runs.
Value Interpreter::evaluate_lambda(const clang::LambdaExpr* lambda) {
  for (const clang::LambdaCapture& capture : lambda->captures())
    if (capture.capturesVariable())
      if (auto* variable = dyn_cast<clang::VarDecl>(capture.getCapturedVar()); variable && variable->isInitCapture())
        declare(variable);
  Value value;
  Target& target = value.targets.emplace_back();
  target.kind = TargetKind::Function;
  target.function = lambda->getCallOperator();
  if (!frames_.back().self.empty()) target.place = frames_.back().self.front();
  return value;
}

Value Interpreter::evaluate_init_list(const clang::InitListExpr* list) {
  if (list->getNumInits() == 1 && !list->getType()->isRecordType() && !list->getType()->isArrayType())
    return evaluate(list->getInit(0));
  HostPlace place = new_place("temporary");
  initialise_from_list(place, list);
  Value value;
  value.object = place;
  value.text = here().text_of(list);
  return value;
}

Value Interpreter::evaluate_new(const clang::CXXNewExpr* expression) {
  HostPlace place = new_object(expression->getAllocatedType());
  if (auto* construction = clang::dyn_cast_or_null<clang::CXXConstructExpr>(expression->getInitializer()))
    construct(construction, place);
  return pointer_to(expression->isArray() ? place.element(0) : place);
}

// Moving a pointer into an array changes which element it names; into a buffer, the offset.
Value Interpreter::offset_pointer(const Value& pointer, const Symbolic& elements, clang::QualType pointer_type) {
  Value moved = pointer;
  Symbolic bytes = elements * Symbolic::constant(bytes_of_pointee(pointer_type, here().context()));
  for (Target& target : moved.targets) {
    if (target.kind == TargetKind::Buffer) target.offset_bytes = target.offset_bytes + bytes;
    size_t bracket = target.place.path.rfind('[');
    if (target.kind != TargetKind::Place || bracket == std::string::npos || target.place.path.back() != ']')
      continue;
    std::string index = target.place.path.substr(bracket + 1, target.place.path.size() - bracket - 2);
    std::optional<int64_t> shift = elements.as_constant();
    target.place.path.resize(bracket);
    target.place =
        target.place.element(index == "*" || !shift ? std::nullopt : std::optional(std::stoll(index) + *shift));
  }
  return moved;
}

}  // namespace cuco::frontend
