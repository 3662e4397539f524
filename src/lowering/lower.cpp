#include "lowering/lower.h"

#include "base/text.h"
#include "frontend/mismatch_notes.h"
#include "frontend/nvcc_syntax.h"
#include "frontend/parse.h"
#include "lowering/arch.h"
#include "lowering/edits.h"
#include "lowering/missing.h"
#include "lowering/ptx.h"
#include "lowering/reads.h"
#include "lowering/refusals.h"

namespace cuco::lowering {

namespace {

constexpr std::string_view kGlobalAttribute = "__attribute__((global))";
// As plugins/costs/annotations.h reads them.
constexpr std::string_view kKernel = "__attribute__((annotate(\"cuco_kernel\")))";
constexpr std::string_view kKeepingKernel =
    "__attribute__((annotate(\"cuco_kernel\"), annotate(\"cuco_keeps_arguments\")))";
constexpr std::string_view kSharedAttribute = "__attribute__((shared))";
constexpr std::string_view kDeviceSection = "__attribute__((section(\"cuco_device\")))";
constexpr std::string_view kSharedSection = "__attribute__((section(\"cuco_shared\")))";

// What is wrong, by the line where it stands.
using Problems = std::multimap<unsigned, std::string>;

std::string in_order_of_lines(const Problems& problems) {
  std::vector<std::string> lines;
  for (const auto& [line, text] : problems) lines.push_back(text);
  return join(lines, "\n");
}

class ErrorLines : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    if (level == clang::DiagnosticsEngine::Note) return add_reason(frontend::mismatch_in(message.str()));
    last_ = problems.end();
    if (level < clang::DiagnosticsEngine::Error) return;
    std::string text = concat("error: ", reworded(message.str().str()), frontend::kernels_hint(message.str()));
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) {
      last_ = problems.emplace(0, text);
      return;
    }
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    last_ = problems.emplace(sources.getPresumedLineNumber(diagnostic.getLocation()),
                             place_of(sources, diagnostic.getLocation()) + text);
  }
  static std::string place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
    clang::PresumedLoc place = sources.getPresumedLoc(location);
    if (place.isInvalid()) return "";
    return concat(place.getFilename(), ":", place.getLine(), ":", place.getColumn(), ": ");
  }

  Problems problems;

 private:
  void add_reason(const std::string& reason) {
    if (last_ == problems.end() || reason.empty()) return;
    last_->second += reason;
    last_ = problems.end();
  }

  Problems::iterator last_ = problems.end();  // That may lack the reason.
};

// Clang takes constexpr functions and lambdas without attributes for code of both sides: only what is written counts.
bool is_device_function(const clang::FunctionDecl& function) {
  const auto* device = function.getAttr<clang::CUDADeviceAttr>();
  return (device && !device->isImplicit()) || function.hasAttr<clang::CUDAGlobalAttr>();
}

// Of the function or member function called; empty where only a value says which one it is.
std::string callee_name(const clang::CallExpr& call) {
  const clang::Expr* callee = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(callee)) return member->getMemberDecl()->getNameAsString();
  if (const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee))
    return member->getMember().getAsString();
  if (const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(callee)) return overloads->getName().getAsString();
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(callee);
  return reference ? reference->getDecl()->getNameAsString() : "";
}

// Calls of NCCL's device API that a group of threads makes together.
bool is_group_call(const clang::CallExpr& call, std::string_view name) {
  static const std::set<std::string_view> names = {
      "put",        "putValue", "signal", "flush", "waitSignal", "waitSignalMeetShadow", "waitSignalFollowShadow",
      "waitCounter"};
  if (names.contains(name)) return true;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParenImpCasts());
  const auto* method = member ? llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()) : nullptr;
  return method && method->getParent()->getName().starts_with("nccl") && (name == "sync" || name == "arrive");
}

bool is_barrier(std::string_view name) {
  return name == "cuco_syncthreads" || name == "sync" || name.starts_with("__syncthreads") ||
         name.starts_with("__barrier_sync");
}

// Calls of device code that may be the probe of a spin loop, or that the runtime may refuse.
bool is_probe(std::string_view name) {
  static const std::set<std::string_view> names = {"load", "exchange", "test", "wait", "arrive", "__ldcg", "__ldcv"};
  for (std::string_view prefix :
       {"atomic", "fetch_", "compare_exchange", "ncclGet", "readSignal", "readCounter", "resetSignal", "resetCounter"})
    if (name.starts_with(prefix)) return true;
  return names.contains(name);
}

