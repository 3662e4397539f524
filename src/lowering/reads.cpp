#include "lowering/reads.h"

#include <clang/AST/ParentMapContext.h>

namespace cuco::lowering {

namespace {

// The pointer that is followed; null when the expression follows none.
const clang::Expr* followed_pointer(const clang::Expr& expression) {
  if (const auto* deref = llvm::dyn_cast<clang::UnaryOperator>(&expression))
    return deref->getOpcode() == clang::UO_Deref ? deref->getSubExpr() : nullptr;
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&expression)) return subscript->getBase();
  return nullptr;
}

bool is_value_of(const clang::CXXOperatorCallExpr& call) {
  return !call.isAssignmentOp() && call.getOperator() != clang::OO_Amp && call.getOperator() != clang::OO_Comma &&
         call.getOperator() != clang::OO_PlusPlus && call.getOperator() != clang::OO_MinusMinus;
}

bool is_value_of(const clang::BinaryOperator& operation, const clang::Stmt& operand) {
  if (operation.getOpcode() == clang::BO_Comma) return false;
  return !operation.isAssignmentOp() || operation.getRHS() == &operand;
}

bool is_value_of(const clang::UnaryOperator& operation) {
  return operation.getOpcode() != clang::UO_AddrOf && !operation.isIncrementDecrementOp();
}

bool takes_value(const clang::Stmt& user, const clang::Stmt& operand) {
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&user)) return is_value_of(*call);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&user)) return is_value_of(*binary, operand);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&user)) return is_value_of(*unary);
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&user))
    return !cast->getTypeAsWritten()->isReferenceType();
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&user)) return choice->getCond() == &operand;
  return llvm::isa<clang::WhileStmt, clang::DoStmt, clang::ForStmt, clang::IfStmt, clang::SwitchStmt>(user);
}

}  // namespace

bool is_dependent_volatile_read(const clang::Expr& expression, clang::ASTContext& context) {
  const clang::Expr* pointer = followed_pointer(expression);
  if (!pointer || !pointer->getType()->isDependentType()) return false;
  clang::QualType target = pointer->getType()->getPointeeType();
  if (target.isNull() || !target.isVolatileQualified()) return false;
  const clang::Stmt* operand = &expression;
  for (;;) {
    auto parents = context.getParents(*operand);
    if (parents.size() != 1) return false;
    if (const auto* variable = parents[0].get<clang::VarDecl>()) return !variable->getType()->isReferenceType();
    const auto* user = parents[0].get<clang::Stmt>();
    if (!user) return false;
    if (llvm::isa<clang::ReturnStmt>(user)) return true;
    if (!llvm::isa<clang::ParenExpr>(user)) return takes_value(*user, *operand);
    operand = user;
  }
}

}  // namespace cuco::lowering
