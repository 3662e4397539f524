#include "model/source.h"

#include "base/text.h"
#include "model/enum_names.h"

namespace cuco::model {

std::string_view name_of(Severity severity) {
  static constexpr std::array<std::string_view, 3> kNames = {"note", "warning", "error"};
  return name_in<Severity::Error>(kNames, severity);
}

Severity severity_named(std::string_view name) {
  for (Severity severity : {Severity::Note, Severity::Warning})
    if (name_of(severity) == name) return severity;
  return Severity::Error;
}

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = concat(name_of(diagnostic.severity), ": ", diagnostic.message);
  return diagnostic.location.empty() ? text : concat(diagnostic.location, ": ", text);
}

}  // namespace cuco::model
