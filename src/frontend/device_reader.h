// Reads the body of one device function into its summary.
//
// Visiting an expression gives places: for a glvalue those it designates, for a prvalue of class type those that hold
// an equal object, and for any other prvalue those that its address, if it is one, points to. Statements are visited
// again until nothing more is learnt. Templates that nothing instantiates are read as they are written: their
// expressions lack types and conversions, so loads are told by value category.
#pragma once

#include <clang/AST/StmtVisitor.h>

#include "frontend/device_calls.h"
#include "frontend/device_summary.h"

namespace cuco::frontend {

class DeviceReader : public clang::ConstStmtVisitor<DeviceReader, Places> {
 public:
  DeviceReader(Summaries& summaries, const clang::FunctionDecl* function)
      : summaries_(summaries), locations_(summaries.locations()), function_(function) {}

  Summary read();

  // Named by Clang's visitor.
  Places VisitStmt(const clang::Stmt* statement);
  Places VisitIfStmt(const clang::IfStmt* statement);
  Places VisitDeclStmt(const clang::DeclStmt* statement);
  Places VisitReturnStmt(const clang::ReturnStmt* statement);
  Places VisitGCCAsmStmt(const clang::GCCAsmStmt* statement);
  Places VisitStmtExpr(const clang::StmtExpr* expression);

  Places VisitDeclRefExpr(const clang::DeclRefExpr* expression);
  Places VisitMemberExpr(const clang::MemberExpr* expression);
  Places VisitCXXDependentScopeMemberExpr(const clang::CXXDependentScopeMemberExpr* expression);
  Places VisitUnresolvedMemberExpr(const clang::UnresolvedMemberExpr* expression);
  Places VisitCXXThisExpr(const clang::CXXThisExpr* expression);
  Places VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* expression);
  Places VisitExtVectorElementExpr(const clang::ExtVectorElementExpr* expression);

  Places VisitUnaryOperator(const clang::UnaryOperator* expression);
  Places VisitUnaryDeref(const clang::UnaryOperator* expression);
  Places VisitUnaryAddrOf(const clang::UnaryOperator* expression);
  Places VisitBinaryOperator(const clang::BinaryOperator* expression);
  Places VisitBinAssign(const clang::BinaryOperator* expression);
  Places VisitCompoundAssignOperator(const clang::CompoundAssignOperator* expression);
  Places VisitBinPtrMemD(const clang::BinaryOperator* expression);
  Places VisitBinPtrMemI(const clang::BinaryOperator* expression);
  Places VisitBinComma(const clang::BinaryOperator* expression);
  Places VisitAbstractConditionalOperator(const clang::AbstractConditionalOperator* expression);
  Places VisitCastExpr(const clang::CastExpr* expression);
  Places VisitAtomicExpr(const clang::AtomicExpr* expression);

