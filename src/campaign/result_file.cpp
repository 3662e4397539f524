#include "campaign/result_file.h"

#include "base/files.h"
#include "base/text.h"

namespace cuco::campaign {

Status check_result_file(const std::filesystem::path& path, std::string_view beginning) {
  std::error_code failure;
  if (path.empty() || !std::filesystem::is_regular_file(path, failure)) return Done{};
  Result<std::string> text = read_file(path);
  if (text && (text->empty() || text->starts_with(beginning))) return Done{};
  return Error{concat(path.string(), ": is there already and is not cuco's; choose another name")};
}

Status write_result_file(const std::filesystem::path& path, const std::string& text, std::string_view beginning) {
  if (Status fine = check_result_file(path, beginning); !fine) return fine;
  return write_file(path, text);
}

}  // namespace cuco::campaign
