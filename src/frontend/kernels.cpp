#include "frontend/kernels.h"

#include <clang/AST/Attr.h>

#include "frontend/device_summary.h"
#include "frontend/kernels_pointers.h"

namespace cuco::frontend {
namespace {

using clang::FunctionDecl;
using clang::FunctionTemplateDecl;

// CUDA's keywords are macros of the stand-in headers: a definition that begins with one begins where it is used.
clang::SourceRange definition_range(const FunctionDecl* function, const clang::SourceManager& sources) {
  clang::SourceLocation begin = function->getBeginLoc();
  for (const clang::Attr* attribute : function->attrs()) {
    clang::SourceLocation location = attribute->getLocation();
    if (location.isValid() && sources.isBeforeInTranslationUnit(location, begin)) begin = location;
  }
  while (begin.isMacroID() && sources.isInSystemHeader(sources.getSpellingLoc(begin)))
    begin = sources.getImmediateExpansionRange(begin).getBegin();
  return {begin, function->getEndLoc()};
}

class KernelCollector {
 public:
  KernelCollector(const Locations& locations, KernelTable& table)
      : locations_(locations), table_(table), summaries_(locations), policy_(locations.context().getPrintingPolicy()) {
    // A lambda's type would name the file by the path it was given by.
    policy_.AnonymousTagLocations = false;
  }

  void collect(const clang::DeclContext* scope);

 private:
  void collect_template(const FunctionTemplateDecl* declaration);
  void add(const FunctionDecl* function);
  model::Kernel describe(const FunctionDecl* function);
  std::string name_of(const FunctionDecl* function) const;
  std::string bound_text(const clang::Expr* bound, const FunctionDecl* function) const;
  void add_parameters(const FunctionDecl* function, model::Kernel& kernel) const;
  void add_launch_bounds(const FunctionDecl* function, model::Kernel& kernel) const;
  void add_shared(const Summary& summary, model::Kernel& kernel) const;
  void add_communication(const Summary& summary, model::Kernel& kernel) const;

  const Locations& locations_;
  KernelTable& table_;
  Summaries summaries_;
  clang::PrintingPolicy policy_;
};

void KernelCollector::collect(const clang::DeclContext* scope) {
  for (const clang::Decl* declaration : scope->decls()) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::ExportDecl>(declaration))
      collect(llvm::cast<clang::DeclContext>(declaration));
    else if (const auto* function_template = llvm::dyn_cast<FunctionTemplateDecl>(declaration))
      collect_template(function_template);
    else if (const auto* function = llvm::dyn_cast<FunctionDecl>(declaration))
      add(function);
  }
}

void KernelCollector::collect_template(const FunctionTemplateDecl* declaration) {
  // Each redeclaration lists the same specialisations.
  if (!declaration->isThisDeclarationADefinition()) return;
  bool is_instantiated = false;
  for (const FunctionDecl* specialisation : declaration->specializations()) {
    const FunctionDecl* definition = nullptr;
    if (specialisation->isTemplateInstantiation() && specialisation->hasBody(definition)) {
      add(definition);
      is_instantiated = true;
    }
  }
  if (!is_instantiated) add(declaration->getTemplatedDecl());
}

void KernelCollector::add(const FunctionDecl* function) {
  if (!function->hasAttr<clang::CUDAGlobalAttr>() || !function->doesThisDeclarationHaveABody()) return;
  if (!locations_.is_users(function->getLocation()) || function->isInvalidDecl()) return;
  auto index = static_cast<model::Index>(table_.kernels.size());
  // A kernel in a header is seen by every file that includes it.
  if (!table_.by_name.try_emplace(unique_name(function), index).second) return;
  table_.kernels.push_back(describe(function));
  table_.reaches.push_back(reaches_back(function));
}

model::Kernel KernelCollector::describe(const FunctionDecl* function) {
  const Summary& summary = summaries_.settled(function);
  model::Kernel kernel;
  kernel.name = name_of(function);
  kernel.range = locations_.range_of(definition_range(function, locations_.context().getSourceManager()));
  add_parameters(function, kernel);
  kernel.pointers = kernel_pointers(function, summary, summaries_);
  add_shared(summary, kernel);
  add_communication(summary, kernel);
  kernel.block_barriers = static_cast<uint32_t>(summary.block_barriers.size());
  kernel.grid_barrier = summary.grid_barrier;
  add_launch_bounds(function, kernel);
  return kernel;
}

std::string KernelCollector::name_of(const FunctionDecl* function) const {
  if (function->getDescribedFunctionTemplate() != nullptr) return function->getNameAsString() + "<...>";
  std::string name;
  llvm::raw_string_ostream out(name);
  function->getNameForDiagnostic(out, policy_, /*Qualified=*/false);
  return name;
}

void KernelCollector::add_parameters(const FunctionDecl* function, model::Kernel& kernel) const {
  for (const clang::ParmVarDecl* parameter : function->parameters())
    kernel.parameters.push_back({parameter->getNameAsString(), parameter->getType().getAsString(policy_)});
}

// The value where the text would mean nothing elsewhere: template parameters in an instantiation, macros.
std::string KernelCollector::bound_text(const clang::Expr* bound, const FunctionDecl* function) const {
  if (bound == nullptr) return {};
  bool is_plain = !function->isTemplateInstantiation() && locations_.range_of(bound->getSourceRange()).editable;
  clang::Expr::EvalResult value;
  if (!is_plain && !bound->isValueDependent() && bound->EvaluateAsInt(value, locations_.context()))
    return llvm::toString(value.Val.getInt(), 10);
  return locations_.text_of(bound->getSourceRange());
}

void KernelCollector::add_launch_bounds(const FunctionDecl* function, model::Kernel& kernel) const {
  const auto* bounds = function->getAttr<clang::CUDALaunchBoundsAttr>();
  if (bounds == nullptr) return;
  kernel.max_threads = bound_text(bounds->getMaxThreads(), function);
  kernel.min_blocks = bound_text(bounds->getMinBlocks(), function);
}

void KernelCollector::add_shared(const Summary& summary, model::Kernel& kernel) const {
  for (const clang::VarDecl* variable : summary.shared) {
    clang::QualType type = variable->getType();
    model::SharedVariable shared{variable->getNameAsString(), type.getAsString(policy_), std::nullopt};
    if (!variable->hasExternalStorage() && !type->isDependentType() && !type->isIncompleteType())
      shared.bytes = static_cast<uint64_t>(locations_.context().getTypeSizeInChars(type).getQuantity());
    // Every extern __shared__ of a name is the same memory, in whichever functions it is declared.
    bool is_known = std::any_of(kernel.shared.begin(), kernel.shared.end(), [&](const model::SharedVariable& other) {
      return !shared.bytes && !other.bytes && other.name == shared.name && other.type == shared.type;
    });
    if (!is_known) kernel.shared.push_back(std::move(shared));
  }
}

void KernelCollector::add_communication(const Summary& summary, model::Kernel& kernel) const {
  for (const Communication& call : summary.communication)
    kernel.communication.push_back({call.kind, call.callee, locations_.range_of(call.range), call.by_some_blocks});
}

}  // namespace

void collect_kernels(const Locations& locations, KernelTable& table) {
  KernelCollector(locations, table).collect(locations.context().getTranslationUnitDecl());
}

}  // namespace cuco::frontend
