// Runs the host code of a program on abstract values, to learn which device work it issues, on which buffers and in
// which order.
//
// Calls of the user's own functions are followed; loops run for their first few iterations with exact values, so that
// double buffers and induction variables keep their meaning; where a condition is not known, both sides run and their
// results are joined. Work on a path that ends the program (an error exit) is an operation but not a step.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "frontend/clang_headers.h"
#include "frontend/kernels.h"
#include "frontend/locations.h"
#include "frontend/recorder.h"
#include "frontend/value.h"

namespace cuco::frontend {

// Of a glvalue: places of the host, or bytes of device buffers.
struct Located {
  std::vector<HostPlace> places;
  std::vector<Target> buffers;
  bool varies = false;  // Which of them may differ between ranks.
};

class ApiEffects;

class Interpreter {
 public:
  Interpreter(std::vector<Locations*> units, const KernelTable& kernels, Recorder& recorder);
  ~Interpreter();

  // Whether some call starts a thread that runs a function of the program.
  bool starts_threads() const { return !started_threads_.empty() || has_rank_regions_; }
  // Whether threads of OpenMP each do a rank's work.
  bool has_rank_regions() const { return has_rank_regions_; }

  // From main; in a program without one, from every function that no other calls.
  void run();

  // For the effects of library calls, which are kept apart from the language's.
  Value evaluate(const clang::Expr* expression);
  Value load(const HostPlace& place, clang::QualType type);
  void store(const HostPlace& place, const Value& value);
  std::string name_of(const HostPlace& place) const;
  HostMemory& memory() { return memory_; }
  Recorder& recorder() { return recorder_; }
  const Locations& here() const { return *here_; }
  const KernelTable& kernels() const { return kernels_; }
  // The statement that is being run, for the range a person would edit.
  const clang::Stmt* statement() const { return statement_; }
  // As written; values take the place of what a caller passed in.
  std::string describe(const clang::Expr* expression, const Value& value) const;
  // A place that outlives the function that makes it.
  HostPlace new_heap_place(const std::string& name);
  // A number that is equal to no other.
  model::Symbolic opaque(const std::string& name) { return model::Symbolic::unknown(name, next_version_++); }
  // A fresh allocation was stored there first.
  void made_buffer(model::Index buffer, const HostPlace& place);
  // Calls a function the program hands to a library: a thread's body, a callback.
  void call_back(const Target& function, const std::vector<const clang::Expr*>& arguments, clang::SourceRange site);

 private:
  struct Frame {
    const clang::FunctionDecl* function = nullptr;
    std::vector<HostPlace> self;  // What `this` may point to.
    HostPlace result;
    Value returned;
    bool has_returned = false;
    HostMemory at_return;  // Joined over all return statements.
    uint32_t first_root = 0;
    size_t branches = 0;                                  // Around the call.
    std::vector<const clang::CompoundStmt*> blocks = {};  // That are being run, outermost first.
  };
  struct LoopExit {
    std::optional<HostMemory> broken;     // State at break statements.
    std::optional<HostMemory> continued;  // State at continue statements.
  };

  // What holds after paths that meet: those that got there, joined.
  struct Paths {
    std::optional<HostMemory> joined;
    void add(const Interpreter& path);
  };

