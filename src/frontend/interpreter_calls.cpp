// Calls: of the user's functions, of containers and threads, and of everything else.
#include "base/text.h"
#include "frontend/api_effects.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr size_t kCallDepthMax = 60;

class DefinitionCollector : public clang::RecursiveASTVisitor<DefinitionCollector> {
 public:
  DefinitionCollector(const Locations& locations, std::map<std::string, const clang::FunctionDecl*>& definitions,
                      std::vector<const clang::FunctionDecl*>& in_source_order,
                      std::map<std::string, const clang::VarDecl*>& variables)
      : locations_(locations), definitions_(definitions), in_source_order_(in_source_order), variables_(variables) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->isThisDeclarationADefinition() && !function->isDependentContext() && !function->isImplicit() &&
        locations_.is_users(function->getLocation()) && definitions_.emplace(unique_name(function), function).second)
      in_source_order_.push_back(function);
    return true;
  }

  // What other files see of it is a declaration.
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->hasExternalFormalLinkage() && !variable->getDeclContext()->isDependentContext() &&
        variable->isThisDeclarationADefinition() == clang::VarDecl::Definition && variable->hasInit() &&
        locations_.is_users(variable->getLocation()))
      variables_.emplace(unique_name(variable), variable);
    return true;
  }

 private:
  const Locations& locations_;
  std::map<std::string, const clang::FunctionDecl*>& definitions_;
  std::vector<const clang::FunctionDecl*>& in_source_order_;
  std::map<std::string, const clang::VarDecl*>& variables_;
};

std::vector<const clang::Expr*> arguments_of(const clang::CallExpr* call) {
  return {call->arg_begin(), call->arg_end()};
}

std::string type_name(const clang::Expr* expression) { return expression->getType().getCanonicalType().getAsString(); }

bool ends_program(const clang::FunctionDecl* function) {
  if (function->isNoReturn() || function->hasAttr<clang::NoReturnAttr>()) return true;
  std::string name = function->getNameAsString();
  return name == "exit" || name == "abort" || name == "_exit" || name == "MPI_Abort" || name == "quick_exit";
}

std::string name_of_function(const clang::FunctionDecl* function) {
  return function->getDeclName().isIdentifier() ? function->getNameAsString() : function->getDeclName().getAsString();
}

}  // namespace

Interpreter::Interpreter(std::vector<Locations*> units, const KernelTable& kernels, Recorder& recorder)
    : units_(std::move(units)), kernels_(kernels), recorder_(recorder), effects_(std::make_unique<ApiEffects>(*this)) {
  for (const Locations* unit : units_) {
    DefinitionCollector collector(*unit, definitions_, in_source_order_, initialised_);
    collector.TraverseAST(const_cast<clang::ASTContext&>(unit->context()));
  }
  here_ = units_.front();
}

Interpreter::~Interpreter() = default;

HostPlace Interpreter::new_root(uint32_t& counter, const std::string& name) {
  uint32_t root = counter++;
  roots_[root] = {name, recorder_.call_depth()};
  return {root, ""};
}

HostPlace Interpreter::new_place(const std::string& name) { return new_root(next_frame_root_, name); }
HostPlace Interpreter::new_heap_place(const std::string& name) {
  HostPlace place = new_root(next_lasting_root_, name);
  roots_[place.root].depth = 0;
  return place;
}

HostPlace Interpreter::new_object(clang::QualType type) {
  clang::PrintingPolicy policy(here().context().getLangOpts());
  policy.SuppressTagKeyword = true;
  std::string name = "new " + type.getAsString(policy);
  uint32_t number = ++made_objects_[name];
  return new_heap_place(number == 1 ? name : concat(name, "#", number));
}

std::string Interpreter::name_of(const HostPlace& place) const {
  auto root = roots_.find(place.root);
  std::string path =
      root == roots_.end() || root->second.name.empty() ? place.path.substr(place.path.starts_with(".")) : place.path;
  return (root == roots_.end() ? "" : root->second.name) + path;
}

const Locations* Interpreter::unit_of(const clang::Decl* declaration) const {
  for (const Locations* unit : units_)
    if (&unit->context() == &declaration->getASTContext()) return unit;
  return here_;
}

