// Finds uses of library functions that a run does not provide: declared by a stand-in header, defined nowhere.
#pragma once

#include "frontend/clang_headers.h"
#include "vcluster/lowering_input.h"

namespace cuco::lowering {

class MissingFunctions {
 public:
  MissingFunctions(const clang::SourceManager& sources, const vcluster::NameSet& implemented)
      : sources_(sources), implemented_(implemented) {}

  // The function itself, or those that the stand-in's wrapper around them calls. Functions of the program's own lead to
  // nothing: their bodies are looked at where they stand.
  const std::set<std::string>& behind(const clang::FunctionDecl& function);
  bool is_implemented(const std::string& name) const { return implemented_.contains(name); }

 private:
  const clang::SourceManager& sources_;
  const vcluster::NameSet& implemented_;
  std::map<const clang::FunctionDecl*, std::set<std::string>> known_;
};

// Whether the function is part of the program only if something refers to it, and nothing does.
bool is_left_out(const clang::FunctionDecl& function);

}  // namespace cuco::lowering
