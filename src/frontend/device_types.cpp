#include "frontend/device_types.h"

#include "base/text.h"

namespace cuco::frontend {

using clang::QualType;

Carrier carrier_of(QualType type, const clang::ASTContext& context) {
  if (type.isNull()) return Carrier::Address;
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isRecordType() || type->isArrayType()) return Carrier::Object;
  if (type->getAs<clang::TemplateSpecializationType>() != nullptr) return Carrier::Object;
  if (type->isPointerType() || type->isDependentType() || type->isPlaceholderType() || type->isUndeducedType())
    return Carrier::Address;
  bool is_wide = type->isIntegralOrEnumerationType() && context.getTypeSize(type) >= 64;
  return is_wide ? Carrier::Integer : Carrier::None;
}

std::string qualified_name(const clang::NamedDecl* declaration) {
  std::vector<std::string> parts = {declaration->getNameAsString()};
  if (llvm::isa<clang::CXXConstructorDecl>(declaration))
    parts[0] = llvm::cast<clang::NamedDecl>(declaration->getDeclContext())->getNameAsString();
  for (const clang::DeclContext* scope = declaration->getDeclContext(); !scope->isTranslationUnit();
       scope = scope->getParent()) {
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope)) {
      if (!space->isInline() && !space->isAnonymousNamespace()) parts.push_back(space->getNameAsString());
    } else if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(scope)) {
      parts.push_back(record->getNameAsString());
    }
  }
  std::reverse(parts.begin(), parts.end());
  return join(parts, "::");
}

std::string_view step_name(const clang::FieldDecl* field) {
  if (field->getParent()->isUnion()) return {};
  const auto* closure = llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent());
  if (closure == nullptr || !closure->isLambda()) return field->getName();
  if (field->getFieldIndex() >= closure->capture_size()) return {};
  const clang::LambdaCapture& capture = closure->captures_begin()[field->getFieldIndex()];
  if (capture.capturesThis()) return kCapturedThis;
  return capture.capturesVariable() ? std::string_view(capture.getCapturedVar()->getName()) : std::string_view();
}

bool designates_memory(const clang::Expr* expression) {
  if (expression->isGLValue()) return true;
  if (!expression->isTypeDependent()) return false;
  const clang::Expr* inner = expression->IgnoreParens();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(inner)) return unary->getOpcode() == clang::UO_Deref;
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(inner);
  if (call == nullptr) return false;
  bool is_dereference = call->getOperator() == clang::OO_Star && call->getNumArgs() == 1;
  return is_dereference || call->getOperator() == clang::OO_Subscript;
}

bool is_assignment(const clang::Expr* expression) {
  const clang::Expr* inner = expression->IgnoreParens();
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(inner)) return binary->isAssignmentOp();
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(inner);
  return unary != nullptr && unary->isIncrementDecrementOp();
}

const clang::RecordDecl* record_of(QualType type) {
  type = type.getNonReferenceType();
  while (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  return type->getAsRecordDecl();
}

}  // namespace cuco::frontend