std::string Interpreter::describe(const clang::Expr* expression, const Value& value) const {
  class ParameterFinder : public clang::RecursiveASTVisitor<ParameterFinder> {
   public:
    bool found = false;
    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
      found = found || isa<clang::ParmVarDecl>(reference->getDecl());
      return true;
    }
    bool VisitCXXThisExpr(clang::CXXThisExpr*) {
      found = true;
      return true;
    }
  } finder;
  finder.TraverseStmt(const_cast<clang::Expr*>(expression));
  if (finder.found && frames_.size() > 1 && value.number) return value.number->to_text();
  return here().text_of(expression);
}

const clang::FunctionDecl* Interpreter::body_of(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* definition = nullptr;
  if (function->hasBody(definition)) return here().is_users(definition->getLocation()) ? definition : nullptr;
  auto found = definitions_.find(unique_name(function));
  return found == definitions_.end() ? nullptr : found->second;
}

bool Interpreter::on_stack(const clang::FunctionDecl* function) const {
  for (const Frame& frame : frames_)
    if (frame.function == function) return true;
  return false;
}

Value Interpreter::call(const clang::CallExpr* call) {
  if (auto* launch = dyn_cast<clang::CUDAKernelCallExpr>(call)) {
    effects_->launch(launch);
    return {};
  }
  if (auto* op = dyn_cast<clang::CXXOperatorCallExpr>(call)) return call_operator(op);
  const clang::FunctionDecl* callee = call->getDirectCallee();
  std::vector<HostPlace> self, objects;
  if (auto* method = dyn_cast<clang::CXXMemberCallExpr>(call)) {
    const clang::Expr* object = method->getImplicitObjectArgument();
    objects = object->getType()->isPointerType() ? pointed_places(evaluate(object)) : locate(object).places;
    self = objects;
  }
  if (!callee) {
    Value function = evaluate(call->getCallee());
    if (const Target* target = find_target(function, TargetKind::Function)) {
      callee = target->function;
      if (target->place.root != 0) self = {target->place};
    }
  }
  if (!callee) {
    call_function_among(arguments_of(call), hand_over(arguments_of(call)), call->getSourceRange());
    return {};
  }
  if (const clang::FunctionDecl* body = body_of(callee))
    return call_user(body, self, arguments_of(call), call->getSourceRange());
  if (std::optional<Value> owner = make_owned(call, callee)) return *owner;
  if (auto* member = dyn_cast<clang::CXXMemberCallExpr>(call))
    if (auto* method = dyn_cast<clang::CXXMethodDecl>(callee))
      if (std::optional<Value> value =
              call_container({method, objects, type_name(member->getImplicitObjectArgument()), arguments_of(call)}))
        return *value;
  return call_library(call, callee);
}

Value Interpreter::call_operator(const clang::CXXOperatorCallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  if (call->getOperator() == clang::OO_Call) {
    Value function = evaluate(arguments.front());
    if (const Target* target = find_target(function, TargetKind::Function))
      if (const clang::FunctionDecl* body = body_of(target->function)) {
        std::vector<HostPlace> self;
        if (target->place.root != 0) self = {target->place};
        return call_user(body, self, {arguments.begin() + 1, arguments.end()}, call->getSourceRange());
      }
  }
  if (callee)
    if (const clang::FunctionDecl* body = body_of(callee)) {
      std::vector<HostPlace> self;
      if (isa<clang::CXXMethodDecl>(callee)) {
        self = locate(arguments.front()).places;
        arguments.erase(arguments.begin());
      }
      return call_user(body, self, arguments, call->getSourceRange());
    }
  if (call->getOperator() == clang::OO_Equal && arguments.size() == 2) {
    Located target = locate(arguments[0]);
    store(target, evaluate(arguments[1]));
    return address_of(target);
  }
  if (auto* method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(callee); method && !arguments.empty()) {
    std::vector<HostPlace> objects = locate(arguments.front()).places;
    std::string type = type_name(arguments.front());
    arguments.erase(arguments.begin());
    if (std::optional<Value> value = call_container({method, objects, type, arguments})) return *value;
  }
  for (const clang::Expr* argument : arguments) evaluate(argument);
  return {};
}

