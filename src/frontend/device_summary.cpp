#include "frontend/device_summary.h"

#include <clang/AST/Attr.h>

#include "frontend/device_reader.h"

namespace cuco::frontend {
namespace {

// Far above what converges in practice: each round follows addresses through one more level of recursion.
constexpr uint32_t kRoundsMax = 32;

bool is_users_global(const clang::VarDecl* variable, const Locations& locations) {
  bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
  return on_device && variable->hasGlobalStorage() && locations.is_users(variable->getLocation());
}

}  // namespace

const Summary& Summaries::settled(const clang::FunctionDecl* definition) {
  uint32_t last_round = round_ + kRoundsMax;
  do {
    ++round_;
    changed_ = met_recursion_ = false;
    current(definition);
  } while (changed_ && met_recursion_ && round_ < last_round);
  for (auto& [function, entry] : entries_) entry.settled = true;
  return entries_[definition].summary;
}

const Summary& Summaries::current(const clang::FunctionDecl* definition) {
  Entry& entry = entries_[definition];
  met_recursion_ |= entry.reading;
  if (entry.settled || entry.reading || entry.round == round_) return entry.summary;
  entry.round = round_;
  entry.reading = true;
  Summary summary = DeviceReader(*this, definition).read();
  entry.reading = false;
  if (!(summary == entry.summary)) {
    entry.summary = std::move(summary);
    changed_ = true;
  }
  return entry.summary;
}

Root Summaries::temporary_root(const void* owner, unsigned part) {
  auto number = static_cast<uint32_t>(numbers_.size());
  return {RootKind::Local, numbers_.try_emplace({owner, part}, number).first->second};
}

Root Summaries::variable_root(const clang::VarDecl* variable) {
  const clang::VarDecl* canonical = variable->getCanonicalDecl();
  Root root = temporary_root(canonical, 0);
  if (canonical->hasAttr<clang::CUDASharedAttr>()) root.kind = RootKind::Shared;
  if (root.kind == RootKind::Local && is_users_global(canonical, locations_)) {
    root.kind = RootKind::Global;
    globals_.resize(std::max<size_t>(globals_.size(), root.number + 1));
    globals_[root.number] = canonical;
  }
  return root;
}

}  // namespace cuco::frontend
