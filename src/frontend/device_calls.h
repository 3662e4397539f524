// What CUDA's, NCCL's and the C library's device functions do to memory, where following their bodies would not tell
// or would tell more than the user wrote.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/program.h"

namespace cuco::frontend {

enum class CallRole : uint8_t {
  Access,  // Nothing beyond the accesses.
  BlockBarrier,
  GridBarrier,
  Communication,
};

// What becomes of the addresses beyond the accesses themselves.
enum class AddressFlow : uint8_t {
  None,
  FirstReturned,  // The result points into what the first address points to.
  Copied,         // What the second address points to is copied to where the first one points.
};

struct KnownCall {
  std::string_view name;     // Qualified, without template arguments. A "*" at the end stands for any rest.
  std::string_view effects;  // One letter per address among the arguments: r(ead), w(rite), b(oth), - (neither).
  CallRole role = CallRole::Access;
  AddressFlow flow = AddressFlow::None;
  model::DeviceCommKind communication{};
};

// Null for what is not known; then its body tells.
const KnownCall* find_known_call(std::string_view qualified_name);

// The letters of KnownCall::effects. Nothing for an address that is neither read nor written through.
model::Access access_of_letter(char letter);

// The name users know: the class template behind ncclGin goes by its alias.
std::string shown_callee(const std::string& qualified_name);

}  // namespace cuco::frontend