namespace {

bool is_thread_name(std::string_view name) { return name.find("thread") != std::string_view::npos; }

// std::thread by way of a container, pthread_create, std::async.
bool starts_rank(const clang::FunctionDecl* callee, const clang::CallExpr* call) {
  std::string name = name_of_function(callee);
  if (name == "pthread_create" || name == "async") return true;
  auto* method = dyn_cast<clang::CXXMemberCallExpr>(call);
  return method && is_thread_name(type_name(method->getImplicitObjectArgument()));
}

Value handle_to(const Target& target) {
  Value value;
  value.targets.push_back(target);
  return value;
}

constexpr const char* kPointee = "->";  // What a smart pointer holds, as a member of it.

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_of_thrust(const clang::NamedDecl* declaration) {
  return declaration->getQualifiedNameAsString().starts_with("thrust::");
}

// Calls of Thrust and CUB that hand on the pointers they get, and those that work on the memory behind them.
bool passes_pointers(std::string_view name) {
  return name.starts_with("make_") || is_one_of(name, {"raw_pointer_cast", "device_pointer_cast", "next", "prev"});
}
bool may_be_algorithm(const clang::FunctionDecl* callee) {
  std::string name = callee->getQualifiedNameAsString();
  if (name.starts_with("cub::Device")) return true;
  return name.starts_with("thrust::") && !isa<clang::CXXMethodDecl>(callee);
}

}  // namespace

// The parts of the standard library's containers and smart pointers that hand pointers and handles on, and of Thrust's:
// its vectors hold a buffer, an iterator stays one into the same buffer, and a policy holds its stream.
std::optional<Value> Interpreter::call_container(const MethodCall& call) {
  std::string name = name_of_function(call.method);
  if (is_of_thrust(call.method)) {
    if (name == "on" && call.arguments.size() == 1) return evaluate(call.arguments.front());
    if (is_one_of(name, {"data", "begin", "end", "cbegin", "cend", "get", "operator+", "operator-"}))
      return load_pointee(call.objects);
  }
  if (!call.method->getParent()->isInStdNamespace()) return std::nullopt;
  if (is_one_of(name, {"operator[]", "at"}) && call.arguments.size() == 1) {
    Value index = evaluate(call.arguments.front());
    return address_of(elements_of(call.objects, index.number ? index.number->as_constant() : std::nullopt));
  }
  if (is_one_of(name, {"data", "front", "begin"})) return address_of(elements_of(call.objects, 0));
  if (name == "back") return address_of(elements_of(call.objects, std::nullopt));
  if (name == "emplace_back" && emplace(call)) return Value{};
  bool appends = is_one_of(name, {"push_back", "emplace_back"}) && call.arguments.size() == 1;
  if (appends && !is_thread_name(call.object_type)) {
    Value value = evaluate(call.arguments.front());
    for (const HostPlace& place : elements_of(call.objects, std::nullopt).places) {
      if (value.object)
        memory_.copy_object(*value.object, place);
      else
        memory_.store(place, value);
    }
    return Value{};
  }
  if (name == "reset" && call.arguments.size() == 1) {
    Value pointer = evaluate(call.arguments.front());
    for (const HostPlace& object : call.objects) memory_.store(object.member(kPointee), pointer);
    return Value{};
  }
  if (is_one_of(name, {"operator*", "operator->", "get", "value", "release"})) return load_pointee(call.objects);
  return std::nullopt;
}

// Whether an element of a class of the user's was made of the arguments.
bool Interpreter::emplace(const MethodCall& call) {
  auto* container = dyn_cast<clang::ClassTemplateSpecializationDecl>(call.method->getParent());
  if (!container || container->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type) return false;
  clang::QualType type = container->getTemplateArgs()[0].getAsType();
  bool copies =
      call.arguments.size() == 1 && here().context().hasSameUnqualifiedType(type, call.arguments.front()->getType());
  if (copies) return false;
  clang::SourceRange site = call.arguments.empty() ? clang::SourceRange() : call.arguments.front()->getSourceRange();
  bool made = !call.objects.empty();
  for (const HostPlace& place : elements_of(call.objects, std::nullopt).places)
    made = made && construct_unseen(type, call.arguments, place, site);
  return made;
}

Located Interpreter::elements_of(const std::vector<HostPlace>& objects, std::optional<int64_t> index) {
  Located elements;
  for (const HostPlace& object : objects) elements.places.push_back(object.element(index));
  return elements;
}

bool Interpreter::is_smart_pointer(const HostPlace& place) { return place.path.ends_with(kPointee); }

