// Statements: control flow and the joining of paths.
#include "base/text.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

namespace {

// Three iterations show what a double buffer reuses two iterations later; deeper loops would multiply.
constexpr uint32_t kIterationsOuter = 3;
constexpr uint32_t kIterationsInner = 2;
constexpr size_t kStepsForUnrollingMax = 2000;
constexpr size_t kProgramStepsMax = 4000;  // Dependences are looked for between all pairs that share a buffer.
constexpr uint64_t kFuelMax = 4'000'000;

class CalleeCollector : public clang::RecursiveASTVisitor<CalleeCollector> {
 public:
  std::set<const clang::FunctionDecl*> callees;
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (auto* function = dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      callees.insert(function->getCanonicalDecl());
    return true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }
};

std::string negated(const std::string& condition) { return "!(" + condition + ")"; }

}  // namespace

void Interpreter::run() {
  for (const clang::FunctionDecl* function : in_source_order_)
    if (function->isMain()) return run_entry(function);
  CalleeCollector called;
  for (const clang::FunctionDecl* function : in_source_order_)
    called.TraverseDecl(const_cast<clang::FunctionDecl*>(function));
  for (const clang::FunctionDecl* function : in_source_order_)
    if (!called.callees.count(function->getCanonicalDecl()) && !function->hasAttr<clang::CUDAGlobalAttr>() &&
        !function->hasAttr<clang::CUDADeviceAttr>())
      run_entry(function);
}

void Interpreter::run_entry(const clang::FunctionDecl* function) {
  memory_ = {};
  reachable_ = true;
  std::vector<HostPlace> self;
  if (auto* method = dyn_cast<clang::CXXMethodDecl>(function); method && method->isInstance())
    self = {new_heap_place(method->getParent()->getNameAsString())};
  call_user(function, self, {}, {});
}

void Interpreter::run(const clang::Stmt* statement) {
  if (!statement || !reachable_ || exhausted_) return;
  if (++fuel_ > kFuelMax || recorder_.step_mark() > kProgramStepsMax) {
    exhausted_ = true;
    recorder_.diagnose(model::Severity::Warning, here().location_text(statement->getBeginLoc()),
                       "the host code from here on takes too long to follow and is left out of the analysis");
    return end_program();
  }
  if (!isa<clang::CompoundStmt>(statement)) statement_ = statement;
  if (auto* block = dyn_cast<clang::CompoundStmt>(statement)) return run_compound(block);
  if (auto* branch = dyn_cast<clang::IfStmt>(statement)) return run_if(branch);
  if (auto* loop = dyn_cast<clang::ForStmt>(statement)) return run_for(loop);
  if (auto* loop = dyn_cast<clang::WhileStmt>(statement)) return run_while(loop);
  if (auto* loop = dyn_cast<clang::DoStmt>(statement)) return run_do(loop);
  if (auto* loop = dyn_cast<clang::CXXForRangeStmt>(statement)) return run_range_for(loop);
  if (auto* choice = dyn_cast<clang::SwitchStmt>(statement)) return run_switch(choice);
  if (auto* attempt = dyn_cast<clang::CXXTryStmt>(statement)) return run_try(attempt);
  if (auto* back = dyn_cast<clang::ReturnStmt>(statement)) return run_return(back);
  if (auto* declarations = dyn_cast<clang::DeclStmt>(statement)) return run_declarations(declarations);
  if (isa<clang::BreakStmt>(statement) && !exits_.empty()) return jump(exits_.back().broken);
  if (isa<clang::ContinueStmt>(statement) && !exits_.empty()) return jump(exits_.back().continued);
  if (auto* directive = dyn_cast<clang::OMPExecutableDirective>(statement)) return run_openmp(directive);
  if (auto* expression = dyn_cast<clang::Expr>(statement)) {
    evaluate(expression);
    return;
  }
  if (isa<clang::GotoStmt>(statement))
    recorder_.diagnose(model::Severity::Warning, here().location_text(statement->getBeginLoc()),
                       "goto is not followed; the code after it is analysed as if it were not there");
  for (const clang::Stmt* child : statement->children()) run(child);
}