// Clang sees a call in the <<<...>>> of a launch too.
bool is_host_api(std::string_view name) {
  if (name.find("Configur") != name.npos) return false;
  for (std::string_view library : {"cuda", "nccl", "MPI_", "cublas", "curand", "cufft", "cusparse", "cusolver"})
    if (name.starts_with(library)) return true;
  return false;
}

// Algorithms of Thrust and CUB launch kernels from their headers. Their objects may be of no type that a call can pass
// on by way of an expression, so only plain functions count.
bool is_of_header_library(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (!callee || llvm::isa<clang::CXXConstructorDecl>(callee)) return false;
  std::string name = callee->getQualifiedNameAsString();
  return name.starts_with("thrust::") || name.starts_with("cub::Device");
}

bool makes_memory(std::string_view name) {
  return name.starts_with("cudaMalloc") || name == "cudaHostAlloc" || name == "ncclMemAlloc";
}

bool is_kernel(const clang::NamedDecl* declaration) {
  const clang::FunctionDecl* function = declaration->getAsFunction();
  return function && function->hasAttr<clang::CUDAGlobalAttr>();
}

// A variable of which every device has its own. Constants need no copies, managed memory is one for all.
bool is_device_variable(const clang::VarDecl& variable) {
  if (!variable.hasAttr<clang::CUDADeviceAttr>() && !variable.hasAttr<clang::CUDAConstantAttr>()) return false;
  return variable.hasGlobalStorage() && !variable.hasAttr<clang::AnnotateAttr>() && !variable.isConstexpr() &&
         !variable.getType().isConstQualified();
}

// A kernel that cannot change what it was given by value, as far as that is of class type.
bool keeps_arguments(const clang::FunctionDecl& function) {
  auto is_kept = [](const clang::ParmVarDecl* parameter) {
    clang::QualType type = parameter->getType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (type->isDependentType() || record) return type.isConstQualified() && record && !record->hasMutableFields();
    return true;
  };
  return function.hasAttr<clang::CUDAGlobalAttr>() && llvm::all_of(function.parameters(), is_kept);
}

class Lowering : public clang::RecursiveASTVisitor<Lowering> {
 public:
  Lowering(clang::ASTContext& context, const vcluster::LoweringInput& input)
      : context_(context),
        sources_(context.getSourceManager()),
        options_(context.getLangOpts()),
        text_(input.text),
        marks_kernels_(input.marks_kernels),
        has_openmp_(input.has_openmp),
        missing_(sources_, input.implemented) {}

