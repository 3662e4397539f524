// Expressions: values, and the places that glvalues name.
#include "base/text.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::isa;
using model::Symbolic;

namespace {

bool is_integer(clang::QualType type) { return type->isIntegralOrEnumerationType(); }

// Operators are calculated from their operands; asking Clang at every level of a long sum would cost its square.
bool may_be_constant(const clang::Expr* expression) {
  if (auto* cast = dyn_cast<clang::CastExpr>(expression)) return may_be_constant(cast->getSubExpr()->IgnoreParens());
  return !isa<clang::BinaryOperator, clang::UnaryOperator, clang::AbstractConditionalOperator>(expression);
}

std::optional<int64_t> constant_of(const clang::Expr* expression, const clang::ASTContext& context) {
  if (expression->isValueDependent() || !is_integer(expression->getType())) return std::nullopt;
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
  if (isa<clang::CXXThisExpr>(expression)) return frames_.back().self ? pointer_to(*frames_.back().self) : Value{};
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
      for (Place& place : array.places) place = place.element(0);
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
  Value either = yes_returns && no_returns ? join(yes, no) : yes_returns ? yes : no;
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
  if (frames_.back().self) target.place = *frames_.back().self;
  return value;
}

Value Interpreter::evaluate_init_list(const clang::InitListExpr* list) {
  if (list->getNumInits() == 1 && !list->getType()->isRecordType() && !list->getType()->isArrayType())
    return evaluate(list->getInit(0));
  Place place = new_place("temporary");
  initialise_from_list(place, list);
  Value value;
  value.object = place;
  value.text = here().text_of(list);
  return value;
}

Value Interpreter::evaluate_new(const clang::CXXNewExpr* expression) {
  Place place = new_heap_place("new " + expression->getAllocatedType().getAsString());
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
    if (target.kind != TargetKind::Place || bracket == std::string::npos || target.place.path.back() != ']') continue;
    std::string index = target.place.path.substr(bracket + 1, target.place.path.size() - bracket - 2);
    std::optional<int64_t> shift = elements.as_constant();
    target.place.path.resize(bracket);
    target.place =
        target.place.element(index == "*" || !shift ? std::nullopt : std::optional(std::stoll(index) + *shift));
  }
  return moved;
}

Located Interpreter::locate(const clang::Expr* expression) {
  if (!reachable_) return {};
  expression = expression->IgnoreParens();
  if (auto* reference = dyn_cast<clang::DeclRefExpr>(expression)) return locate_variable(reference->getDecl());
  if (auto* member = dyn_cast<clang::MemberExpr>(expression)) return locate_member(member);
  if (auto* element = dyn_cast<clang::ArraySubscriptExpr>(expression)) return locate_element(element);
  if (auto* op = dyn_cast<clang::UnaryOperator>(expression)) {
    if (op->getOpcode() == clang::UO_Deref) {
      Value pointer = evaluate(op->getSubExpr());
      return {pointed_places(pointer), buffer_targets(pointer)};
    }
    evaluate(op);
    return locate(op->getSubExpr());
  }
  if (auto* cast = dyn_cast<clang::CastExpr>(expression); cast && cast->getSubExpr()->isGLValue())
    return locate(cast->getSubExpr());
  if (auto* op = dyn_cast<clang::AbstractConditionalOperator>(expression)) {
    decide(op->getCond());
    Located both = locate(op->getTrueExpr());
    Located other = locate(op->getFalseExpr());
    both.places.insert(both.places.end(), other.places.begin(), other.places.end());
    both.buffers.insert(both.buffers.end(), other.buffers.begin(), other.buffers.end());
    return both;
  }
  if (auto* call_expression = dyn_cast<clang::CallExpr>(expression); call_expression && expression->isGLValue()) {
    Value address = call(call_expression);
    return {pointed_places(address), buffer_targets(address)};
  }
  if (auto* op = dyn_cast<clang::BinaryOperator>(expression); op && op->isAssignmentOp()) {
    evaluate(op);
    return locate(op->getLHS());
  }
  if (auto* full = dyn_cast<clang::FullExpr>(expression)) return locate(full->getSubExpr());
  return locate_temporary(expression);
}

Located Interpreter::locate_temporary(const clang::Expr* expression) {
  if (auto* temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression)) expression = temporary->getSubExpr();
  Value value = evaluate(expression);
  if (value.object) return {{*value.object}, {}};
  Place place = new_place("temporary");
  store(place, value);
  return {{place}, {}};
}

Located Interpreter::locate_variable(const clang::ValueDecl* declaration) {
  if (auto* binding = dyn_cast<clang::BindingDecl>(declaration))
    return binding->getBinding() ? locate(binding->getBinding()) : Located{};
  auto* variable = dyn_cast<clang::VarDecl>(declaration);
  if (!variable) return {};
  if (!variable->hasGlobalStorage()) {
    if (auto found = bindings_.find(variable); found != bindings_.end()) return found->second;
    Located made{{new_place(variable->getNameAsString())}, {}};
    bindings_[variable] = made;
    return made;
  }
  auto [slot, fresh] = globals_.try_emplace(unique_name(variable));
  if (fresh) {
    slot->second = new_heap_place(variable->getNameAsString());
    bool of_device = variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>() ||
                     variable->hasAttr<clang::HIPManagedAttr>();
    if (of_device) {
      model::Index buffer = recorder_.external_buffer(variable->getNameAsString(), model::BufferKind::Symbol);
      recorder_.program().buffers[buffer].allocation = here().range_of(variable->getSourceRange());
      store(slot->second, handle_value(TargetKind::Buffer, buffer));
    } else if (const clang::Expr* initialiser = variable->getAnyInitializer()) {
      initialise(slot->second, initialiser);
    }
  }
  return {{slot->second}, {}};
}

