// Abstract memory of one device function: which places may hold the address of which others.
//
// A place is a root and the steps that lead from it: field names, and dereferences. Array elements are not told apart.
// "*" follows a pointer or reference, "#" an integer that was made from an address. Example: args.rows[i][j] with a
// parameter `args` is {args, rows, *}. Statement order is ignored, so what a place holds only ever grows.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace cuco::frontend {

inline constexpr std::string_view kDereference = "*";
inline constexpr std::string_view kIntegerDereference = "#";

enum class RootKind : uint8_t {
  Parameter,  // Numbered by position; kThisParameter for the object of a member function.
  Global,     // A __device__, __constant__ or __managed__ variable of the user.
  Shared,
  Local,   // A variable or a temporary; gone when the function returns.
  Result,  // What the function returns.
};

inline constexpr uint32_t kThisParameter = UINT32_MAX;

struct Root {
  RootKind kind = RootKind::Local;
  uint32_t number = 0;

  auto operator<=>(const Root&) const = default;
};

struct Place {
  Root root;
  std::vector<std::string_view> steps;

  auto operator<=>(const Place&) const = default;
};

using Places = std::set<Place>;

inline bool is_dereference(std::string_view step) { return step == kDereference || step == kIntegerDereference; }

// Whether any step follows an address.
bool is_reached_by_address(const Place& place);

// One step further. Paths are cut short so that recursive types end: a field that repeats leads to its first use.
Place extended(Place place, std::string_view step);
Places extended(const Places& places, std::string_view step);

// The object an access to `place` falls into: the path up to its last dereference.
Place accessed_object(Place place);

// What is left of an address that was computed from integers: plain integers in the sum are offsets, not addresses.
Places without_offsets(const Places& places);

void merge(Places& into, const Places& from);

class Memory {
 public:
  // Both return whether anything is learnt. copy() makes every path below `to` hold what the same path below `from`
  // holds, so that structs need no list of their fields.
  bool store(const Place& at, const Places& addresses);
  bool copy(const Place& to, const Places& from);

  // Where the address held at `at` leads. What is reached from parameters and globals has unknown contents, which the
  // extended path itself stands for.
  Places load(const Place& at, std::string_view dereference) const;
  Places load(const Places& at, std::string_view dereference) const;

  Places walk(const Place& start, const std::vector<std::string_view>& steps) const;

  // What a caller can observe of it: the result, and what lies behind parameters and globals.
  Memory visible_to_caller() const;

  const std::map<Place, Places>& stores() const { return stores_; }
  const std::map<Place, Places>& copies() const { return copies_; }

  bool operator==(const Memory&) const = default;

 private:
  using Seen = std::set<std::pair<Place, Place>>;

  void load_into(const Place& at, std::string_view dereference, Places& found, Places& seen) const;
  void copy_out(const Place& to, const Place& from, Memory& out, Seen& seen) const;

  std::map<Place, Places> stores_;
  std::map<Place, Places> copies_;
};

}  // namespace cuco::frontend
