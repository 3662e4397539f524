// Watches the source of a put from its posting until the link has read it: it must not change in between.
// Finding: source_reuse.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cuco::vcluster {

class SourceGuard {
 public:
  SourceGuard(const char* source, size_t bytes, int rank);

  // Called when the link reads the source; returns what it sees.
  std::vector<char> read() const;

 private:
  const char* source_;
  std::vector<char> posted_;
  int rank_;
  std::string place_;
};

}  // namespace cuco::vcluster