Value Interpreter::load_pointee(const std::vector<HostPlace>& objects) {
  std::optional<Value> held;
  for (const HostPlace& object : objects)
    if (std::optional<Value> pointer = memory_.load(object.member(kPointee)))
      held = held ? either_of(*held, *pointer) : *pointer;
  return held.value_or(Value{});
}

Value Interpreter::call_library(const clang::CallExpr* call, const clang::FunctionDecl* callee) {
  std::vector<const clang::Expr*> arguments = arguments_of(call);
  std::string name = name_of_function(callee);
  if (name == "now" && callee->getQualifiedNameAsString().starts_with("std::chrono::")) name = "std::chrono::now";
  if (name == "omp_get_thread_num") return thread_number();
  if (const ApiCall* api = find_api_call(name)) return effects_->apply(*api, call);
  if (effects_->follow(name, call)) return {};
  if (name == "ncclRedOpCreatePreMulSum" && !arguments.empty()) {
    Value made = number_value(model::Symbolic::constant(kMadeReduction));
    for (const HostPlace& place : pointed_places(evaluate(arguments.front()))) store(place, made);
    return {};
  }
  if (may_be_algorithm(callee) || (callee->isInStdNamespace() && name == "make_tuple")) {
    // An algorithm may read and write through every pointer that it gets; what it is given of other kinds is ignored.
    ApiCall algorithm{name, model::OperationKind::Library, {}};
    Value passed;
    for (const clang::Expr* argument : arguments) {
      Value value = evaluate(argument);
      if (value.object)
        if (Value held = load_pointee({*value.object}); !held.targets.empty()) value = held;
      bool is_stream = find_target(value, TargetKind::Stream) != nullptr;
      algorithm.roles.push_back(!buffer_targets(value).empty() ? Role::Update
                                : is_stream                    ? Role::Stream
                                                               : Role::Ignored);
      if (!value.targets.empty()) passed = passed.targets.empty() ? value : either_of(passed, value);
    }
    if (passes_pointers(name)) return passed;
    bool touches = std::find(algorithm.roles.begin(), algorithm.roles.end(), Role::Update) != algorithm.roles.end();
    if (touches) return effects_->apply(algorithm, call);
  }
  if (callee->isInStdNamespace()) {
    if (is_one_of(name, {"move", "forward", "as_const", "addressof"}) && arguments.size() == 1)
      return address_of(locate(arguments.front()));
    if (name == "exchange" && arguments.size() == 2) {
      Located changed = locate(arguments[0]);
      Value before = load(changed, arguments[0]->getType());
      store(changed, evaluate(arguments[1]));
      return before;
    }
    if (name == "swap" && arguments.size() == 2) {
      Located a = locate(arguments[0]), b = locate(arguments[1]);
      Value first = load(a, arguments[0]->getType()), second = load(b, arguments[1]->getType());
      store(a, second);
      store(b, first);
      return {};
    }
  }
  if (is_one_of(name, {"malloc", "calloc", "aligned_alloc"})) return pointer_to(new_heap_place("").element(0));
  std::vector<Value> handed = hand_over(arguments);
  if (callee->getQualifiedNameAsString() == "cuco::Harness::run") {
    effects_->mark_region(call, model::OperationKind::RegionBegin);
    call_function_among(arguments, handed, call->getSourceRange());
    effects_->mark_region(call, model::OperationKind::RegionEnd);
    return {};
  }
  if (starts_rank(callee, call))
    start_thread(arguments, handed, call);
  else
    call_function_among(arguments, handed, call->getSourceRange());
  clobber(callee, arguments, handed);
  if (ends_program(callee)) end_program();
  return {};
}

std::vector<Value> Interpreter::hand_over(const std::vector<const clang::Expr*>& arguments) {
  std::vector<Value> handed;
  for (const clang::Expr* argument : arguments) {
    bool by_address = argument->isGLValue() && !argument->getType()->isFunctionType();
    handed.push_back(by_address ? address_of(locate(argument)) : evaluate(argument));
  }
  return handed;
}

namespace {

// printf and its kin, which only look at what follows the format.
bool prints(const clang::FunctionDecl* callee) {
  const auto* format = callee->getAttr<clang::FormatAttr>();
  return format && format->getType()->getName() == "printf";
}

}  // namespace

