// From Clang's locations to byte ranges of the user's files, with macros seen through where that is sound.
#pragma once

#include "frontend/clang_headers.h"
#include "model/program.h"

namespace cuco::frontend {

// Shared by all translation units of a program: it hands out the indices of Program::files.
class FileTable {
 public:
  model::Index index_of(const std::string& path);
  std::vector<model::ProgramFile> take() { return std::move(files_); }

 private:
  std::vector<model::ProgramFile> files_;
};

class Locations {
 public:
  Locations(const clang::ASTContext& context, FileTable& files) : context_(context), files_(files) {}

  // Text that a macro takes as an argument counts as written where it stands, so a call inside CHECK(...) is editable.
  // Text from a macro's body is not: the range then covers the macro's use.
  model::SourceRange range_of(clang::SourceRange range) const;

  // Where the text can be changed: the same, or in the body of the macro that makes it, where it stands there as a
  // whole.
  model::SourceRange text_range_of(clang::SourceRange range) const;

  // The range of the statement as a person would delete it: out to the outermost macro around it, with its semicolon.
  model::SourceRange statement_range_of(clang::SourceRange range) const;

  // The source text itself, white space squeezed; macros stay unexpanded.
  std::string text_of(clang::SourceRange range) const;

  // The same for an expression; one that a macro with arguments makes up is printed from the tree instead.
  std::string text_of(const clang::Expr* expression) const;

  // "file:line:col" of the place a person would look at.
  std::string location_text(clang::SourceLocation location) const;

  // True for code in the user's own files, false for system headers and cuco's stand-ins.
  bool is_users(clang::SourceLocation location) const;

  const clang::ASTContext& context() const { return context_; }

 private:
  struct FilePlace {
    clang::SourceLocation location;
    bool editable;
  };
  enum class Side { Begin, End };
  FilePlace to_file(clang::SourceLocation location, Side side) const;
  model::SourceRange make_range(clang::SourceLocation begin, clang::SourceLocation past_end, bool editable) const;

  const clang::ASTContext& context_;
  FileTable& files_;
};

// The same for every translation unit that sees the function or variable; specialisations differ.
std::string unique_name(const clang::NamedDecl* declaration);

}  // namespace cuco::frontend