  // Statements.
  void resume_from(const HostMemory& state);
  void run_entry(const clang::FunctionDecl* function);
  void run(const clang::Stmt* statement);
  void run_compound(const clang::CompoundStmt* block);
  void run_if(const clang::IfStmt* branch);
  void run_arm(const clang::Stmt* arm, const std::string& condition, bool decided, bool varies);
  bool must_visit(const clang::Stmt* arm, std::optional<bool> decided, bool side) const;
  void run_switch(const clang::SwitchStmt* choice);
  void run_for(const clang::ForStmt* loop);
  void run_while(const clang::WhileStmt* loop);
  void run_do(const clang::DoStmt* loop);
  void run_range_for(const clang::CXXForRangeStmt* loop);
  void run_try(const clang::CXXTryStmt* attempt);
  void run_openmp(const clang::OMPExecutableDirective* directive);
  void run_rank_iteration(const clang::ForStmt* loop);
  void enter_threads(const clang::Stmt* body);
  bool has_called(std::initializer_list<std::string_view> names) const;
  Value thread_number() const;
  void run_return(const clang::ReturnStmt* statement);
  void run_declarations(const clang::DeclStmt* declarations);
  void declare(const clang::VarDecl* variable);
  // `iterate` runs one iteration, given its number; it answers false when the loop is known to have ended.
  void run_iterations(const clang::Stmt* loop, const model::Loop& facts, llvm::function_ref<bool(uint32_t)> iterate);
  bool has_ended(const clang::Expr* condition);
  std::optional<model::Symbolic> limit_of(const clang::Expr* condition);
  // Those that are declared before `end`; `kept` is what the function returns.
  void destroy_locals(const clang::CompoundStmt* block, clang::SourceLocation end,
                      const clang::VarDecl* kept = nullptr);
  void leave_blocks(const clang::ReturnStmt* statement);
  void destroy(const HostPlace& place, clang::QualType type, clang::SourceRange site);
  void destroy_owned(const HostPlace& place, const clang::ClassTemplateSpecializationDecl* owner,
                     clang::SourceRange site);
  // Whether another smart pointer holds the object, too: it was moved or shared.
  bool has_other_owner(const HostPlace& object, const HostPlace& owner) const;
  static bool is_smart_pointer(const HostPlace& place);
  void jump(std::optional<HostMemory>& target);
  void end_program();
  struct Decision {
    std::optional<bool> known;
    bool varies;  // Between ranks.
  };
  Decision decide(const clang::Expr* condition);

  // Expressions.
  Value evaluate_cast(const clang::CastExpr* cast);
  Value evaluate_unary(const clang::UnaryOperator* op);
  Value evaluate_binary(const clang::BinaryOperator* op);
  Value evaluate_assignment(const clang::BinaryOperator* op);
  Value evaluate_conditional(const clang::AbstractConditionalOperator* op);
  Value evaluate_reference(const clang::DeclRefExpr* reference);
  Value evaluate_lambda(const clang::LambdaExpr* lambda);
  Value evaluate_init_list(const clang::InitListExpr* list);
  Value evaluate_new(const clang::CXXNewExpr* expression);
  Value evaluate_block(const clang::StmtExpr* block);
  Value evaluate_children(const clang::Expr* expression);
  Value combine(const Value& left, const Value& right, const clang::BinaryOperator* op);
  Value calculate(const Value& left, const Value& right, const clang::BinaryOperator* op);
  Value offset_pointer(const Value& pointer, const model::Symbolic& elements, clang::QualType pointer_type);
  Located locate(const clang::Expr* expression);
  Located locate_member(const clang::MemberExpr* member);
  Located locate_element(const clang::ArraySubscriptExpr* element);
  Located locate_variable(const clang::ValueDecl* declaration);
  void initialise_global(const HostPlace& place, const clang::VarDecl* variable);
  Located locate_temporary(const clang::Expr* expression);
  Value load(const Located& located, clang::QualType type);
  void store(const Located& located, const Value& value);
  void name_buffer(model::Index buffer, const HostPlace& place);
  Value address_of(const Located& located);
  void initialise(const HostPlace& place, const clang::Expr* initialiser);
  void initialise_from_list(const HostPlace& place, const clang::InitListExpr* list);