// A function whose body is not seen may write through every pointer and reference to non-const that it gets, and
// through every pointer among arguments that it declares no type for, as sscanf does.
void Interpreter::clobber(const clang::FunctionDecl* callee, const std::vector<const clang::Expr*>& arguments,
                          const std::vector<Value>& handed) {
  bool writes_more = callee->isVariadic() && !prints(callee);
  for (unsigned i = 0; i < handed.size() && (i < callee->getNumParams() || writes_more); ++i) {
    clang::QualType type =
        i < callee->getNumParams() ? callee->getParamDecl(i)->getType() : arguments[i]->IgnoreImpCasts()->getType();
    clang::QualType pointee = type->getPointeeType();
    if (pointee.isNull() || pointee.isConstQualified() || pointee->isFunctionType()) continue;
    for (const HostPlace& place : pointed_places(handed[i])) forget(place, pointee);
  }
}

// A number that is not known any more differs from one that was never stored: where paths meet it wins.
void Interpreter::forget(const HostPlace& place, clang::QualType type) {
  memory_.forget(place);
  if (type->isIntegralOrEnumerationType()) memory_.store(place, {});
}

std::optional<Interpreter::Handed> Interpreter::find_function(const std::vector<Value>& handed) {
  for (size_t i = 0; i < handed.size(); ++i) {
    Value value = handed[i];
    for (const HostPlace& place : pointed_places(handed[i]))
      if (std::optional<Value> held = memory_.load(place)) value = either_of(value, *held);
    if (const Target* target = find_target(value, TargetKind::Function)) return Handed{i, *target};
  }
  return std::nullopt;
}

// Threads, algorithms and wrappers run the functions that they are given; what follows a function is taken as its
// arguments when the number fits.
bool Interpreter::call_function_among(const std::vector<const clang::Expr*>& arguments,
                                      const std::vector<Value>& handed, clang::SourceRange site) {
  std::optional<Handed> function = find_function(handed);
  if (!function) return false;
  call_back(function->target, {arguments.begin() + static_cast<long>(function->index) + 1, arguments.end()}, site);
  return true;
}

// A loop that starts one thread a rank says nothing about the order of their work: one rank's is followed, and the
// loop is not a loop around that work. The same place may start another function when it is called again.
void Interpreter::start_thread(const std::vector<const clang::Expr*>& arguments, const std::vector<Value>& handed,
                               const clang::Expr* start) {
  std::optional<Handed> function = find_function(handed);
  const clang::FunctionDecl* body = function ? function->target.function : nullptr;
  if (!started_threads_.emplace(start, recorder_.call_depth(), body).second) return;
  Recorder::LoopContext outside = recorder_.leave_all_loops();
  for (const clang::Expr* argument : arguments)
    if (auto* lambda = dyn_cast<clang::LambdaExpr>(argument->IgnoreUnlessSpelledInSource()))
      for (const clang::LambdaCapture& capture : lambda->captures())
        if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByCopy)
          mark_varying(capture.getCapturedVar());
  binds_thread_ = true;
  call_function_among(arguments, handed, start->getSourceRange());
  binds_thread_ = false;
  recorder_.return_to_loops(std::move(outside));
}

// What a loop hands to the threads it starts, one a rank, differs between them.
void Interpreter::mark_varying(const clang::ValueDecl* variable) {
  if (!variable->getType()->isIntegralOrEnumerationType()) return;
  for (const HostPlace& place : locate_variable(variable).places) {
    Value value = load(place, variable->getType());
    value.varies = true;
    memory_.store(place, value);
  }
}

void Interpreter::call_back(const Target& function, const std::vector<const clang::Expr*>& arguments,
                            clang::SourceRange site) {
  const clang::FunctionDecl* body = body_of(function.function);
  if (!body || body->hasAttr<clang::CUDAGlobalAttr>()) return;
  std::vector<HostPlace> self;
  if (function.place.root != 0) self = {function.place};
  std::vector<const clang::Expr*> passed = arguments;
  if (passed.size() > body->getNumParams()) passed.resize(body->getNumParams());
  bool was_reachable = reachable_;
  call_user(body, self, passed, site);
  reachable_ = was_reachable;
}

