// OpenMP's pragmas. A region in which threads drive GPUs is the work of a rank: every rank does it, so it is followed
// once, for a thread whose number is not known. Where one thread has made the communicators of all ranks, the region
// goes over the ranks as a loop does. All other regions mean what they mean without the pragma.
#include <algorithm>

#include "base/text.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

using clang::dyn_cast;
using clang::isa;

namespace {

// Whether code calls CUDA or NCCL, itself or in what it calls.
class DeviceWork : public clang::RecursiveASTVisitor<DeviceWork> {
 public:
  using BodyOf = llvm::function_ref<const clang::FunctionDecl*(const clang::FunctionDecl*)>;
  explicit DeviceWork(BodyOf body_of) : body_of_(body_of) {}

  bool is_in(const clang::Stmt* code) {
    TraverseStmt(const_cast<clang::Stmt*>(code));
    return found_;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr*) { return !(found_ = true); }
  bool VisitCallExpr(clang::CallExpr* call) {
    if (const clang::FunctionDecl* callee = call->getDirectCallee()) look_into(callee);
    return !found_;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    look_into(construction->getConstructor());
    return !found_;
  }

 private:
  void look_into(const clang::FunctionDecl* function) {
    llvm::StringRef name = function->getIdentifier() ? function->getName() : "";
    if (name.starts_with("cuda") || name.starts_with("nccl")) found_ = true;
    const clang::FunctionDecl* body = body_of_(function);
    if (!found_ && body && seen_.insert(body).second) TraverseStmt(body->getBody());
  }

  BodyOf body_of_;
  std::set<const clang::FunctionDecl*> seen_;
  bool found_ = false;
};

// Of `for (int i = 0; ...)` and `for (i = 0; ...)`.
const clang::ValueDecl* counter_of(const clang::ForStmt* loop) {
  if (auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit()))
    return init->isSingleDecl() ? dyn_cast<clang::VarDecl>(init->getSingleDecl()) : nullptr;
  auto* init = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getInit());
  auto* reference = init ? dyn_cast<clang::DeclRefExpr>(init->getLHS()->IgnoreParenImpCasts()) : nullptr;
  return reference ? reference->getDecl() : nullptr;
}

constexpr const char* kThreadNumber = "omp_get_thread_num()";

// What one thread of several does.
bool is_for_one_thread(clang::OpenMPDirectiveKind kind) {
  return kind == llvm::omp::OMPD_master || kind == llvm::omp::OMPD_masked || kind == llvm::omp::OMPD_single;
}

}  // namespace

bool Interpreter::has_called(std::initializer_list<std::string_view> names) const {
  return std::ranges::any_of(recorder_.program().operations, [names](const model::Operation& operation) {
    return std::ranges::find(names, operation.callee) != names.end();
  });
}

Value Interpreter::thread_number() const {
  Value number = number_value(in_rank_region_ ? model::Symbolic::unknown(kThreadNumber) : model::Symbolic::constant(0));
  number.varies = in_rank_region_;
  return number;
}

void Interpreter::run_openmp(const clang::OMPExecutableDirective* directive) {
  if (!directive->hasAssociatedStmt()) return;
  clang::OpenMPDirectiveKind kind = directive->getDirectiveKind();
  const clang::Stmt* body = directive->getRawStmt();
  auto find_body = [this](const clang::FunctionDecl* function) { return body_of(function); };
  // Ranks that are processes may drive their GPU from several threads.
  bool may_be_ranks = in_rank_region_ || (clang::isOpenMPParallelDirective(kind) &&
                                          !has_called({"MPI_Init", "MPI_Init_thread", "MPI_Comm_rank"}));
  if (!may_be_ranks || !DeviceWork(find_body).is_in(body)) return run(body);
  auto* loop = clang::isOpenMPLoopDirective(kind) ? dyn_cast<clang::ForStmt>(body) : nullptr;
  bool goes_over_ranks = !in_rank_region_ && has_called({"ncclCommInitAll"});
  if (goes_over_ranks && loop) return run(body);
  bool outer = std::exchange(in_rank_region_, true);
  has_rank_regions_ = true;
  if (!outer) enter_threads(body);
  if (!outer && !goes_over_ranks) recorder_.leave_loop();
  if (loop)
    run_rank_iteration(loop);
  else if (is_for_one_thread(kind))
    run_arm(body, concat("#pragma omp ", llvm::omp::getOpenMPDirectiveName(kind).str()), false, true);
  else
    run(body);
  if (goes_over_ranks) recorder_.leave_loop();
  in_rank_region_ = outer;
}

// The region is a loop over its threads to those who ask where code stands. Only where it goes over the ranks is it one
// to the work in it, of which the first round is followed.
void Interpreter::enter_threads(const clang::Stmt* body) {
  model::Loop facts{model::LoopKind::For,
                    here().range_of(body->getSourceRange()),
                    kThreadNumber,
                    "0",
                    "< omp_get_num_threads()",
                    "+1",
                    model::kNone};
  recorder_.enter_loop(body, facts);
}

// A loop over GPUs that threads share is no loop around the work of a rank.
void Interpreter::run_rank_iteration(const clang::ForStmt* loop) {
  if (loop->getInit()) run(loop->getInit());
  if (const clang::ValueDecl* counter = counter_of(loop)) {
    Value number = number_value(model::Symbolic::unknown(counter->getNameAsString()));
    number.varies = true;
    store(locate_variable(counter), number);
  }
  exits_.emplace_back();
  run(loop->getBody());
  std::optional<HostMemory> left = std::move(exits_.back().continued);
  exits_.pop_back();
  if (!left) return;
  if (reachable_)
    memory_.join(*left);
  else
    memory_ = std::move(*left);
  reachable_ = true;
}

}  // namespace cuco::frontend
