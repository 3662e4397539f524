// The part of DeviceReader that deals with objects built in place, and with inline assembly.
#include "base/text.h"
#include "frontend/device_asm.h"
#include "frontend/device_reader.h"
#include "frontend/device_types.h"

namespace cuco::frontend {

using clang::Expr;
using model::Access;

Places DeviceReader::visit_all(llvm::ArrayRef<const Expr*> expressions) {
  Places places;
  for (const Expr* expression : expressions) merge(places, value(expression));
  return places;
}

void DeviceReader::initialize_fields(const Place& object, const clang::RecordDecl* record,
                                     llvm::ArrayRef<const Expr*> initializers) {
  auto take = [&](const Places& at, clang::QualType type) {
    if (initializers.empty()) return;
    if (type->isReferenceType())
      bind(*at.begin(), visit(initializers.front()));
    else
      assign(at, value(initializers.front()), type);
    initializers = initializers.drop_front();
  };
  if (const auto* derived = llvm::dyn_cast<clang::CXXRecordDecl>(record))
    for (const clang::CXXBaseSpecifier& base : derived->bases()) take({object}, base.getType());
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isUnnamedBitField()) continue;
    take({step_name(field).empty() ? object : extended(object, step_name(field))}, field->getType());
  }
}

Places DeviceReader::VisitInitListExpr(const clang::InitListExpr* expression) {
  if (const clang::InitListExpr* semantic = expression->getSemanticForm()) expression = semantic;
  llvm::ArrayRef<const Expr*> initializers(expression->getInits(), expression->getNumInits());
  Place object = temporary(expression);
  if (const clang::FieldDecl* field = expression->getInitializedFieldInUnion()) {
    assign({object}, visit_all(initializers), field->getType());
  } else if (expression->getType()->isArrayType()) {
    for (const Expr* initializer : initializers) assign({object}, value(initializer), initializer->getType());
  } else if (const clang::RecordDecl* record = record_of(expression->getType())) {
    initialize_fields(object, record, initializers);
  } else {
    return visit_all(initializers);
  }
  return {object};
}

Places DeviceReader::VisitCXXParenListInitExpr(const clang::CXXParenListInitExpr* expression) {
  Place object = temporary(expression);
  llvm::SmallVector<const Expr*> initializers(expression->getInitExprs());
  if (const clang::RecordDecl* record = record_of(expression->getType()))
    initialize_fields(object, record, initializers);
  else
    assign({object}, visit_all(initializers), expression->getType());
  return {object};
}

Places DeviceReader::VisitCXXUnresolvedConstructExpr(const clang::CXXUnresolvedConstructExpr* expression) {
  Places places;
  for (const Expr* argument : expression->arguments()) merge(places, value(argument));
  return places;
}

Places DeviceReader::VisitCXXNewExpr(const clang::CXXNewExpr* expression) {
  for (const Expr* argument : expression->placement_arguments()) value(argument);
  Place object = temporary(expression);
  if (const Expr* initializer = expression->getInitializer())
    assign({object}, value(initializer), expression->getAllocatedType());
  return {object};
}

Places DeviceReader::VisitLambdaExpr(const clang::LambdaExpr* expression) {
  // Captures are complete only after instantiation; before, the body sees the enclosing variables themselves.
  if (expression->getLambdaClass()->isDependentContext()) {
    visit(expression->getBody());
    return {};
  }
  Place closure = temporary(expression);
  auto initializer = expression->capture_init_begin();
  for (const clang::LambdaCapture& capture : expression->captures()) {
    const Expr* captured = *initializer++;
    if (captured == nullptr) continue;
    bool is_this = capture.capturesThis();
    if (!is_this && !capture.capturesVariable()) continue;
    Place field = extended(closure, is_this ? kCapturedThis : std::string_view(capture.getCapturedVar()->getName()));
    if (capture.getCaptureKind() == clang::LCK_ByRef)
      bind(field, visit(captured));
    else
      assign({field}, value(captured), captured->getType());
  }
  return {closure};
}

namespace {

// The template with its operands numbered, whether they were named or not; empty when it is malformed.
std::string numbered_template(const clang::GCCAsmStmt* statement, const clang::ASTContext& context) {
  llvm::SmallVector<clang::GCCAsmStmt::AsmStringPiece, 8> pieces;
  unsigned offset = 0;
  if (statement->AnalyzeAsmString(pieces, context, offset) != 0) return {};
  std::string text;
  for (const clang::GCCAsmStmt::AsmStringPiece& piece : pieces)
    text += piece.isString() ? piece.getString() : concat("%", piece.getOperandNo());
  return text;
}

}  // namespace

void DeviceReader::add_asm_accesses(const clang::GCCAsmStmt* statement, const std::vector<Places>& operands) {
  std::string text = numbered_template(statement, locations_.context());
  if (text.empty())
    for (const Places& places : operands) record(places, Access::ReadWrite, /*assumed=*/true);
  AsmFacts facts = read_asm(text);
  if (facts.block_barrier) add_barrier(statement->getBeginLoc());
  for (const AsmAccess& access : facts.accesses)
    if (access.operand < operands.size()) record(operands[access.operand], access.access, access.assumed);
  // Instructions without memory operands compute: what they yield may be an address made from their inputs.
  if (!facts.accesses.empty()) return;
  Places inputs;
  for (size_t i = statement->getNumOutputs(); i < operands.size(); ++i) merge(inputs, operands[i]);
  for (const Expr* output : statement->outputs()) assign(visit(output), inputs, output->getType());
}

Places DeviceReader::VisitGCCAsmStmt(const clang::GCCAsmStmt* statement) {
  std::vector<Places> operands;
  for (unsigned i = 0; i < statement->getNumOutputs(); ++i) {
    const Expr* output = statement->getOutputExpr(i);
    Places target = visit(output);
    record(target, statement->isOutputPlusConstraint(i) ? Access::ReadWrite : Access::Write);
    operands.push_back(loaded(target, output->getType()));
  }
  for (const Expr* input : statement->inputs()) operands.push_back(value(input));
  add_asm_accesses(statement, operands);
  return {};
}

}  // namespace cuco::frontend