  bool TraverseDecl(clang::Decl* declaration) {
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function) return RecursiveASTVisitor::TraverseDecl(declaration);
    bool outer = std::exchange(in_device_code_, is_device_function(*function));
    bool outer_left_out = std::exchange(left_out_, left_out_ || is_left_out(*function));
    bool go_on = RecursiveASTVisitor::TraverseDecl(declaration);
    in_device_code_ = outer;
    left_out_ = outer_left_out;
    return go_on;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    bool outer = in_device_code_;
    in_device_code_ = outer || is_device_function(*lambda->getCallOperator());
    bool go_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    in_device_code_ = outer;
    return go_on;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* launch);
  bool VisitCallExpr(clang::CallExpr* call);
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference);
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* reference);
  bool VisitFunctionDecl(clang::FunctionDecl* function);
  bool VisitVarDecl(clang::VarDecl* variable);
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast);
  bool VisitUnaryOperator(clang::UnaryOperator* operation) { return visit_read(*operation); }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* subscript) { return visit_read(*subscript); }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* statement);
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive);

  std::string finish();
  const Problems& problems() const { return problems_; }

 private:
  struct Range {
    uint32_t begin, end;
  };

  uint32_t offset_of(clang::SourceLocation location) const { return sources_.getFileOffset(location); }
  Range range_of(clang::SourceRange range) const {
    uint32_t last = offset_of(range.getEnd());
    return {offset_of(range.getBegin()), last + clang::Lexer::MeasureTokenLength(range.getEnd(), sources_, options_)};
  }
  std::string operands_of(const clang::CallExpr& call, std::string_view name) const;
  std::string name_of(const clang::Expr& expression) const;
  std::string_view text_of(Range range) const { return text_.substr(range.begin, range.end - range.begin); }
  std::string line_of(clang::SourceLocation location) const {
    clang::PresumedLoc place = sources_.getPresumedLoc(location);
    return concat(place.getFilename(), ":", place.getLine());
  }
  void register_kernel(Range name);
  const clang::FunctionDecl* missing_overload(const clang::UnresolvedLookupExpr& reference);
  void refuse_missing(const clang::FunctionDecl& function, clang::SourceLocation place);
  void refuse(clang::SourceLocation place, const std::string& what);
  bool belongs_to_runner(const clang::VarDecl& variable) const;
  void place_on_device(const clang::VarDecl& variable);
  std::string translate(const clang::GCCAsmStmt& statement);
  bool visit_read(const clang::Expr& expression);
  void load_with_poll(const clang::Expr& expression);
  void refuse_without_openmp(const clang::FunctionDecl& function, clang::SourceLocation place);
  void strip_cuda_attributes();
  void spell_out_noinline();

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& options_;
  std::string_view text_;
  bool marks_kernels_;
  bool has_openmp_;
  bool in_device_code_ = false;
  bool left_out_ = false;  // The function around is not part of the program.
  TextEdits edits_;
  MissingFunctions missing_;
  std::set<uint32_t> launched_;  // Where callees of launches begin: those are not registered.
  std::set<size_t> keeping_;     // Where the attributes of kernels stand that keep their arguments.
  std::vector<const clang::GCCAsmStmt*> ptx_;
  Problems problems_;
};

// Whether the launch must be made by a call with these very arguments: overloads, template arguments left to deduction,
// default arguments, and anything that a surrounding template has yet to decide.
bool needs_deduction(const clang::CUDAKernelCallExpr& launch) {
  for (const clang::Expr* argument : launch.arguments())
    if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) return true;
  const auto* callee = llvm::dyn_cast<clang::DeclRefExpr>(launch.getCallee()->IgnoreParenImpCasts());
  if (!callee) return launch.getCallee()->isTypeDependent() || llvm::isa<clang::OverloadExpr>(launch.getCallee());
  const clang::FunctionDecl* function = callee->getDecl()->getAsFunction();
  if (!function || !function->getPrimaryTemplate()) return callee->hadMultipleCandidates();
  const clang::TemplateParameterList* parameters = function->getPrimaryTemplate()->getTemplateParameters();
  return parameters->hasParameterPack() || callee->getNumTemplateArgs() < parameters->size();
}

bool Lowering::VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* launch) {
  if (in_device_code_)
    refuse(launch->getBeginLoc(),
           "a launch from device code is not supported on the virtual cluster: launch from the host");
  Range callee = range_of(launch->getCallee()->getSourceRange());
  launched_.insert(callee.begin);
  std::string who = concat("(\"", replace_all(std::string(text_of(callee)), "\"", "'"), "\", \"",
                           line_of(launch->getBeginLoc()), "\", ");
  uint32_t open = offset_of(launch->getConfig()->getBeginLoc());
  uint32_t close = offset_of(launch->getConfig()->getRParenLoc());
  bool deduced = needs_deduction(*launch);
  edits_.wrap(callee.begin, callee.end,
              concat("::cuco_rt::", deduced ? "deduced" : "kernel", who, deduced ? "[](auto... cuco_a) { " : ""), "");
  edits_.replace(open, open + 3, deduced ? "(cuco_a...); }).with(" : ").with(");
  edits_.replace(close, close + 3, ")");
  return true;
}

// Library calls say where they stand, so that findings can name lines.
bool Lowering::VisitCallExpr(clang::CallExpr* call) {
  if (llvm::isa<clang::CUDAKernelCallExpr, clang::CXXOperatorCallExpr>(call)) return true;
  if (sources_.isInSystemHeader(call->getExprLoc())) return true;
  std::string name = callee_name(*call);
  std::string_view marker;
  if (!in_device_code_ && (is_host_api(name) || is_of_header_library(*call)))
    marker = context_.getLangOpts().CPlusPlus ? "::cuco_rt::HostPlace" : "cuco_host_at";
  if (in_device_code_ && is_probe(name)) marker = "::cuco_at";
  if (in_device_code_ && is_barrier(name)) marker = "::cuco_meet_at";
  if (in_device_code_ && is_group_call(*call, name)) marker = "::cuco_coop_at";
  if (marker.empty()) return true;
  Range range = range_of(call->getSourceRange());
  std::string operands = in_device_code_ ? "" : operands_of(*call, name);
  if (marker == "cuco_host_at" && !operands.empty()) marker = "cuco_host_call";
  edits_.wrap(range.begin, range.end, concat("(", marker, "(\"", line_of(call->getExprLoc()), "\"", operands, "), "),
              ")");
  return true;
}

