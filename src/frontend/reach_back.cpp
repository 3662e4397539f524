#include "frontend/reach_back.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <optional>
#include <set>

namespace cuco::frontend {

namespace {

using clang::BinaryOperator;
using clang::DeclRefExpr;
using clang::Expr;
using clang::ParmVarDecl;
using clang::VarDecl;

// A factor of a product: a parameter, or something else that is told apart by where it stands.
using Factor = std::pair<const void*, const ParmVarDecl*>;
using Product = std::vector<Factor>;  // Sorted.
using Sum = std::map<Product, int64_t>;

Sum plus(Sum a, const Sum& b, int64_t times) {
  for (const auto& [product, factor] : b) a[product] += times * factor;
  return a;
}

// Longer ones are no indices.
constexpr size_t kTermsMax = 64;

// Empty where that would be too long.
Sum product_of(const Sum& a, const Sum& b) {
  if (a.size() * b.size() > kTermsMax) return {};
  Sum result;
  for (const auto& [left, left_factor] : a)
    for (const auto& [right, right_factor] : b) {
      Product both = left;
      both.insert(both.end(), right.begin(), right.end());
      std::sort(both.begin(), both.end());
      result[both] += left_factor * right_factor;
    }
  return result;
}

// Variables that get another value than the one that they begin with.
class Changed : public clang::RecursiveASTVisitor<Changed> {
 public:
  bool VisitBinaryOperator(BinaryOperator* operation) {
    if (operation->isAssignmentOp()) add(operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->isIncrementDecrementOp() || operation->getOpcode() == clang::UO_AddrOf) add(operation->getSubExpr());
    return true;
  }

  std::set<const clang::ValueDecl*> variables;

 private:
  void add(const Expr* target) {
    if (const auto* name = llvm::dyn_cast<DeclRefExpr>(target->IgnoreParenCasts())) variables.insert(name->getDecl());
  }
};

// A pointer as a parameter and how many elements it stands behind it.
struct Pointer {
  const ParmVarDecl* parameter = nullptr;
  Sum offset;
};

class Indices : public clang::RecursiveASTVisitor<Indices> {
 public:
  explicit Indices(const clang::FunctionDecl* kernel) : context_(kernel->getASTContext()) {
    changed_.TraverseStmt(kernel->getBody());
  }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* access) {
    note(pointer(access->getBase()), sum(access->getIdx()));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->getOpcode() == clang::UO_Deref) note(pointer(operation->getSubExpr()), {});
    return true;
  }

  std::map<uint32_t, std::vector<Reach>> found;

 private:
  // Of a variable that keeps the value it begins with.
  const Expr* value_of(const clang::ValueDecl* name) const {
    const auto* variable = llvm::dyn_cast<VarDecl>(name);
    bool keeps = variable && variable->isLocalVarDecl() && !changed_.variables.contains(name);
    return keeps ? variable->getInit() : nullptr;
  }

  Sum sum(const Expr* expression) {
    expression = expression->IgnoreParenCasts();
    clang::Expr::EvalResult known;
    bool is_known = !expression->isValueDependent() && expression->EvaluateAsInt(known, context_);
    if (is_known && known.Val.getInt().isRepresentableByInt64()) return {{Product{}, known.Val.getInt().getExtValue()}};
    if (const auto* name = llvm::dyn_cast<DeclRefExpr>(expression)) return sum_of_name(name->getDecl());
    const auto* operation = llvm::dyn_cast<BinaryOperator>(expression);
    if (operation && operation->isAdditiveOp())
      return plus(sum(operation->getLHS()), sum(operation->getRHS()), operation->getOpcode() == clang::BO_Add ? 1 : -1);
    if (operation && operation->getOpcode() == clang::BO_Mul)
      if (Sum product = product_of(sum(operation->getLHS()), sum(operation->getRHS())); !product.empty())
        return product;
    return {{Product{{expression, nullptr}}, 1}};
  }

  Sum sum_of_name(const clang::ValueDecl* name) {
    const auto* parameter = llvm::dyn_cast<ParmVarDecl>(name);
    bool keeps = parameter && !changed_.variables.contains(name);
    Sum itself = {{Product{{name, keeps ? parameter : nullptr}}, 1}};
    auto [known, is_new] = sums_.emplace(name, itself);
    if (const Expr* value = is_new ? value_of(name) : nullptr)
      if (Sum whole = sum(value); !whole.empty()) known->second = std::move(whole);
    return known->second;
  }

  // Of a pointer that is read as another type nothing is said.
  Pointer pointer(const Expr* given) {
    const Expr* expression = given->IgnoreParenCasts();
    if (bytes_of(given->getType()) != bytes_of(expression->getType())) return {};
    if (const auto* name = llvm::dyn_cast<DeclRefExpr>(expression)) {
      if (const Expr* value = value_of(name->getDecl())) return pointer(value);
      bool keeps = !changed_.variables.contains(name->getDecl());
      return {keeps ? llvm::dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr, {}};
    }
    const auto* operation = llvm::dyn_cast<BinaryOperator>(expression);
    if (!operation || !operation->isAdditiveOp()) return {};
    bool is_left = operation->getLHS()->getType()->isPointerType();
    Pointer base = pointer(is_left ? operation->getLHS() : operation->getRHS());
    Sum moved = sum(is_left ? operation->getRHS() : operation->getLHS());
    base.offset = plus(std::move(base.offset), moved, operation->getOpcode() == clang::BO_Add ? 1 : -1);
    return base;
  }

  // Of what it points to; 0 where that has no size.
  int64_t bytes_of(clang::QualType pointer) const {
    if (!pointer->isPointerType()) return 0;
    clang::QualType element = pointer->getPointeeType();
    if (element->isIncompleteType() || element->isDependentType() || element->isFunctionType()) return 0;
    return context_.getTypeSizeInChars(element).getQuantity();
  }

  void note(const Pointer& base, const Sum& index) {
    if (!base.parameter || !base.parameter->getType()->isPointerType()) return;
    std::optional<Reach> back =
        negative_part(product_of(plus(base.offset, index, 1), {{Product{}, bytes_of(base.parameter->getType())}}));
    if (!back || back->empty()) return;
    std::vector<Reach>& known = found[base.parameter->getFunctionScopeIndex()];
    if (std::find(known.begin(), known.end(), *back) == known.end()) known.push_back(*std::move(back));
  }

  // None where it depends on more than parameters.
  static std::optional<Reach> negative_part(const Sum& index) {
    Reach back;
    for (const auto& [product, factor] : index) {
      if (factor >= 0) continue;
      ReachTerm term{-factor, {}};
      for (const auto& [place, parameter] : product) {
        if (!parameter) return std::nullopt;
        term.parameters.push_back(parameter->getFunctionScopeIndex());
      }
      std::sort(term.parameters.begin(), term.parameters.end());
      back.push_back(std::move(term));
    }
    return back;
  }

  const clang::ASTContext& context_;
  Changed changed_;
  std::map<const clang::ValueDecl*, Sum> sums_;  // Of variables that were asked for.
};

}  // namespace

std::map<uint32_t, std::vector<Reach>> reaches_back(const clang::FunctionDecl* kernel) {
  Indices indices(kernel);
  indices.TraverseStmt(kernel->getBody());
  return std::move(indices.found);
}

}  // namespace cuco::frontend
