#include "base/own_files.h"

#include <set>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cuco {

namespace fs = std::filesystem;

namespace {

constexpr size_t kDigestDigits = 64;

// A name has two while it is written over: as it was and as it will be.
struct OwnFile {
  std::string name, digest;

  auto operator<=>(const OwnFile&) const = default;
};
using OwnFiles = std::set<OwnFile>;

bool is_list_line(const std::string& line) {
  return line.size() > kDigestDigits + 2 && line.find_first_not_of("0123456789abcdef") == kDigestDigits &&
         line.compare(kDigestDigits, 2, "  ") == 0;
}

Result<OwnFiles> read_list(const fs::path& list) {
  OwnFiles own;
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(list, failure))) return own;
  Result<std::string> text = read_file(list);
  if (!text) return text.error();
  for (const std::string& line : split(trim(*text), '\n')) {
    if (!is_list_line(line))
      return Error{
          concat(list.string(), ": is no list of files that cuco wrote; move it away or choose another place")};
    own.insert({line.substr(kDigestDigits + 2), line.substr(0, kDigestDigits)});
  }
  return own;
}

bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure));
}

// There, and as cuco wrote it.
bool is_own(const fs::path& folder, const std::string& name, const OwnFiles& own) {
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(folder / name, failure))) return false;
  Result<std::string> text = read_file(folder / name);
  return text && own.contains({name, sha256(*text)});
}

Status check(const fs::path& folder, const std::vector<std::string>& names, const OwnFiles& own) {
  for (const std::string& name : names)
    if (is_there(folder / name) && !is_own(folder, name, own))
      return Error{concat((folder / name).string(),
                          ": cuco did not write this, or it was changed since; move it away or choose another place")};
  return Done{};
}

void remove_with_empty_folders(const fs::path& folder, const std::string& name) {
  std::error_code failure;
  for (fs::path path = folder / name; path != folder && fs::remove(path, failure);) path = path.parent_path();
}

Status write_text(const fs::path& path, const std::string& text) {
  std::error_code failure;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failure);
  if (failure) return Error{concat(path.parent_path().string(), ": cannot be made: ", failure.message())};
  return write_file(path, text);
}

Status write_list(const fs::path& list, const OwnFiles& own) {
  std::string text;
  for (const OwnFile& file : own) text += concat(file.digest, "  ", file.name, "\n");
  return write_text(list, text);
}

}  // namespace

Status check_own_files(const fs::path& list, const std::vector<std::string>& names) {
  Result<OwnFiles> own = read_list(list);
  return own ? check(list.parent_path(), names, *own) : Status(own.error());
}

Status write_own_files(const fs::path& list, const std::map<std::string, std::string>& texts) {
  fs::path folder = list.parent_path();
  Result<OwnFiles> before = read_list(list);
  if (!before) return before.error();
  std::vector<std::string> names;
  OwnFiles after, both = *before;
  for (const auto& [name, text] : texts) {
    names.push_back(name);
    after.insert({name, sha256(text)});
  }
  if (Status fine = check(folder, names, *before); !fine) return fine;
  both.insert(after.begin(), after.end());
  if (Status written = write_list(list, both); !written) return written;
  for (const auto& [name, text] : texts)
    if (Status written = write_text(folder / name, text); !written) return written;
  for (const OwnFile& old : *before)
    if (!texts.contains(old.name) && is_own(folder, old.name, *before)) remove_with_empty_folders(folder, old.name);
  return write_list(list, after);
}

}  // namespace cuco
