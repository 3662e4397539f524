// Where something stands in the user's source files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::model {

// An index into a vector of the Program; kNone stands for "there is none".
using Index = uint32_t;
inline constexpr Index kNone = UINT32_MAX;

struct SourceRange {
  Index file = kNone;       // Into Program::files.
  uint32_t begin_byte = 0;  // Half open, in bytes of the file as it is on disk.
  uint32_t end_byte = 0;
  uint32_t line = 0;  // Of begin_byte, counted from 1 like column.
  uint32_t column = 0;
  bool editable = true;  // False when the text comes from a macro's body: then the bytes are those of the macro's use.

  bool operator==(const SourceRange&) const = default;
};

enum class Severity : uint8_t { Note, Warning, Error };

std::string_view name_of(Severity severity);
// Of a text that somebody else wrote: what has no such name counts as an error.
Severity severity_named(std::string_view name);

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string location;  // "file:line:col", or "file" when no place inside it is known.
  std::string message;
};

// "file:line:col: error: message"; notes and warnings are named as such.
std::string to_text(const Diagnostic& diagnostic);

}  // namespace cuco::model