// The text of an expression, where it is short enough to be a name in a message and needs no escapes in a literal.
std::string Lowering::name_of(const clang::Expr& expression) const {
  constexpr size_t kNameBytesMax = 48;
  if (expression.isNullPointerConstant(context_, clang::Expr::NPC_ValueDependentIsNotNull)) return "";
  std::string text = squeeze(text_of(range_of(expression.getSourceRange())));
  return text.size() > kNameBytesMax || text.find_first_of("\"\\") != text.npos ? "" : text;
}

// What an allocation is made for: `p` of cudaMalloc(&p, n) and of cudaMalloc((void**)&p, n), `*p` of cudaMalloc(p, n).
struct Made {
  const clang::Expr* pointer;
  bool is_behind;
};
Made made_by(const clang::Expr& argument) {
  const clang::Expr* stripped = argument.IgnoreParenCasts();
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(stripped);
  if (address && address->getOpcode() == clang::UO_AddrOf) return {address->getSubExpr()->IgnoreParenCasts(), false};
  return {stripped, true};
}

// 0 where a template has yet to decide, or nothing has a size.
uint64_t pointee_bytes(clang::QualType pointer, const clang::ASTContext& context) {
  clang::QualType pointee = pointer.isNull() ? pointer : pointer->getPointeeType();
  if (pointee.isNull() || pointee->isDependentType() || pointee->isIncompleteType() || pointee->isFunctionType())
    return 0;
  return static_cast<uint64_t>(context.getTypeSizeInChars(pointee).getQuantity());
}

// The rest of what HostPlace is given, for calls whose memory findings may speak of.
std::string Lowering::operands_of(const clang::CallExpr& call, std::string_view name) const {
  if (call.getNumArgs() == 0) return "";
  if (makes_memory(name)) {
    auto [pointer, is_behind] = made_by(*call.getArg(0));
    clang::QualType type = is_behind ? pointer->getType()->getPointeeType() : pointer->getType();
    std::string made = name_of(*pointer);
    if (made.empty()) return "";
    return concat(", \"", is_behind ? "*" : "", made, "\", ", pointee_bytes(type, context_));
  }
  std::vector<std::string> names;
  for (unsigned i = 0; i < std::min(call.getNumArgs(), 2u); i++) {
    const clang::Expr* argument = call.getArg(i)->IgnoreParenCasts();
    bool is_memory = argument->getType()->isPointerType() || argument->getType()->isArrayType();
    names.push_back(is_memory ? name_of(*argument) : "");
  }
  std::string text = join(names, "\\n");
  return text == "\\n" || text.empty() ? "" : concat(", \"", text, "\", 0");
}

void Lowering::register_kernel(Range name) {
  if (launched_.contains(name.begin)) return;
  edits_.wrap(name.begin, name.end, concat("::cuco_rt::registered(\"", text_of(name), "\", "), ")");
}

void Lowering::refuse(clang::SourceLocation place, const std::string& what) {
  std::string problem = concat(ErrorLines::place_of(sources_, place), "error: ", what);
  unsigned line = sources_.getPresumedLineNumber(place);
  auto [begin, end] = problems_.equal_range(line);
  bool is_known = std::any_of(begin, end, [&](const auto& known) { return known.second == problem; });
  if (!is_known) problems_.emplace(line, problem);
}

void Lowering::refuse_missing(const clang::FunctionDecl& function, clang::SourceLocation place) {
  if (left_out_ || sources_.isInSystemHeader(place)) return;
  for (const std::string& name : missing_.behind(function)) refuse(place, refusal_of(name));
}

