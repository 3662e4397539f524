#include "frontend/kernels_pointers.h"

#include "base/text.h"
#include "frontend/device_types.h"

namespace cuco::frontend {
namespace {

using clang::QualType;
using model::KernelPointer;

constexpr int kParameterDepthMax = 4;

// NCCL's communicator holds pointers of its own, none of which are buffers of the user.
bool is_opaque(const clang::RecordDecl* record) { return record->getName() == "ncclDevComm"; }

// A class of a library hides its fields: what it points to goes by the name of the object.
bool has_named_fields(const clang::RecordDecl* record, const Locations& locations) {
  return locations.is_users(record->getLocation());
}

const clang::FieldDecl* find_field(const clang::RecordDecl* record, std::string_view name) {
  for (const clang::FieldDecl* field : record->fields()) {
    if (step_name(field) == name) return field;
    const clang::RecordDecl* unnamed = step_name(field).empty() ? record_of(field->getType()) : nullptr;
    if (unnamed == nullptr) continue;
    if (const clang::FieldDecl* inner = find_field(unnamed, name)) return inner;
  }
  const auto* derived = llvm::dyn_cast<clang::CXXRecordDecl>(record);
  if (derived == nullptr || !derived->hasDefinition()) return nullptr;
  for (const clang::CXXBaseSpecifier& base : derived->bases())
    if (const clang::RecordDecl* parent = record_of(base.getType()))
      if (const clang::FieldDecl* field = find_field(parent, name)) return field;
  return nullptr;
}

// Spells the pointer that leads to a place, following the types as far as they are known.
class PointerName {
 public:
  PointerName(std::string root, QualType type, const Locations& locations)
      : name_(std::move(root)), type_(type), locations_(locations) {}

  void follow(std::string_view step) {
    if (is_dereference(step))
      dereference();
    else
      enter(step);
  }

  // Empty when the place belongs to a library.
  std::string text() const { return opaque_ ? std::string() : std::string(pending_, '*') + name_; }

 private:
  void dereference() {
    ++pending_;
    while (!type_.isNull() && type_->isArrayType()) type_ = type_->getAsArrayTypeUnsafe()->getElementType();
    type_ = type_.isNull() || !type_->isPointerType() ? QualType() : type_->getPointeeType();
  }

  void enter(std::string_view field_name) {
    const clang::RecordDecl* record = type_.isNull() ? nullptr : record_of(type_);
    const clang::FieldDecl* field = record == nullptr ? nullptr : find_field(record, field_name);
    opaque_ |= record != nullptr && is_opaque(record);
    type_ = field == nullptr ? QualType() : field->getType();
    if (record != nullptr && !has_named_fields(record, locations_)) return;
    if (pending_ > 1) name_ = concat("(", std::string(pending_ - 1, '*'), name_, ")");
    name_ += pending_ > 0 ? "->" : ".";
    name_ += field_name;
    pending_ = 0;
  }

  std::string name_;
  QualType type_;
  const Locations& locations_;
  size_t pending_ = 0;  // Dereferences since the last field.
  bool opaque_ = false;
};

class PointerTable {
 public:
  PointerTable(const clang::FunctionDecl* kernel, const Summaries& summaries)
      : kernel_(kernel), summaries_(summaries), locations_(summaries.locations()) {}

  void add_untouched();
  void add(const Place& place, const Effect& effect);
  std::vector<KernelPointer> take() { return std::move(pointers_); }

 private:
  void add_fields(const std::string& name, QualType type, model::Index parameter, int depth);
  void merge(const std::string& name, model::Index parameter, const Effect& effect);

  const clang::FunctionDecl* kernel_;
  const Summaries& summaries_;
  const Locations& locations_;
  std::vector<KernelPointer> pointers_;
};

void PointerTable::merge(const std::string& name, model::Index parameter, const Effect& effect) {
  auto known = std::find_if(pointers_.begin(), pointers_.end(), [&](const KernelPointer& pointer) {
    return pointer.name == name && pointer.parameter == parameter;
  });
  if (known == pointers_.end()) known = pointers_.insert(pointers_.end(), KernelPointer{name, parameter, {}, false});
  known->access = known->access | effect.access;
  known->assumed |= effect.assumed;
}

void PointerTable::add_fields(const std::string& name, QualType type, model::Index parameter, int depth) {
  while (const clang::ArrayType* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  if (type->isPointerType() && !type->isFunctionPointerType()) return merge(name, parameter, {});
  const clang::RecordDecl* record = record_of(type);
  if (record == nullptr || depth == 0 || is_opaque(record)) return;
  bool is_window = record->getName() == "ncclSymPtr";
  if (is_window) return merge(name, parameter, {});
  if (!has_named_fields(record, locations_)) return;
  if (const auto* derived = llvm::dyn_cast<clang::CXXRecordDecl>(record);
      derived != nullptr && derived->hasDefinition())
    for (const clang::CXXBaseSpecifier& base : derived->bases()) add_fields(name, base.getType(), parameter, depth - 1);
  for (const clang::FieldDecl* field : record->fields())
    add_fields(step_name(field).empty() ? name : concat(name, ".", step_name(field)), field->getType(), parameter,
               depth - 1);
}

void PointerTable::add_untouched() {
  for (unsigned i = 0; i < kernel_->getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = kernel_->getParamDecl(i);
    add_fields(parameter->getNameAsString(), parameter->getType(), i, kParameterDepthMax);
  }
}

void PointerTable::add(const Place& place, const Effect& effect) {
  bool is_global = place.root.kind == RootKind::Global;
  const clang::VarDecl* variable =
      is_global ? summaries_.global_variable(place.root) : kernel_->getParamDecl(place.root.number);
  PointerName name(variable->getNameAsString(), variable->getType(), locations_);
  // The pointer to a parameter's object is the path without its last dereference; a global is itself the object.
  size_t step_count = place.steps.size() - (is_global ? 0 : 1);
  for (size_t i = 0; i < step_count; ++i) name.follow(place.steps[i]);
  if (std::string text = name.text(); !text.empty()) merge(text, is_global ? model::kNone : place.root.number, effect);
}

}  // namespace

std::vector<KernelPointer> kernel_pointers(const clang::FunctionDecl* kernel, const Summary& summary,
                                           const Summaries& summaries) {
  PointerTable table(kernel, summaries);
  table.add_untouched();
  for (const auto& [place, effect] : summary.accesses) table.add(place, effect);
  std::vector<KernelPointer> pointers = table.take();
  // Globals are numbered by first use, which says nothing to a reader.
  auto first_global = std::stable_partition(
      pointers.begin(), pointers.end(), [](const KernelPointer& pointer) { return pointer.parameter != model::kNone; });
  std::stable_sort(pointers.begin(), first_global,
                   [](const KernelPointer& a, const KernelPointer& b) { return a.parameter < b.parameter; });
  std::sort(first_global, pointers.end(),
            [](const KernelPointer& a, const KernelPointer& b) { return a.name < b.name; });
  return pointers;
}

}  // namespace cuco::frontend