Located Interpreter::locate_member(const clang::MemberExpr* member) {
  if (isa<clang::VarDecl>(member->getMemberDecl())) return locate_variable(member->getMemberDecl());
  std::vector<Place> objects;
  if (member->isArrow())
    objects = pointed_places(evaluate(member->getBase()));
  else
    objects = locate(member->getBase()).places;
  Located located;
  for (const Place& object : objects)
    located.places.push_back(object.member(member->getMemberDecl()->getNameAsString()));
  if (member->getMemberDecl()->getType()->isReferenceType()) {
    Located referred;
    for (const Place& place : located.places)
      if (std::optional<Value> pointer = memory_.load(place)) {
        for (const Place& target : pointed_places(*pointer)) referred.places.push_back(target);
        for (const Target& target : buffer_targets(*pointer)) referred.buffers.push_back(target);
      }
    return referred;
  }
  return located;
}

Located Interpreter::locate_element(const clang::ArraySubscriptExpr* element) {
  Value index = evaluate(element->getIdx());
  Value base = evaluate(element->getBase());
  Symbolic shift = index.number ? *index.number : opaque(here().text_of(element->getIdx()));
  Value moved = offset_pointer(base, shift, element->getBase()->getType());
  return {pointed_places(moved), buffer_targets(moved), index.varies};
}

Value Interpreter::load(const Place& place, clang::QualType type) {
  if (type->isRecordType() || type->isArrayType()) {
    Value value = memory_.load(place).value_or(Value{});
    value.object = place;
    return value;
  }
  std::optional<Value> stored = memory_.load(place);
  if (stored && (stored->number || !is_integer(type))) return *stored;
  if (!is_integer(type)) return {};
  // An integer that is not known keeps its identity: two reads of it are equal until it is written.
  Value unknown = number_value(opaque(name_of(place)));
  unknown.varies = stored && stored->varies;
  memory_.store(place, unknown);
  return unknown;
}

Value Interpreter::load(const Located& located, clang::QualType type) {
  std::optional<Value> loaded;
  for (const Place& place : located.places) {
    Value value = load(place, type);
    loaded = loaded ? join(*loaded, value) : value;
  }
  Value value = loaded.value_or(Value{});
  value.varies = value.varies || located.varies;
  return value;
}

void Interpreter::store(const Place& place, const Value& value) {
  if (value.object) {
    if (*value.object == place) return;
    memory_.forget(place);
    memory_.copy_object(*value.object, place);
    Value shape;
    shape.text = value.text;
    shape.targets = value.targets;
    if (!shape.text.empty() || !shape.targets.empty()) memory_.store(place, shape);
    return;
  }
  memory_.store(place, value);
  for (const Target& target : value.targets)
    if (target.kind == TargetKind::Buffer && target.offset_bytes == Symbolic()) name_buffer(target.index, place);
}

// A buffer goes by the name of the variable nearest to the entry point that holds its start.
void Interpreter::name_buffer(model::Index buffer, const Place& place) {
  auto root = roots_.find(place.root);
  if (root == roots_.end() || root->second.name == "temporary") return;
  auto known = buffer_depths_.find(buffer);
  if (known == buffer_depths_.end()) return;
  if (root->second.depth >= known->second) return;
  known->second = root->second.depth;
  recorder_.program().buffers[buffer].name = name_of(place);
}

void Interpreter::made_buffer(model::Index buffer, const Place& place) {
  auto root = roots_.find(place.root);
  buffer_depths_.emplace(buffer, root == roots_.end() ? 0 : root->second.depth);
}

void Interpreter::store(const Located& located, const Value& value) {
  if (located.places.size() == 1) return store(located.places.front(), value);
  for (const Place& place : located.places) memory_.store(place, join(memory_.load(place).value_or(value), value));
}

Value Interpreter::address_of(const Located& located) {
  Value value;
  for (const Place& place : located.places) value.targets.push_back(pointer_to(place).targets.front());
  value.targets.insert(value.targets.end(), located.buffers.begin(), located.buffers.end());
  return value;
}

void Interpreter::initialise(const Place& place, const clang::Expr* initialiser) {
  const clang::Expr* inner = initialiser->IgnoreUnlessSpelledInSource();
  const clang::Expr* plain = initialiser->IgnoreImplicit();
  if (auto* list = dyn_cast<clang::InitListExpr>(plain)) return initialise_from_list(place, list);
  if (auto* construction = dyn_cast<clang::CXXConstructExpr>(plain)) {
    Value made = construct(construction, place);
    if (made.object && *made.object != place) store(place, made);
    return;
  }
  Value value = evaluate(initialiser);
  if (!value.number && value.targets.empty() && !value.object && is_integer(inner->getType()))
    value = {{}, opaque(name_of(place)), {}, {}, value.varies};
  store(place, value);
}

void Interpreter::initialise_from_list(const Place& place, const clang::InitListExpr* list) {
  const clang::RecordDecl* record = list->getType()->getAsRecordDecl();
  // std::array wraps its elements in a field; they are reached as elements of the object itself.
  bool wraps_array = record && !here().is_users(record->getLocation());
  auto field = record && !wraps_array ? record->field_begin() : clang::RecordDecl::field_iterator();
  for (unsigned i = 0; i < list->getNumInits(); ++i) {
    const clang::Expr* part = list->getInit(i);
    if (wraps_array && isa<clang::InitListExpr>(part->IgnoreImplicit())) {
      initialise_from_list(place, clang::cast<clang::InitListExpr>(part->IgnoreImplicit()));
    } else if (record && !wraps_array && field != record->field_end()) {
      initialise(place.member(field->getNameAsString()), part);
      ++field;
    } else {
      initialise(place.element(i), part);
    }
  }
}

}  // namespace cuco::frontend
