#include "frontend/enumerators.h"

namespace cuco::frontend {

using clang::dyn_cast;

std::string enumerator_text(const clang::Expr* argument, const Locations& here) {
  const clang::Expr* plain = argument->IgnoreParenImpCasts();
  if (auto* reference = dyn_cast<clang::DeclRefExpr>(plain))
    if (auto* enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl()))
      return enumerator->getNameAsString();
  if (auto* reference = dyn_cast<clang::DeclRefExpr>(plain))
    if (auto* variable = dyn_cast<clang::VarDecl>(reference->getDecl());
        variable && variable->getInit() && (variable->isConstexpr() || variable->getType().isConstQualified()))
      return enumerator_text(variable->getInit(), here);
  if (auto* parameter = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(plain))
    return enumerator_text(parameter->getReplacement(), here);
  return here.text_of(argument);
}

std::string enumerator_named(const clang::Expr* argument, const Value& value, const Locations& here) {
  std::string text = enumerator_text(argument, here);
  const auto* type = argument->IgnoreParenImpCasts()->getType()->getAs<clang::EnumType>();
  std::optional<int64_t> known = value.number ? value.number->as_constant() : std::nullopt;
  if (!type || !known) return text;
  for (const clang::EnumConstantDecl* enumerator : type->getDecl()->enumerators())
    if (enumerator->getName() == text) return text;
  for (const clang::EnumConstantDecl* enumerator : type->getDecl()->enumerators())
    if (enumerator->getInitVal().getExtValue() == *known) return enumerator->getNameAsString();
  return text;
}

}  // namespace cuco::frontend