void Interpreter::bind_parameter(const clang::ParmVarDecl* parameter, const clang::Expr* argument) {
  clang::QualType type = parameter->getType();
  if (argument && type->isReferenceType()) {
    Located located = locate(argument);
    if (located.places.empty() && located.buffers.empty()) located = locate_temporary(argument);
    bindings_[parameter] = located;
    return;
  }
  HostPlace place = new_place(parameter->getNameAsString());
  if (argument)
    initialise(place, argument);
  else
    effects_->receive_from_outside(place, parameter);
  bindings_[parameter] = {{place}, {}};
  if (binds_thread_) mark_varying(parameter);
}

Value Interpreter::call_user(const clang::FunctionDecl* function, const std::vector<HostPlace>& self,
                             const std::vector<const clang::Expr*>& arguments, clang::SourceRange site) {
  if (on_stack(function) || frames_.size() >= kCallDepthMax) {
    recorder_.diagnose(model::Severity::Note, here().location_text(site.getBegin()),
                       concat("the recursive call of ", name_of_function(function), " is not followed"));
    for (const clang::Expr* argument : arguments) evaluate(argument);
    return {};
  }
  HostPlace result = new_place("temporary");
  model::SourceRange call_range = site.isValid() ? here().range_of(site) : model::SourceRange{};
  // Arguments belong to the caller: evaluated before the frame changes.
  uint32_t first_root = next_frame_root_;
  for (unsigned i = 0; i < function->getNumParams(); ++i)
    bind_parameter(function->getParamDecl(i), i < arguments.size() ? arguments[i] : nullptr);
  binds_thread_ = false;
  if (!reachable_) return {};

  recorder_.enter_call(call_range, function->getQualifiedNameAsString());
  frames_.push_back({function, self, result, {}, false, {}, first_root, recorder_.branch_depth()});
  std::vector<LoopExit> outer_exits = std::exchange(exits_, {});
  const Locations* caller_unit = std::exchange(here_, unit_of(function));
  const clang::Stmt* caller_statement = statement_;
  if (auto* constructor = dyn_cast<clang::CXXConstructorDecl>(function); constructor && !self.empty())
    run_initialisers(constructor, self.front());
  run(function->getBody());

  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.has_returned) {
    if (reachable_)
      memory_.join(frame.at_return);
    else
      memory_ = std::move(frame.at_return);
    reachable_ = true;
  }
  statement_ = caller_statement;
  here_ = caller_unit;
  exits_ = std::move(outer_exits);
  recorder_.leave_call();
  memory_.forget_roots(first_root, next_frame_root_);
  return frame.returned;
}

void Interpreter::run_initialisers(const clang::CXXConstructorDecl* constructor, const HostPlace& place) {
  for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
    if (!initialiser->isAnyMemberInitializer()) {
      if (auto* base = dyn_cast<clang::CXXConstructExpr>(initialiser->getInit()->IgnoreImplicit()))
        construct(base, place);
      continue;
    }
    const clang::FieldDecl* field = initialiser->getAnyMember();
    HostPlace member = place.member(field->getNameAsString());
    if (field->getType()->isReferenceType())
      store(member, address_of(locate(initialiser->getInit())));
    else
      initialise(member, initialiser->getInit());
  }
}

Value Interpreter::construct(const clang::CXXConstructExpr* construction, const HostPlace& place) {
  const clang::CXXConstructorDecl* constructor = construction->getConstructor();
  Value value;
  value.object = place;
  std::vector<const clang::Expr*> arguments(construction->arg_begin(), construction->arg_end());
  if (construction->getNumArgs() >= 1 && constructor->isCopyOrMoveConstructor() && !body_of(constructor)) {
    return evaluate(construction->getArg(0));
  }
  if (!construct_with(constructor, arguments, place, construction->getSourceRange()))
    construct_library_object(construction, place);
  return value;
}

bool Interpreter::construct_with(const clang::CXXConstructorDecl* constructor,
                                 const std::vector<const clang::Expr*>& arguments, const HostPlace& place,
                                 clang::SourceRange site) {
  if (const clang::FunctionDecl* body = body_of(constructor))
    call_user(body, {place}, arguments, site);
  else if (here().is_users(constructor->getLocation()))
    // An implicit or defaulted constructor has no text of its own but may initialise members.
    run_initialisers(constructor, place);
  else
    return false;
  return true;
}