void Interpreter::run_compound(const clang::CompoundStmt* block) {
  frames_.back().blocks.push_back(block);
  for (const clang::Stmt* statement : block->body()) run(statement);
  frames_.back().blocks.pop_back();
  if (reachable_) destroy_locals(block, block->getEndLoc());
}

// The value of a condition when the values known so far fix it.
Interpreter::Decision Interpreter::decide(const clang::Expr* condition) {
  Value value = evaluate(condition);
  std::optional<int64_t> known = value.number ? value.number->as_constant() : std::nullopt;
  if (!known) return {std::nullopt, value.varies};
  return {*known != 0, value.varies};
}

// A side that the first iterations never take may be taken by later ones: it is visited in the last one that is run.
bool Interpreter::must_visit(const clang::Stmt* arm, std::optional<bool> decided, bool side) const {
  if (!arm) return false;
  if (!decided || *decided == side) return true;
  return truncated_loops_ > 0 && !visited_arms_.count({arm, recorder_.call_depth()});
}

void Interpreter::run_arm(const clang::Stmt* arm, const std::string& condition, bool decided, bool varies) {
  visited_arms_.insert({arm, recorder_.call_depth()});
  recorder_.enter_branch(condition, decided, varies);
  size_t mark = recorder_.step_mark();
  run(arm);
  if (!reachable_ && ended_program_) recorder_.drop_steps_since(mark);
  recorder_.leave_branch();
}

void Interpreter::run_if(const clang::IfStmt* branch) {
  if (branch->getInit()) run(branch->getInit());
  if (const clang::VarDecl* variable = branch->getConditionVariable()) declare(variable);
  if (branch->isConstexpr() && branch->getNondiscardedCase(here().context())) {
    if (const clang::Stmt* taken = *branch->getNondiscardedCase(here().context())) run(taken);
    return;
  }
  auto [decided, varies] = decide(branch->getCond());
  std::string condition = here().text_of(branch->getCond());
  HostMemory before = memory_;
  Paths after;
  if (must_visit(branch->getThen(), decided, true)) {
    run_arm(branch->getThen(), condition, decided == true, varies);
    after.add(*this);
  }
  if (must_visit(branch->getElse(), decided, false)) {
    resume_from(before);
    run_arm(branch->getElse(), negated(condition), decided == false, varies);
    after.add(*this);
  }
  bool may_skip = !branch->getElse() && decided != true;
  if (may_skip) {
    resume_from(before);
    after.add(*this);
  }
  reachable_ = after.joined.has_value();
  if (after.joined) memory_ = std::move(*after.joined);
}

void Interpreter::Paths::add(const Interpreter& path) {
  if (!path.reachable_) return;
  if (joined)
    joined->join(path.memory_);
  else
    joined = path.memory_;
}

void Interpreter::resume_from(const HostMemory& state) {
  memory_ = state;
  reachable_ = true;
}

// Each label may be entered from the switch itself or from the code above it.
void Interpreter::run_switch(const clang::SwitchStmt* choice) {
  if (choice->getInit()) run(choice->getInit());
  bool varies = evaluate(choice->getCond()).varies;
  HostMemory entry = memory_;
  exits_.emplace_back();
  recorder_.enter_branch(here().text_of(choice->getCond()), false, varies);
  for (const clang::Stmt* statement : choice->getBody()->children()) {
    while (auto* label = dyn_cast<clang::SwitchCase>(statement)) {
      if (reachable_)
        memory_.join(entry);
      else
        memory_ = entry;
      reachable_ = true;
      statement = label->getSubStmt();
    }
    run(statement);
  }
  recorder_.leave_branch();
  if (!reachable_)
    memory_ = entry;
  else
    memory_.join(entry);
  if (exits_.back().broken) memory_.join(*exits_.back().broken);
  reachable_ = true;
  exits_.pop_back();
}

