#include "evaluate/text/included_files.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/text/lexer.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

using Tokens = std::vector<Token>;

// Past the last token of the directive that begins at `first`.
size_t directive_end(const Tokens& tokens, size_t first) {
  size_t end = first + 1;
  while (end < tokens.size() && tokens[end].in_directive && !(tokens[end].starts_line && tokens[end].is("#"))) ++end;
  return end;
}

// Of #include at `first`: <a/b.h> is several tokens, "a/b.h" one.
std::string included_name(const std::string& text, const Tokens& tokens, size_t first, size_t end) {
  if (first + 2 >= end) return "";
  const Token& opening = tokens[first + 2];
  if (opening.kind == TokenKind::String) return text.substr(opening.begin + 1, opening.end - opening.begin - 2);
  if (!opening.is("<")) return "";
  for (size_t i = first + 3; i < end; ++i)
    if (tokens[i].is(">")) return text.substr(opening.end, tokens[i].begin - opening.end);
  return "";
}

// Where an included name leads, as seen from the file that includes it: beside it, from the folder on, or from one of
// the folders below it.
std::vector<std::string> places_of(const std::string& includer, const std::string& name,
                                   const std::vector<fs::path>& below = {}) {
  std::vector<std::string> places;
  std::vector<fs::path> all = {fs::path(includer).parent_path(), fs::path()};
  all.insert(all.end(), below.begin(), below.end());
  for (const fs::path& from : all) {
    fs::path place = (from / name).lexically_normal();
    if (!place.empty() && place.is_relative() && *place.begin() != "..") places.push_back(place.string());
  }
  return places;
}

using Wanted = std::function<bool(const std::string& name)>;

class Closure {
 public:
  Closure(const fs::path& folder, Wanted wanted, std::vector<fs::path> below = {})
      : folder_(folder), wanted_(std::move(wanted)), below_(std::move(below)) {}

  Result<std::vector<SourceFile>> of(const std::vector<SourceFile>& sources) {
    std::deque<SourceFile> open(sources.begin(), sources.end());
    for (const SourceFile& source : sources) seen_.insert(source.name);
    std::map<std::string, SourceFile> found;
    for (; !open.empty(); open.pop_front())
      for (const Include& include : includes_of(open.front().text)) {
        std::string name = resolved(open.front().name, include.name);
        if (name.empty() || !seen_.insert(name).second) continue;
        Result<std::string> text = read_file(folder_ / name);
        if (!text) return text.error();
        open.push_back({name, *text});
        found[name] = {name, *text};
      }
    std::vector<SourceFile> files;
    for (const auto& [name, file] : found) files.push_back(file);
    return files;
  }

 private:
  std::string resolved(const std::string& includer, const std::string& name) const {
    std::error_code failure;
    for (const std::string& place : places_of(includer, name, below_))
      if (fs::is_regular_file(folder_ / place, failure)) return wanted_(place) ? place : "";
    return "";
  }

  fs::path folder_;
  Wanted wanted_;
  std::vector<fs::path> below_;  // The folder that names are looked for in too.
  std::set<std::string> seen_;
};

// Each header once, but a second time where the first is inside a condition that may not hold.
class Inlining {
 public:
  explicit Inlining(const std::vector<SourceFile>& headers) {
    for (const SourceFile& header : headers) headers_[header.name] = &header;
  }

  std::string text_of(const SourceFile& file, bool conditional) {
    std::string text;
    size_t at = 0;
    for (const Include& include : includes_of(file.text)) {
      const SourceFile* header = find(file.name, include.name);
      if (header == nullptr) continue;
      text += concat(file.text.substr(at, include.begin - at), "// ", include.name);
      at = include.end;
      text += inside(*header, conditional || include.conditional);
    }
    return text + file.text.substr(at);
  }

 private:
  const SourceFile* find(const std::string& includer, const std::string& name) const {
    for (const std::string& place : places_of(includer, name))
      if (auto found = headers_.find(place); found != headers_.end()) return found->second;
    return nullptr;
  }

  std::string inside(const SourceFile& header, bool conditional) {
    if (done_.contains(header.name) || !open_.insert(header.name).second) return "";
    std::string body = text_of({header.name, replace_all(header.text, "#pragma once\n", "")}, conditional);
    open_.erase(header.name);
    if (!conditional) done_.insert(header.name);
    std::string guard = guard_of(header.name);
    return concat("\n#ifndef ", guard, "\n#define ", guard, "\n", trim(body), "\n#endif  // ", guard);
  }

  static std::string guard_of(const std::string& name) {
    std::string guard;
    for (char c : name) guard += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
    return guard;
  }

  std::map<std::string, const SourceFile*> headers_;
  std::set<std::string> done_, open_;
};

