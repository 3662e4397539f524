#include "lowering/missing.h"

#include "lowering/refusals.h"

namespace cuco::lowering {

namespace {

class References : public clang::RecursiveASTVisitor<References> {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) functions.insert(function);
    return true;
  }
  std::set<const clang::FunctionDecl*> functions;
};

}  // namespace

const std::set<std::string>& MissingFunctions::behind(const clang::FunctionDecl& function) {
  auto [entry, is_unknown] = known_.try_emplace(&function);
  std::set<std::string>& missing = entry->second;
  if (!is_unknown || implemented_.empty() || !sources_.isInSystemHeader(function.getLocation())) return missing;
  const clang::FunctionDecl* definition = nullptr;
  if (const clang::Stmt* body = function.getBody(definition)) {
    References references;
    references.TraverseStmt(const_cast<clang::Stmt*>(body));
    for (const clang::FunctionDecl* called : references.functions)
      if (called != &function) missing.merge(std::set<std::string>(behind(*called)));
    return missing;
  }
  std::string name = function.getNameAsString();
  if (name.find("Configur") != name.npos) return missing;  // What Clang sees in the <<<...>>> of a launch.
  if (function.isExternC() && is_library_name(name) && !implemented_.contains(name)) missing.insert(name);
  return missing;
}

bool is_left_out(const clang::FunctionDecl& function) {
  if (function.isTemplated() || function.isReferenced() || function.isUsed()) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method && (method->isVirtual() || method->getParent()->isLambda())) return false;
  return !function.isExternallyVisible() || function.isInlined();
}

}  // namespace cuco::lowering