void Interpreter::run_iterations(const clang::Stmt* loop, const model::Loop& facts,
                                 llvm::function_ref<bool(uint32_t)> iterate) {
  bool small = recorder_.step_mark() < kStepsForUnrollingMax;
  uint32_t limit = !small ? 1 : exits_.size() < 2 ? kIterationsOuter : kIterationsInner;
  recorder_.enter_loop(loop, facts);
  exits_.emplace_back();
  std::optional<HostMemory> left;
  auto leave_with = [&](const HostMemory& state) {
    if (left)
      left->join(state);
    else
      left = state;
  };
  bool ended = false;
  for (uint32_t k = 0; k < limit && reachable_ && !ended; ++k) {
    bool last = k + 1 == limit;
    truncated_loops_ += last;
    HostMemory before = memory_;
    ended = !iterate(k);
    truncated_loops_ -= last;
    if (ended) break;
    leave_with(before);
    recorder_.next_iteration();
  }
  if (reachable_) leave_with(memory_);
  if (exits_.back().broken) leave_with(*exits_.back().broken);
  exits_.pop_back();
  recorder_.leave_loop();
  if (left && !frames_.empty()) {
    memory_ = ended && reachable_ ? memory_ : std::move(*left);
    reachable_ = true;
  }
}

namespace {

std::string comparison_text(const clang::Expr* condition, const Locations& here) {
  auto* comparison = dyn_cast_or_null<clang::BinaryOperator>(condition ? condition->IgnoreParenImpCasts() : nullptr);
  if (!comparison || !comparison->isComparisonOp()) return "";
  return concat(comparison->getOpcodeStr().str(), " ", here.text_of(comparison->getRHS()));
}

std::string step_text(const clang::Expr* increment, const Locations& here) {
  if (!increment) return "";
  if (auto* unary = dyn_cast<clang::UnaryOperator>(increment->IgnoreParens()))
    return unary->isIncrementOp() ? "+1" : unary->isDecrementOp() ? "-1" : "";
  if (auto* compound = dyn_cast<clang::CompoundAssignOperator>(increment->IgnoreParens())) {
    std::string sign = compound->getOpcodeStr().drop_back().str();  // "*" of "*=".
    return concat(sign, here.text_of(compound->getRHS()));
  }
  return "";
}

model::Loop facts_of(const clang::ForStmt* loop, const Locations& here) {
  model::Loop facts;
  facts.kind = model::LoopKind::For;
  facts.range = here.range_of(loop->getSourceRange());
  if (auto* init = dyn_cast_or_null<clang::DeclStmt>(loop->getInit()); init && init->isSingleDecl())
    if (auto* variable = dyn_cast<clang::VarDecl>(init->getSingleDecl()); variable && variable->getInit()) {
      facts.induction = variable->getNameAsString();
      facts.first = here.text_of(variable->getInit());
    }
  if (auto* init = dyn_cast_or_null<clang::BinaryOperator>(loop->getInit()); init && init->isAssignmentOp()) {
    facts.induction = here.text_of(init->getLHS());
    facts.first = here.text_of(init->getRHS());
  }
  facts.limit = comparison_text(loop->getCond(), here);
  facts.step = step_text(loop->getInc(), here);
  return facts;
}

}  // namespace

bool Interpreter::has_ended(const clang::Expr* condition) {
  Decision decision = decide(condition);
  if (decision.varies) recorder_.loop_varies();
  return decision.known == false;
}

std::optional<model::Symbolic> Interpreter::limit_of(const clang::Expr* condition) {
  auto* comparison = dyn_cast_or_null<clang::BinaryOperator>(condition ? condition->IgnoreParenImpCasts() : nullptr);
  if (!comparison || !comparison->isComparisonOp()) return std::nullopt;
  // A call would be recorded once more.
  const clang::Expr* limit = comparison->getRHS();
  return limit->HasSideEffects(here().context()) ? std::nullopt : evaluate(limit).number;
}

void Interpreter::run_for(const clang::ForStmt* loop) {
  if (loop->getInit()) run(loop->getInit());
  model::Loop facts = facts_of(loop, here());
  facts.limit_value = limit_of(loop->getCond());
  run_iterations(loop, facts, [&](uint32_t) {
    if (loop->getCond() && has_ended(loop->getCond())) return false;
    run(loop->getBody());
    if (std::optional<HostMemory> continued = std::exchange(exits_.back().continued, std::nullopt)) {
      if (reachable_)
        memory_.join(*continued);
      else
        memory_ = std::move(*continued);
      reachable_ = true;
    }
    if (reachable_ && loop->getInc()) evaluate(loop->getInc());
    return true;
  });
}

