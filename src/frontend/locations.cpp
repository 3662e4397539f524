#include "frontend/locations.h"

#include "base/text.h"

namespace cuco::frontend {

using clang::Lexer;
using clang::SourceLocation;
using clang::SourceManager;

model::Index FileTable::index_of(const std::string& path) {
  for (size_t i = 0; i < files_.size(); ++i)
    if (files_[i].path == path) return static_cast<model::Index>(i);
  files_.push_back({path, 0, {}});
  return static_cast<model::Index>(files_.size() - 1);
}

// One macro at a time: an argument is where its text stands, a token of a body where the macro is used.
Locations::FilePlace Locations::to_file(SourceLocation location, Side side) const {
  const SourceManager& sources = context_.getSourceManager();
  bool editable = true;
  while (location.isMacroID()) {
    if (sources.isMacroArgExpansion(location)) {
      location = sources.getImmediateSpellingLoc(location);
      continue;
    }
    editable = false;
    clang::CharSourceRange use = sources.getImmediateExpansionRange(location);
    location = side == Side::Begin ? use.getBegin() : use.getEnd();
  }
  return {location, editable};
}

model::SourceRange Locations::make_range(SourceLocation begin, SourceLocation past_end, bool editable) const {
  const SourceManager& sources = context_.getSourceManager();
  model::SourceRange range;
  clang::PresumedLoc presumed = sources.getPresumedLoc(begin, /*UseLineDirectives=*/false);
  if (presumed.isInvalid()) return range;
  range.file = files_.index_of(presumed.getFilename());
  range.begin_byte = sources.getFileOffset(begin);
  range.end_byte = std::max(range.begin_byte, sources.getFileOffset(past_end));
  range.line = presumed.getLine();
  range.column = presumed.getColumn();
  range.editable = editable;
  return range;
}

model::SourceRange Locations::range_of(clang::SourceRange range) const {
  const SourceManager& sources = context_.getSourceManager();
  if (range.isInvalid()) return {};
  FilePlace begin = to_file(range.getBegin(), Side::Begin);
  FilePlace end = to_file(range.getEnd(), Side::End);
  bool editable = begin.editable && end.editable && sources.isWrittenInSameFile(begin.location, end.location);
  if (!editable) {
    clang::CharSourceRange use = sources.getExpansionRange(range);
    begin.location = use.getBegin();
    end.location = use.getEnd();
  }
  SourceLocation past_end = Lexer::getLocForEndOfToken(end.location, 0, sources, context_.getLangOpts());
  return make_range(begin.location, past_end.isValid() ? past_end : end.location, editable);
}

model::SourceRange Locations::text_range_of(clang::SourceRange range) const {
  const SourceManager& sources = context_.getSourceManager();
  model::SourceRange used = range_of(range);
  if (used.editable || range.isInvalid()) return used;
  SourceLocation begin = sources.getSpellingLoc(range.getBegin()), end = sources.getSpellingLoc(range.getEnd());
  // Text that is pasted together stands in no file.
  bool in_a_file = sources.isWrittenInSameFile(begin, end) && sources.getFileEntryRefForID(sources.getFileID(begin));
  if (!in_a_file || sources.isInSystemHeader(begin)) return used;
  SourceLocation past_end = Lexer::getLocForEndOfToken(end, 0, sources, context_.getLangOpts());
  return make_range(begin, past_end.isValid() ? past_end : end, true);
}

model::SourceRange Locations::statement_range_of(clang::SourceRange range) const {
  const SourceManager& sources = context_.getSourceManager();
  if (range.isInvalid()) return {};
  clang::CharSourceRange use = sources.getExpansionRange(range);
  SourceLocation past_end = Lexer::getLocForEndOfToken(use.getEnd(), 0, sources, context_.getLangOpts());
  SourceLocation past_semicolon = Lexer::findLocationAfterToken(use.getEnd(), clang::tok::semi, sources,
                                                                context_.getLangOpts(), /*SkipTrailing=*/false);
  return make_range(use.getBegin(), past_semicolon.isValid() ? past_semicolon : past_end, true);
}

std::string Locations::text_of(clang::SourceRange range) const {
  const SourceManager& sources = context_.getSourceManager();
  auto written = clang::CharSourceRange::getTokenRange(to_file(range.getBegin(), Side::Begin).location,
                                                       to_file(range.getEnd(), Side::End).location);
  return squeeze(Lexer::getSourceText(written, sources, context_.getLangOpts()).str());
}

std::string Locations::text_of(const clang::Expr* expression) const {
  clang::SourceRange range = expression->getSourceRange();
  bool written = to_file(range.getBegin(), Side::Begin).editable && to_file(range.getEnd(), Side::End).editable;
  std::string text = text_of(range);
  if (written || text.find('(') == std::string::npos) return text;
  std::string printed;
  llvm::raw_string_ostream out(printed);
  expression->IgnoreImplicit()->printPretty(out, nullptr, clang::PrintingPolicy(context_.getLangOpts()));
  return squeeze(printed);
}

std::string Locations::location_text(SourceLocation location) const {
  clang::PresumedLoc presumed =
      context_.getSourceManager().getPresumedLoc(to_file(location, Side::Begin).location, false);
  if (presumed.isInvalid()) return "<unknown>";
  return concat(presumed.getFilename(), ":", presumed.getLine(), ":", presumed.getColumn());
}

bool Locations::is_users(SourceLocation location) const {
  const SourceManager& sources = context_.getSourceManager();
  return location.isValid() && !sources.isInSystemHeader(sources.getExpansionLoc(location));
}

std::string unique_name(const clang::NamedDecl* declaration) {
  llvm::SmallString<128> name;
  if (clang::index::generateUSRForDecl(declaration, name)) return declaration->getQualifiedNameAsString();
  return name.str().str();
}

}  // namespace cuco::frontend
