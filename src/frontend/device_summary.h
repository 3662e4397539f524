// What calling a device function does, in terms of its parameters. Each function of a translation unit is read once;
// functions that call each other are read again until nothing more is learnt.
#pragma once

#include "frontend/clang_headers.h"
#include "frontend/device_places.h"
#include "frontend/locations.h"

namespace cuco::frontend {

struct Effect {
  model::Access access = model::Access::None;
  bool assumed = false;

  bool operator==(const Effect&) const = default;
};

struct Communication {
  model::DeviceCommKind kind{};
  std::string callee;
  clang::SourceRange range;
  bool by_some_blocks = false;

  bool operator==(const Communication&) const = default;
};

struct Summary {
  std::map<Place, Effect> accesses;  // By accessed_object(); only what lies behind parameters and globals.
  Memory memory;                     // Only what the caller can see.
  // The following hold each thing once, in order of first use.
  std::vector<const clang::VarDecl*> shared;
  std::vector<clang::SourceLocation> block_barriers;
  std::vector<Communication> communication;
  bool grid_barrier = false;

  bool operator==(const Summary&) const = default;
};

class Summaries {
 public:
  explicit Summaries(const Locations& locations) : locations_(locations) {}

  // `definition` has the body to read. The reference stays valid.
  const Summary& settled(const clang::FunctionDecl* definition);

  // For the reader of a caller: inside a cycle of calls this is what is known so far.
  const Summary& current(const clang::FunctionDecl* definition);

  // Numbers follow the order of first request, so they do not depend on addresses.
  Root variable_root(const clang::VarDecl* variable);
  Root temporary_root(const void* owner, unsigned part);
  const clang::VarDecl* global_variable(const Root& root) const { return globals_[root.number]; }

  const Locations& locations() const { return locations_; }

 private:
  struct Entry {
    Summary summary;
    uint32_t round = 0;  // In which it was read last.
    bool reading = false;
    bool settled = false;
  };

  const Locations& locations_;
  std::map<const clang::FunctionDecl*, Entry> entries_;
  std::map<std::pair<const void*, unsigned>, uint32_t> numbers_;
  std::vector<const clang::VarDecl*> globals_;
  uint32_t round_ = 0;
  bool met_recursion_ = false;
  bool changed_ = false;
};

}  // namespace cuco::frontend