bool is_of_library(const std::string& name) { return name.starts_with("cuco/") && !name.starts_with("cuco/harness"); }

}  // namespace

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  Tokens tokens;
  for (Token& token : lex(text))
    if (!token.is_comment()) tokens.push_back(std::move(token));
  int depth = 0;
  for (size_t first = 0; first + 1 < tokens.size(); ++first) {
    if (!tokens[first].is("#") || !tokens[first].starts_line) continue;
    const std::string& word = tokens[first + 1].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") ++depth;
    if (word == "endif") --depth;
    if (word != "include") continue;
    size_t end = directive_end(tokens, first);
    if (std::string name = included_name(text, tokens, first, end); !name.empty())
      includes.push_back({name, tokens[first].begin, tokens[end - 1].end, depth > 0});
  }
  return includes;
}

namespace {

// What lies below the folder of those that are searched, as seen from it.
std::vector<fs::path> below(const fs::path& folder, const std::vector<std::string>& searched) {
  std::vector<fs::path> found;
  for (const std::string& each : searched) {
    fs::path name = fs::absolute(each).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
    if (!name.empty() && *name.begin() != "..") found.push_back(name);
  }
  return found;
}

std::optional<fs::path> header_on_disk(const fs::path& includer, const std::string& name,
                                       const std::vector<std::string>& folders) {
  std::vector<fs::path> places = {includer.parent_path() / name};
  for (const std::string& folder : folders) places.push_back(fs::path(folder) / name);
  std::error_code failure;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, failure)) return fs::absolute(place).lexically_normal();
  return std::nullopt;
}

bool includes_any(const SourceFile& file, const std::vector<fs::path>& folders,
                  const std::function<bool(const std::string& place)>& wanted) {
  return std::ranges::any_of(includes_of(file.text), [&](const Include& include) {
    return std::ranges::any_of(places_of(file.name, include.name, folders), wanted);
  });
}

}  // namespace

Result<std::vector<SourceFile>> included_files(const std::vector<SourceFile>& sources, const fs::path& folder,
                                               const std::vector<std::string>& searched) {
  return Closure(
             folder, [](const std::string&) { return true; }, below(folder, searched))
      .of(sources);
}

std::vector<fs::path> reached_headers(const std::vector<std::string>& files, const std::vector<std::string>& folders) {
  std::deque<fs::path> open(files.begin(), files.end());
  std::vector<fs::path> found;
  std::set<fs::path> seen;
  for (; !open.empty(); open.pop_front()) {
    Result<std::string> text = read_file(open.front());
    if (!text) continue;
    for (const Include& include : includes_of(*text)) {
      std::optional<fs::path> header = header_on_disk(open.front(), include.name, folders);
      if (!header || !seen.insert(*header).second) continue;
      found.push_back(*header);
      open.push_back(*header);
    }
  }
  return found;
}

Result<std::vector<SourceFile>> with_headers_around(const std::vector<SourceFile>& sources,
                                                    const std::vector<SourceFile>& changed, const fs::path& folder,
                                                    const std::vector<std::string>& searched) {
  Result<std::vector<SourceFile>> all = included_files(sources, folder, searched);
  if (!all) return all.error();
  std::map<std::string, SourceFile> taken;
  for (const SourceFile& header : changed) taken[header.name] = header;
  std::vector<fs::path> folders = below(folder, searched);
  auto touches = [&](const SourceFile& file) {
    return includes_any(file, folders, [&](const std::string& place) { return taken.contains(place); });
  };
  auto is_beside = [&](const SourceFile& file) {
    return std::ranges::any_of(taken, [&](const auto& other) {
      return includes_any(other.second, {}, [&](const std::string& place) { return place == file.name; });
    });
  };
  for (size_t before = taken.size() + 1; before != taken.size();) {
    before = taken.size();
    for (const SourceFile& header : *all)
      if (!taken.contains(header.name) && (touches(header) || is_beside(header))) taken[header.name] = header;
  }
  std::vector<SourceFile> headers;
  for (const auto& [name, header] : taken) headers.push_back(header);
  return headers;
}

Result<std::vector<SourceFile>> library_headers(const std::vector<SourceFile>& sources, const fs::path& share) {
  return Closure(share / "device", is_of_library).of(sources);
}

Result<CarriedHeaders> carried_headers(const std::vector<SourceFile>& program, const fs::path& program_folder,
                                       const fs::path& share) {
  Result<std::vector<SourceFile>> own = included_files(program, program_folder);
  if (!own) return own.error();
  std::vector<SourceFile> all = program;
  all.insert(all.end(), own->begin(), own->end());
  Result<std::vector<SourceFile>> library = library_headers(all, share);
  if (!library) return library.error();
  return CarriedHeaders{*std::move(own), *std::move(library)};
}

std::string with_headers_inside(const SourceFile& source, const std::vector<SourceFile>& headers) {
  return Inlining(headers).text_of(source, false);
}

}  // namespace cuco::evaluate