  // Calls.
  Value call(const clang::CallExpr* call);
  Value call_operator(const clang::CXXOperatorCallExpr* call);
  Value call_library(const clang::CallExpr* call, const clang::FunctionDecl* callee);
  // A call of a method whose body is not followed; the object is evaluated already.
  struct MethodCall {
    const clang::CXXMethodDecl* method;
    std::vector<HostPlace> objects;
    std::string object_type;
    std::vector<const clang::Expr*> arguments;
  };
  std::optional<Value> call_container(const MethodCall& call);
  bool emplace(const MethodCall& call);
  Located elements_of(const std::vector<HostPlace>& objects, std::optional<int64_t> index);
  Value load_pointee(const std::vector<HostPlace>& objects);
  Value call_user(const clang::FunctionDecl* function, const std::vector<HostPlace>& self,
                  const std::vector<const clang::Expr*>& arguments, clang::SourceRange site);
  Value construct(const clang::CXXConstructExpr* construction, const HostPlace& place);
  // Whether the constructor is the user's, so that it was run.
  bool construct_with(const clang::CXXConstructorDecl* constructor, const std::vector<const clang::Expr*>& arguments,
                      const HostPlace& place, clang::SourceRange site);
  // As the standard library does it for a caller, who gave only the arguments.
  bool construct_unseen(clang::QualType type, const std::vector<const clang::Expr*>& arguments, const HostPlace& place,
                        clang::SourceRange site);
  // What std::make_unique and std::make_shared return for an object of a class of the user's.
  std::optional<Value> make_owned(const clang::CallExpr* call, const clang::FunctionDecl* callee);
  void construct_library_object(const clang::CXXConstructExpr* construction, const HostPlace& place);
  void construct_shape(const std::vector<const clang::Expr*>& sizes, const HostPlace& place);
  void run_initialisers(const clang::CXXConstructorDecl* constructor, const HostPlace& place);
  void bind_parameter(const clang::ParmVarDecl* parameter, const clang::Expr* argument);
  // What a function whose body is not seen gets to know of each argument: its value, or its address if it is a glvalue.
  std::vector<Value> hand_over(const std::vector<const clang::Expr*>& arguments);
  void clobber(const clang::FunctionDecl* callee, const std::vector<const clang::Expr*>& arguments,
               const std::vector<Value>& handed);
  void forget(const HostPlace& place, clang::QualType type);
  // The first function among what is handed over, and its place there.
  struct Handed {
    size_t index;
    Target target;
  };
  std::optional<Handed> find_function(const std::vector<Value>& handed);
  bool call_function_among(const std::vector<const clang::Expr*>& arguments, const std::vector<Value>& handed,
                           clang::SourceRange site);
  void start_thread(const std::vector<const clang::Expr*>& arguments, const std::vector<Value>& handed,
                    const clang::Expr* start);
  void mark_varying(const clang::ValueDecl* variable);
  const clang::FunctionDecl* body_of(const clang::FunctionDecl* function);
  bool on_stack(const clang::FunctionDecl* function) const;

  HostPlace new_place(const std::string& name);
  HostPlace new_root(uint32_t& counter, const std::string& name);
  // On the heap: "new Layer", "new Layer#2". What several objects of a class own are several buffers.
  HostPlace new_object(clang::QualType type);
  const Locations* unit_of(const clang::Decl* declaration) const;

  std::vector<Locations*> units_;
  const KernelTable& kernels_;
  Recorder& recorder_;
  std::unique_ptr<ApiEffects> effects_;
  std::map<std::string, const clang::FunctionDecl*> definitions_;
  std::map<std::string, const clang::VarDecl*> initialised_;  // Variables that all files share, where they get a value.
  std::vector<const clang::FunctionDecl*> in_source_order_;
  std::map<std::string, HostPlace> globals_;
  std::map<const clang::ValueDecl*, Located> bindings_;
  struct RootFacts {
    std::string name;
    uint32_t depth;
  };
  std::map<uint32_t, RootFacts> roots_;
  std::map<model::Index, uint32_t> buffer_depths_;  // Of the variable that names the buffer.
  std::map<std::string, uint32_t> made_objects_;    // By name.
  uint32_t next_lasting_root_ = 1;
  uint32_t next_frame_root_ = 1u << 30;

  HostMemory memory_;
  bool reachable_ = true;
  bool ended_program_ = false;  // Why the path is not reachable: the program ended on it.
  std::vector<Frame> frames_;
  std::vector<LoopExit> exits_;
  const Locations* here_ = nullptr;
  const clang::Stmt* statement_ = nullptr;
  uint32_t truncated_loops_ = 0;                                    // Loops in the last iteration that is run of them.
  std::set<std::pair<const clang::Stmt*, uint32_t>> visited_arms_;  // With the call depth they were seen at.
  std::set<std::tuple<const clang::Expr*, uint32_t, const clang::FunctionDecl*>> started_threads_;
  bool binds_thread_ = false;  // The parameters being bound are those of a rank's thread.
  bool in_rank_region_ = false;  // Of threads of OpenMP.
  bool has_rank_regions_ = false;
  uint32_t next_version_ = 1;
  uint64_t fuel_ = 0;
  bool exhausted_ = false;  // The program is too large to follow further.
};

}  // namespace cuco::frontend
