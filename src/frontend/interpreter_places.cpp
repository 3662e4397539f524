// Expressions: the places that glvalues name, and what is loaded from and stored to them.
#include <utility>

#include "base/text.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::isa;
using model::Symbolic;

namespace {

bool is_integer(clang::QualType type) { return type->isIntegralOrEnumerationType(); }

}  // namespace

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
  HostPlace place = new_place("temporary");
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
    } else {
      initialise_global(slot->second, variable);
    }
  }
  return {{slot->second}, {}};
}

// By the file that says what it begins with.
void Interpreter::initialise_global(const HostPlace& place, const clang::VarDecl* variable) {
  auto elsewhere = initialised_.find(unique_name(variable));
  bool is_here = variable->getAnyInitializer() || elsewhere == initialised_.end();
  const clang::VarDecl* stated = is_here ? variable : elsewhere->second;
  if (!stated->getAnyInitializer()) return;
  const Locations* user = std::exchange(here_, unit_of(stated));
  initialise(place, stated->getAnyInitializer());
  here_ = user;
}

Located Interpreter::locate_member(const clang::MemberExpr* member) {
  if (isa<clang::VarDecl>(member->getMemberDecl())) return locate_variable(member->getMemberDecl());
  std::vector<HostPlace> objects;
  if (member->isArrow())
    objects = pointed_places(evaluate(member->getBase()));
  else
    objects = locate(member->getBase()).places;
  Located located;
  for (const HostPlace& object : objects)
    located.places.push_back(object.member(member->getMemberDecl()->getNameAsString()));
  if (member->getMemberDecl()->getType()->isReferenceType()) {
    Located referred;
    for (const HostPlace& place : located.places)
      if (std::optional<Value> pointer = memory_.load(place)) {
        for (const HostPlace& target : pointed_places(*pointer)) referred.places.push_back(target);
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

Value Interpreter::load(const HostPlace& place, clang::QualType type) {
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
  for (const HostPlace& place : located.places) {
    Value value = load(place, type);
    loaded = loaded ? either_of(*loaded, value) : value;
  }
  Value value = loaded.value_or(Value{});
  value.varies = value.varies || located.varies;
  return value;
}

void Interpreter::store(const HostPlace& place, const Value& value) {
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
void Interpreter::name_buffer(model::Index buffer, const HostPlace& place) {
  auto root = roots_.find(place.root);
  if (root == roots_.end() || root->second.name == "temporary") return;
  auto known = buffer_depths_.find(buffer);
  if (known == buffer_depths_.end()) return;
  if (root->second.depth >= known->second) return;
  known->second = root->second.depth;
  recorder_.program().buffers[buffer].name = name_of(place);
}

void Interpreter::made_buffer(model::Index buffer, const HostPlace& place) {
  auto root = roots_.find(place.root);
  buffer_depths_.emplace(buffer, root == roots_.end() ? 0 : root->second.depth);
}

void Interpreter::store(const Located& located, const Value& value) {
  if (located.places.size() == 1) return store(located.places.front(), value);
  for (const HostPlace& place : located.places)
    memory_.store(place, either_of(memory_.load(place).value_or(value), value));
}

Value Interpreter::address_of(const Located& located) {
  Value value;
  for (const HostPlace& place : located.places) value.targets.push_back(pointer_to(place).targets.front());
  value.targets.insert(value.targets.end(), located.buffers.begin(), located.buffers.end());
  return value;
}

void Interpreter::initialise(const HostPlace& place, const clang::Expr* initialiser) {
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

void Interpreter::initialise_from_list(const HostPlace& place, const clang::InitListExpr* list) {
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
