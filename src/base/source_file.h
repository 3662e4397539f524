// A file of a program: its name and what is in it.
#pragma once

#include <string>

namespace cuco {

struct SourceFile {
  std::string name;  // As the user wrote it, or as messages show it; unique within a program.
  std::string text;

  bool operator==(const SourceFile&) const = default;
};

}  // namespace cuco