bool Lowering::VisitDeclRefExpr(clang::DeclRefExpr* reference) {
  Range range = range_of(reference->getSourceRange());
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
    refuse_missing(*function, reference->getLocation());
    refuse_without_openmp(*function, reference->getLocation());
  }
  if (is_kernel(reference->getDecl())) {
    register_kernel(range);
    return true;
  }
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  if (variable && in_device_code_ && is_device_variable(*variable) && !belongs_to_runner(*variable))
    edits_.wrap(range.begin, range.end, "::cuco_rt::device_variable(", ")");
  if (!variable || !variable->hasAttr<clang::CUDASharedAttr>()) return true;
  if (variable->hasExternalStorage())
    edits_.replace(range.begin, range.end, concat("::cuco_rt::dynamic_shared<decltype(", text_of(range), ")>()"));
  else
    edits_.wrap(range.begin, range.end, "::cuco_rt::shared(", ")");
  return true;
}

// One of the overloads when a run provides none of them; null when some would do.
const clang::FunctionDecl* Lowering::missing_overload(const clang::UnresolvedLookupExpr& reference) {
  const clang::FunctionDecl* missing = nullptr;
  for (const clang::NamedDecl* candidate : reference.decls()) {
    missing = llvm::dyn_cast<clang::FunctionDecl>(candidate->getUnderlyingDecl());
    if (!missing || missing_.behind(*missing).empty()) return nullptr;
  }
  return missing;
}

// A name whose meaning a template has yet to decide.
bool Lowering::VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* reference) {
  if (const clang::FunctionDecl* missing = missing_overload(*reference))
    refuse_missing(*missing, reference->getNameLoc());
  for (const clang::NamedDecl* candidate : reference->decls())
    if (!is_kernel(candidate)) return true;
  if (reference->getNumDecls() > 0) register_kernel(range_of(reference->getSourceRange()));
  return true;
}

// A weak definition stands in for a library that lacks the function: the runner's has to win, so only its head stays.
bool Lowering::VisitFunctionDecl(clang::FunctionDecl* function) {
  if (function->doesThisDeclarationHaveABody() && keeps_arguments(*function))
    keeping_.insert(text_.rfind(kGlobalAttribute, offset_of(function->getAttr<clang::CUDAGlobalAttr>()->getLocation())));
  if (!function->doesThisDeclarationHaveABody() || !function->hasAttr<clang::WeakAttr>()) return true;
  if (!function->isExternC() || !missing_.is_implemented(function->getNameAsString())) return true;
  Range body = range_of(function->getBody()->getSourceRange());
  edits_.replace(body.begin, body.end, ";");
  return true;
}

bool Lowering::VisitVarDecl(clang::VarDecl* variable) {
  if (is_device_variable(*variable)) place_on_device(*variable);
  const auto* attribute = variable->getAttr<clang::CUDASharedAttr>();
  if (!attribute) return true;
  size_t begin = text_.rfind(kSharedAttribute, offset_of(attribute->getLocation()));
  // Clang makes the variable static by itself, so only the text tells whether the word stands there already.
  uint32_t first = std::min<uint32_t>(begin, offset_of(variable->getOuterLocStart()));
  std::string_view specifiers = text_of({first, offset_of(variable->getLocation())});
  std::string replacement;
  if (!variable->hasExternalStorage())
    replacement = concat(specifiers.find("static ") == specifiers.npos ? "static " : "", kSharedSection);
  edits_.replace(begin, begin + kSharedAttribute.size(), std::move(replacement));
  return true;
}

// cuco's own headers declare what the runner defines: there is one of each.
bool Lowering::belongs_to_runner(const clang::VarDecl& variable) const {
  return variable.hasExternalStorage() && sources_.isInSystemHeader(variable.getLocation());
}

void Lowering::place_on_device(const clang::VarDecl& variable) {
  if (variable.hasExternalStorage()) return;
  const clang::Attr* attribute = variable.getAttr<clang::CUDADeviceAttr>();
  if (!attribute) attribute = variable.getAttr<clang::CUDAConstantAttr>();
  size_t begin = text_.rfind("__attribute__((", offset_of(attribute->getLocation()));
  edits_.replace(begin, text_.find("))", begin) + 2, std::string(kDeviceSection));
}

bool Lowering::VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
  if (!in_device_code_ || cast->getCastKind() != clang::CK_LValueToRValue) return true;
  if (cast->getSubExpr()->getType().isVolatileQualified()) load_with_poll(*cast);
  return true;
}