void Interpreter::run_while(const clang::WhileStmt* loop) {
  model::Loop facts{model::LoopKind::While,
                    here().range_of(loop->getSourceRange()),
                    "",
                    "",
                    here().text_of(loop->getCond()),
                    "",
                    model::kNone};
  run_iterations(loop, facts, [&](uint32_t) {
    if (has_ended(loop->getCond())) return false;
    run(loop->getBody());
    if (std::optional<HostMemory> continued = std::exchange(exits_.back().continued, std::nullopt);
        continued && !reachable_) {
      memory_ = std::move(*continued);
      reachable_ = true;
    }
    return true;
  });
}

// `do { ... } while (0)` is how checking macros are written: it is no loop.
void Interpreter::run_do(const clang::DoStmt* loop) {
  bool constant = false;
  bool once = loop->getCond()->EvaluateAsBooleanCondition(constant, here().context()) && !constant;
  if (once) {
    exits_.emplace_back();
    run(loop->getBody());
    std::optional<HostMemory> left = std::move(exits_.back().broken);
    exits_.pop_back();
    if (left && reachable_)
      memory_.join(*left);
    else if (left)
      memory_ = std::move(*left);
    reachable_ = reachable_ || left.has_value();
    return;
  }
  model::Loop facts{
      model::LoopKind::Do, here().range_of(loop->getSourceRange()), "", "", here().text_of(loop->getCond()), "",
      model::kNone};
  run_iterations(loop, facts, [&](uint32_t) {
    run(loop->getBody());
    if (reachable_) evaluate(loop->getCond());
    return true;
  });
}

void Interpreter::run_range_for(const clang::CXXForRangeStmt* loop) {
  Located range = locate(loop->getRangeInit());
  const clang::VarDecl* variable = loop->getLoopVariable();
  std::optional<uint64_t> size;
  if (auto* array = here().context().getAsConstantArrayType(loop->getRangeInit()->getType()))
    size = array->getSize().getZExtValue();
  model::Loop facts{model::LoopKind::Range,
                    here().range_of(loop->getSourceRange()),
                    variable->getNameAsString(),
                    "",
                    here().text_of(loop->getRangeInit()),
                    "",
                    model::kNone};
  run_iterations(loop, facts, [&](uint32_t k) {
    if (size && k >= *size) return false;
    Located element;
    for (const HostPlace& place : range.places) element.places.push_back(place.element(k));
    if (variable->getType()->isReferenceType()) {
      bindings_[variable] = element;
    } else {
      HostPlace copy = new_place(variable->getNameAsString());
      bindings_[variable] = {{copy}, {}};
      store(copy, load(element, variable->getType()));
    }
    run(loop->getBody());
    return true;
  });
}

// Exceptions are not followed: a handler may run after any part of the block.
void Interpreter::run_try(const clang::CXXTryStmt* attempt) {
  HostMemory before = memory_;
  run(attempt->getTryBlock());
  for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
    HostMemory after = memory_;
    bool was_reachable = reachable_;
    memory_.join(before);
    reachable_ = true;
    run_arm(attempt->getHandler(i)->getHandlerBlock(), "catch", false, false);
    memory_ = std::move(after);
    reachable_ = was_reachable;
  }
}

void Interpreter::run_return(const clang::ReturnStmt* statement) {
  Frame& frame = frames_.back();
  const clang::Expr* expression = statement->getRetValue();
  Value value;
  if (expression && frame.function->getReturnType()->isReferenceType())
    value = address_of(locate(expression));
  else if (expression)
    value = evaluate(expression);
  if (value.object) {
    HostPlace result = frames_.back().result;
    memory_.copy_object(*value.object, result);
    value.object = result;
  }
  leave_blocks(statement);
  Frame& again = frames_.back();  // What was called may have grown the vector.
  again.returned = again.has_returned ? either_of(again.returned, value) : value;
  if (again.has_returned)
    again.at_return.join(memory_);
  else
    again.at_return = memory_;
  again.has_returned = true;
  reachable_ = false;
  // Leaving main under a condition ends the program like exit() does.
  ended_program_ = frames_.size() == 1;
}

void Interpreter::run_declarations(const clang::DeclStmt* declarations) {
  for (const clang::Decl* declaration : declarations->decls())
    if (auto* variable = dyn_cast<clang::VarDecl>(declaration)) declare(variable);
}