namespace {

// How many arguments have the type of their parameter; absent when their number does not fit.
std::optional<size_t> fitness(const clang::CXXConstructorDecl* constructor,
                              const std::vector<const clang::Expr*>& arguments, const clang::ASTContext& context) {
  if (constructor->isCopyOrMoveConstructor() || constructor->isDeleted()) return std::nullopt;
  if (arguments.size() < constructor->getMinRequiredArguments() || arguments.size() > constructor->getNumParams())
    return std::nullopt;
  size_t same = 0;
  for (unsigned i = 0; i < arguments.size(); ++i)
    same += context.hasSameUnqualifiedType(constructor->getParamDecl(i)->getType().getNonReferenceType(),
                                           arguments[i]->getType());
  return same;
}

}  // namespace

bool Interpreter::construct_unseen(clang::QualType type, const std::vector<const clang::Expr*>& arguments,
                                   const HostPlace& place, clang::SourceRange site) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || !here().is_users(record->getLocation())) return false;
  const clang::CXXConstructorDecl* best = nullptr;
  std::optional<size_t> best_fit;
  for (const clang::CXXConstructorDecl* constructor : record->ctors())
    if (std::optional<size_t> fit = fitness(constructor, arguments, here().context()); fit && (!best || fit > best_fit))
      best = constructor, best_fit = fit;
  return best && construct_with(best, arguments, place, site);
}

std::optional<Value> Interpreter::make_owned(const clang::CallExpr* call, const clang::FunctionDecl* callee) {
  if (!callee->isInStdNamespace() || !is_one_of(name_of_function(callee), {"make_unique", "make_shared"}))
    return std::nullopt;
  const clang::TemplateArgumentList* made = callee->getTemplateSpecializationArgs();
  if (!made || made->size() == 0 || made->get(0).getKind() != clang::TemplateArgument::Type) return std::nullopt;
  clang::QualType type = made->get(0).getAsType();
  HostPlace object = new_object(type);
  if (!construct_unseen(type, arguments_of(call), object, call->getSourceRange())) return std::nullopt;
  Value owner;
  owner.object = new_place("temporary");
  memory_.store(owner.object->member(kPointee), pointer_to(object));
  return owner;
}

// A launch shape is told as it is written: "dim3(n / 32, 4)", or the bare number that became one.
void Interpreter::construct_shape(const std::vector<const clang::Expr*>& sizes, const HostPlace& place) {
  std::vector<std::string> texts;
  for (const clang::Expr* size : sizes) texts.push_back(describe(size, evaluate(size)));
  Value shape;
  shape.text = texts.size() == 1 ? texts.front() : concat("dim3(", join(texts, ", "), ")");
  memory_.store(place, shape);
}

void Interpreter::construct_library_object(const clang::CXXConstructExpr* construction, const HostPlace& place) {
  std::vector<const clang::Expr*> arguments;
  for (const clang::Expr* argument : construction->arguments())
    if (!isa<clang::CXXDefaultArgExpr>(argument)) arguments.push_back(argument);
  if (construction->getConstructor()->getParent()->getName() == "dim3") return construct_shape(arguments, place);
  const clang::CXXRecordDecl* made = construction->getType()->getAsCXXRecordDecl();
  if (made && is_one_of(made->getQualifiedNameAsString(), {"thrust::device_vector", "thrust::universal_vector"})) {
    model::Index buffer = recorder_.external_buffer(name_of(place), model::BufferKind::Device);
    return memory_.store(place.member(kPointee), handle_value(TargetKind::Buffer, buffer));
  }
  for (const clang::Expr* argument : arguments)
    if (auto* list = dyn_cast<clang::CXXStdInitializerListExpr>(argument->IgnoreImplicit()))
      if (auto* items = dyn_cast<clang::InitListExpr>(list->getSubExpr()->IgnoreImplicit()))
        return initialise_from_list(place, items);
  std::vector<Value> handed = hand_over(arguments);
  if (arguments.empty()) return;
  if (is_thread_name(construction->getConstructor()->getParent()->getNameAsString()))
    return start_thread(arguments, handed, construction);
  if (const Target* function = find_target(handed.front(), TargetKind::Function))
    return memory_.store(place, handle_to(*function));  // std::function.
  if (call_function_among(arguments, handed, construction->getSourceRange())) return;
  if (arguments.front()->getType()->isPointerType()) memory_.store(place.member(kPointee), handed.front());
}

}  // namespace cuco::frontend