bool Lowering::visit_read(const clang::Expr& expression) {
  if (in_device_code_ && is_dependent_volatile_read(expression, context_)) load_with_poll(expression);
  return true;
}

void Lowering::load_with_poll(const clang::Expr& expression) {
  Range range = range_of(expression.getSourceRange());
  edits_.wrap(range.begin, range.end,
              concat("(::cuco_at(\"", line_of(expression.getExprLoc()), "\"), ::cuco_rt::volatile_load("), "))");
}

bool Lowering::VisitGCCAsmStmt(clang::GCCAsmStmt* statement) {
  if (in_device_code_) ptx_.push_back(statement);
  return true;
}

std::string Lowering::translate(const clang::GCCAsmStmt& statement) {
  PtxStatement ptx;
  ptx.text = statement.getAsmString()->getString().str();
  auto add = [&](const clang::Expr* operand, llvm::StringRef name) {
    Range range = range_of(operand->getSourceRange());
    ptx.operands.push_back({edits_.apply(text_, range.begin, range.end), name.str()});
  };
  for (unsigned i = 0; i < statement.getNumOutputs(); i++) add(statement.getOutputExpr(i), statement.getOutputName(i));
  for (unsigned i = 0; i < statement.getNumInputs(); i++) add(statement.getInputExpr(i), statement.getInputName(i));
  Result<std::string> translated = translate_ptx(ptx);
  if (translated) return *translated;
  refuse(statement.getBeginLoc(), translated.error().message);
  return "";
}

// Without OpenMP a program that calls its functions links with no compiler: the flag was left out.
void Lowering::refuse_without_openmp(const clang::FunctionDecl& function, clang::SourceLocation place) {
  if (has_openmp_ || left_out_ || function.isDefined() || sources_.isInSystemHeader(place)) return;
  if (function.getName().starts_with("omp_"))
    refuse(place, concat(function.getNameAsString(),
                         " is OpenMP's, which is off: add -fopenmp, as the program's own compiler has it"));
}

namespace {

// What a pragma asks for that a run does not do, and what to use instead; empty: nothing.
std::string unsupported_part(const clang::OMPExecutableDirective& directive) {
  clang::OpenMPDirectiveKind kind = directive.getDirectiveKind();
  if (clang::isOpenMPTargetExecutionDirective(kind) || clang::isOpenMPTargetDataManagementDirective(kind))
    return ": launch a kernel";
  if (clang::isOpenMPTeamsDirective(kind)) return ": use parallel";
  bool has_distance = clang::isOpenMPLoopDirective(kind) &&
                      llvm::any_of(directive.getClausesOfKind<clang::OMPOrderedClause>(),
                                   [](const auto* clause) { return clause->getNumForLoops() != nullptr; });
  if (has_distance) return " with ordered(n): use a barrier";
  if (directive.hasClausesOfKind<clang::OMPCopyinClause>()) return " with copyin: use firstprivate";
  if (directive.hasClausesOfKind<clang::OMPTaskReductionClause>() ||
      directive.hasClausesOfKind<clang::OMPInReductionClause>())
    return " with a reduction over tasks: use atomic";
  if (directive.hasClausesOfKind<clang::OMPDetachClause>()) return " with detach: use taskwait";
  return "";
}

}  // namespace

bool Lowering::VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
  std::string part = unsupported_part(*directive);
  if (part.empty() || left_out_) return true;
  size_t colon = part.find(':');
  refuse(directive->getBeginLoc(),
         concat("#pragma omp ", llvm::omp::getOpenMPDirectiveName(directive->getDirectiveKind()).str(),
                part.substr(0, colon), " is not supported on the virtual cluster", part.substr(colon)));
  return true;
}

// The attributes have done their work; in C++ they would only be noise, and between a lambda's brackets an error.
void Lowering::strip_cuda_attributes() {
  for (std::string_view name : {"device", "host", "global", "constant"}) {
    std::string attribute = concat("__attribute__((", name, "))");
    bool marks = marks_kernels_ && attribute == kGlobalAttribute;
    for (size_t at = text_.find(attribute); at != text_.npos; at = text_.find(attribute, at + 1)) {
      std::string_view mark = keeping_.contains(at) ? kKeepingKernel : kKernel;
      edits_.replace(at, at + attribute.size(), std::string(marks ? mark : ""));
    }
  }
}