void Interpreter::declare(const clang::VarDecl* variable) {
  if (variable->hasGlobalStorage()) return;  // Made when it is first used.
  if (variable->getType()->isReferenceType()) {
    if (variable->getInit()) bindings_[variable] = locate(variable->getInit());
    return;
  }
  HostPlace place = new_place(variable->getNameAsString());
  bindings_[variable] = {{place}, {}};
  if (variable->getInit()) initialise(place, variable->getInit());
}

// A return under a condition is most often an error exit: what it destroys would look as if it went under that
// condition.
void Interpreter::leave_blocks(const clang::ReturnStmt* statement) {
  if (recorder_.branch_depth() > frames_.back().branches) return;
  std::vector<const clang::CompoundStmt*> blocks = frames_.back().blocks;
  for (size_t i = blocks.size(); i-- > 0;)
    destroy_locals(blocks[i], statement->getBeginLoc(), statement->getNRVOCandidate());
}

void Interpreter::destroy_locals(const clang::CompoundStmt* block, clang::SourceLocation end,
                                 const clang::VarDecl* kept) {
  const clang::SourceManager& sources = here().context().getSourceManager();
  std::vector<const clang::VarDecl*> locals;
  for (const clang::Stmt* statement : block->body())
    if (auto* declarations = dyn_cast<clang::DeclStmt>(statement))
      for (const clang::Decl* declaration : declarations->decls())
        if (auto* variable = dyn_cast<clang::VarDecl>(declaration))
          if (!variable->hasGlobalStorage() && !variable->getType()->isReferenceType() && variable != kept &&
              sources.isBeforeInTranslationUnit(variable->getLocation(), end))
            locals.push_back(variable);
  for (auto it = locals.rbegin(); it != locals.rend(); ++it)
    if (auto found = bindings_.find(*it); found != bindings_.end() && !found->second.places.empty()) {
      HostPlace place = found->second.places.front();
      destroy(place, (*it)->getType(), (*it)->getSourceRange());
      memory_.forget(place);
    }
}

void Interpreter::destroy(const HostPlace& place, clang::QualType type, clang::SourceRange site) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition()) return;
  if (auto* owner = dyn_cast<clang::ClassTemplateSpecializationDecl>(record); owner && owner->isInStdNamespace())
    return destroy_owned(place, owner, site);
  if (!here().is_users(record->getLocation())) return;
  if (const clang::CXXDestructorDecl* destructor = record->getDestructor())
    if (const clang::FunctionDecl* body = body_of(destructor)) call_user(body, {place}, {}, site);
  for (const clang::FieldDecl* field : record->fields())
    destroy(place.member(field->getNameAsString()), field->getType(), site);
}

// With a smart pointer goes what it alone points to, with a container what is in it.
void Interpreter::destroy_owned(const HostPlace& place, const clang::ClassTemplateSpecializationDecl* owner,
                                clang::SourceRange site) {
  llvm::StringRef name = owner->getName();
  const clang::TemplateArgumentList& of = owner->getTemplateArgs();
  if (of.size() == 0 || of[0].getKind() != clang::TemplateArgument::Type) return;
  if (name == "vector" || name == "array" || name == "deque")
    return destroy(place.element(std::nullopt), of[0].getAsType(), site);
  if (name != "unique_ptr" && name != "shared_ptr") return;
  for (const HostPlace& object : pointed_places(load_pointee({place})))
    if (!has_other_owner(object, place)) {
      destroy(object, of[0].getAsType(), site);
      memory_.forget(object);
    }
}

bool Interpreter::has_other_owner(const HostPlace& object, const HostPlace& owner) const {
  std::vector<HostPlace> holders = memory_.holders_of(object);
  return std::ranges::any_of(holders, [&](const HostPlace& holder) {
    auto facts = roots_.find(holder.root);
    bool is_named = facts != roots_.end() && facts->second.name != "temporary";
    return holder.root != owner.root && is_named && is_smart_pointer(holder);
  });
}

void Interpreter::jump(std::optional<HostMemory>& target) {
  if (target)
    target->join(memory_);
  else
    target = memory_;
  reachable_ = false;
  ended_program_ = false;
}

void Interpreter::end_program() {
  reachable_ = false;
  ended_program_ = true;
}

}  // namespace cuco::frontend
