// What the interpreter of host code knows of a value: which objects it may point to, and which number it is.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/clang_headers.h"
#include "model/program.h"

namespace cuco::frontend {

// A variable, or a part of one: root "ctx", path ".recv" or "[2]". "[*]" stands for any element.
struct HostPlace {
  uint32_t root = 0;
  std::string path;
  auto operator<=>(const HostPlace&) const = default;

  HostPlace member(const std::string& name) const { return {root, path + "." + name}; }
  // Without an index: some element.
  HostPlace element(std::optional<int64_t> index) const;
};

enum class TargetKind : uint8_t { Null, Buffer, Place, Stream, Event, Communicator, Function };

struct Target {
  TargetKind kind = TargetKind::Null;
  model::Index index = model::kNone;  // Of a buffer, stream, event or communicator.
  model::Symbolic offset_bytes;       // Into a buffer.
  HostPlace place;                    // Pointed-to place; for a lambda, the object `this` stands for.
  const clang::FunctionDecl* function = nullptr;

  bool operator==(const Target&) const = default;
};

struct Value {
  std::vector<Target> targets;            // Of a pointer or handle; empty when nothing is known.
  std::optional<model::Symbolic> number;  // Of an integer.
  std::optional<HostPlace> object;        // A class object, by the place that holds it.
  std::string text;                       // How the source states it, for launch shapes.
  bool varies = false;                    // Follows from the rank, so that it may differ between ranks.

  bool operator==(const Value&) const = default;
};

Value number_value(model::Symbolic number);
Value pointer_to(HostPlace place);
Value handle_value(TargetKind kind, model::Index index);

// The places that a pointer may point to.
std::vector<HostPlace> pointed_places(const Value& value);
// The buffer targets among the pointer's targets.
std::vector<Target> buffer_targets(const Value& value);
const Target* find_target(const Value& value, TargetKind kind);

// The contents of all places. A value may be what either side says after two paths meet.
class HostMemory {
 public:
  // Absent: nothing was stored there. Reading "[2]" sees "[2]" and "[*]"; reading "[*]" sees every element.
  std::optional<Value> load(const HostPlace& place) const;
  // To exactly one place the value replaces what was there; to some element it is added.
  void store(const HostPlace& place, const Value& value);
  void copy_object(const HostPlace& from, const HostPlace& to);
  // Forgets the place and all its parts.
  void forget(const HostPlace& place);
  void forget_roots(uint32_t first, uint32_t past_last);
  void join(const HostMemory& other);
  // Where pointers to the place are.
  std::vector<HostPlace> holders_of(const HostPlace& place) const;

 private:
  // Of one root, by path. States of other branches share them until they are written: a state is copied at every
  // branch, and few roots change in one.
  using Parts = std::map<std::string, Value>;
  Parts& own_parts(uint32_t root);

  std::map<uint32_t, std::shared_ptr<Parts>> roots_;
};

// Numbers that differ become unknown; targets are united.
Value either_of(const Value& a, const Value& b);

}  // namespace cuco::frontend