// Clang takes __noinline__ as a keyword in CUDA only. Inside an attribute it is a name and stays.
void Lowering::spell_out_noinline() {
  constexpr std::string_view keyword = "__noinline__";
  for (size_t at = text_.find(keyword); at != text_.npos; at = text_.find(keyword, at + 1))
    if (at > 0 && text_[at - 1] != '(') edits_.replace(at, at + keyword.size(), "__attribute__((noinline))");
}

std::string Lowering::finish() {
  strip_cuda_attributes();
  spell_out_noinline();
  for (const clang::GCCAsmStmt* statement : ptx_) {
    Range range = range_of(statement->getSourceRange());
    edits_.replace(range.begin, range.end,
                   concat("do { ::cuco_at(\"", line_of(statement->getBeginLoc()), "\"); ", translate(*statement),
                          "; } while (0)"));
  }
  return edits_.apply(text_, 0, text_.size());
}

std::vector<std::string> parser_arguments(const vcluster::LoweringInput& input) {
  std::vector<std::string> arguments = {
      "-std=" + input.standard, "-w", "-fsyntax-only", "-ferror-limit=0", "-fno-spell-checking", "-resource-dir",
      CUCO_CLANG_RESOURCE_DIR,  "-x"};
  if (input.has_openmp) arguments.insert(arguments.begin(), "-fopenmp");
  if (!input.is_cuda) {
    arguments.push_back(input.is_c ? "cpp-output" : "c++-cpp-output");
    return arguments;
  }
  arguments.insert(arguments.end(), {"cuda-cpp-output", "--cuda-host-only", "-nocudainc", "-nocudalib", "-nogpuinc",
                                     "-Xclang", "-fcuda-allow-variadic-functions"});
  return arguments;
}

std::unique_ptr<clang::ASTUnit> parse_preprocessed(const vcluster::LoweringInput& input, ErrorLines& errors) {
  std::string name = input.path + (input.is_c ? ".i" : ".ii");
  return clang::tooling::buildASTFromCodeWithArgs(frontend::as_clang_parses(input.text), parser_arguments(input), name,
                                                  "cuco", std::make_shared<clang::PCHContainerOperations>(),
                                                  clang::tooling::getClangStripDependencyFileAdjuster(),
                                                  clang::tooling::FileContentMappings(), &errors);
}

// What is wrong with either text shows again in the one made of both.
vcluster::LoweringInput merged(const vcluster::LoweringInput& input) {
  ErrorLines ignored;
  vcluster::LoweringInput host = input, result = input;
  host.text = input.host_text;
  std::unique_ptr<clang::ASTUnit> device_unit = parse_preprocessed(input, ignored);
  std::unique_ptr<clang::ASTUnit> host_unit = parse_preprocessed(host, ignored);
  if (device_unit && host_unit) result.text = merged_text(input, *device_unit, *host_unit);
  result.host_text.clear();
  return result;
}

Result<std::string> lower(const vcluster::LoweringInput& input) {
  if (!input.host_text.empty()) return lower(merged(input));
  ErrorLines errors;
  std::unique_ptr<clang::ASTUnit> unit = parse_preprocessed(input, errors);
  if (!unit && errors.problems.empty()) return Error{concat(input.path, ":1:1: error: Clang could not read this file")};
  if (!unit) return Error{in_order_of_lines(errors.problems)};
  Lowering lowering(unit->getASTContext(), input);
  lowering.TraverseAST(unit->getASTContext());
  std::string text = lowering.finish();
  Problems problems = errors.problems;
  problems.insert(lowering.problems().begin(), lowering.problems().end());
  if (!problems.empty()) return Error{in_order_of_lines(problems)};
  return text;
}

}  // namespace

Result<std::string> lower_to_cpp(const vcluster::LoweringInput& input) {
  Result<std::string> result = Error{concat(input.path, ":1:1: error: Clang gave up on this file")};
  frontend::run_guarded([&] {
    vcluster::LoweringInput taken = input;
    taken.text = frontend::with_alignas_of_c(input.text);
    taken.host_text = frontend::with_alignas_of_c(input.host_text);
    result = lower(taken);
  });
  return result;
}

}  // namespace cuco::lowering