  Places VisitParenExpr(const clang::ParenExpr* expression);
  Places VisitFullExpr(const clang::FullExpr* expression);
  Places VisitCXXBindTemporaryExpr(const clang::CXXBindTemporaryExpr* expression);
  Places VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr* expression);
  Places VisitOpaqueValueExpr(const clang::OpaqueValueExpr* expression);
  Places VisitArrayInitLoopExpr(const clang::ArrayInitLoopExpr* expression);
  Places VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr* expression);
  Places VisitCXXDefaultInitExpr(const clang::CXXDefaultInitExpr* expression);
  Places VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr* expression);
  Places VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr* expression);
  Places VisitCXXNoexceptExpr(const clang::CXXNoexceptExpr* expression);
  Places VisitCXXUnresolvedConstructExpr(const clang::CXXUnresolvedConstructExpr* expression);

  Places VisitInitListExpr(const clang::InitListExpr* expression);
  Places VisitCXXParenListInitExpr(const clang::CXXParenListInitExpr* expression);
  Places VisitLambdaExpr(const clang::LambdaExpr* expression);
  Places VisitCXXNewExpr(const clang::CXXNewExpr* expression);
  Places VisitCXXConstructExpr(const clang::CXXConstructExpr* expression);
  Places VisitCallExpr(const clang::CallExpr* expression);
  Places VisitCXXMemberCallExpr(const clang::CXXMemberCallExpr* expression);
  Places VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr* expression);

 private:
  struct Argument {
    const clang::Expr* expression = nullptr;
    Places places;  // What it points to or, for a class, where its value lies.
  };
  struct Call {
    const void* owner = nullptr;  // Names the temporaries of this call.
    clang::SourceRange range;
    const clang::FunctionDecl* callee = nullptr;  // Null when it cannot be told.
    std::string name;                             // Qualified.
    Places object;                                // For member functions.
    std::vector<Argument> arguments;
  };

  Places visit(const clang::Stmt* statement) { return statement == nullptr ? Places() : Visit(statement); }
  Places visit_all(llvm::ArrayRef<const clang::Expr*> expressions);
  void visit_initializers();
  void declare(const clang::VarDecl* variable);
  void surrender(const clang::Expr* initializer);
  Places statement_value(const clang::Stmt* statement);

  // The value of an expression, loading it where it is a glvalue.
  Places value(const clang::Expr* expression);
  Places loaded(const Places& places, clang::QualType type) const;
  void assign(const Places& to, const Places& value, clang::QualType type);
  void bind(const Place& reference, const Places& target) { changed_ |= memory_.store(reference, target); }
  void record(const Places& places, model::Access access, bool assumed = false);
  Places modify(const clang::Expr* target, const Places& added);
  Places combined(const clang::Expr* left, const clang::Expr* right, clang::QualType type);

  Root root_of(const clang::VarDecl* variable);
  Places variable_places(const clang::VarDecl* variable);
  std::optional<Places> captured_places(const clang::VarDecl* variable);
  Places this_object() const;
  Places member_places(const Places& object, const clang::FieldDecl* field);
  Place temporary(const void* owner, unsigned part = 0);
  void initialize_fields(const Place& object, const clang::RecordDecl* record,
                         llvm::ArrayRef<const clang::Expr*> initializers);
  void add_asm_accesses(const clang::GCCAsmStmt* statement, const std::vector<Places>& operands);

  Argument argument(const clang::Expr* expression, const clang::FunctionDecl* callee, unsigned position);
  std::vector<Argument> arguments(llvm::ArrayRef<const clang::Expr*> expressions, const clang::FunctionDecl* callee);
  Places dependent_call(const clang::CallExpr* expression);
  Places dependent_operator(const clang::CXXOperatorCallExpr* expression);
  const clang::FunctionDecl* candidate(const clang::OverloadExpr* callee, size_t argument_count) const;
  void run_destructor(const clang::VarDecl* variable);

  Places perform(const Call& call);
  Places perform_known(const Call& call, const KnownCall& known);
  Places perform_body(const Call& call, const clang::FunctionDecl* definition);
  Places perform_unknown(const Call& call);
  Places perform_memberwise(const Call& call);
  void record_worst_case(const Places& places, clang::QualType type, int depth);
  std::vector<Places> addresses(const Call& call) const;
  void bind_parameters(const Call& call, const clang::FunctionDecl* definition);
  Places translated(const Call& call, const Place& place);
  Places translated(const Call& call, const Places& places);
  Places result_of(const Call& call, clang::QualType type);
  void take_events(const Call& call, const clang::FunctionDecl* definition, const Summary& summary);
  void add_barrier(clang::SourceLocation location);
  void add_communication(Communication communication);
  void add_shared(const clang::VarDecl* variable);

  Summaries& summaries_;
  const Locations& locations_;
  const clang::FunctionDecl* function_;
  Memory memory_;
  Summary summary_;
  bool changed_ = false;
  bool is_of_some_blocks_ = false;  // What is being read.
};

}  // namespace cuco::frontend
