#include "frontend/mismatch_notes.h"

#include "base/text.h"

namespace cuco::frontend {

std::string mismatch_in(std::string_view note) {
  constexpr std::string_view kReason = " not viable: ";
  size_t at = note.find(kReason);
  return at == note.npos ? "" : concat("; ", note.substr(at + kReason.size()));
}

}  // namespace cuco::frontend
