#include "base/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace cuco {

namespace fs = std::filesystem;

namespace {

Error file_error(const fs::path& path, std::string_view what) { return Error{concat(path.string(), ": ", what)}; }

}  // namespace

Result<std::string> read_file(const fs::path& path, uintmax_t bytes_max) {
  std::error_code failure;
  fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) return file_error(path, "no such file");
  if (fs::is_directory(status)) return file_error(path, "is a folder, expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return file_error(path, concat("cannot be opened: ", std::strerror(errno)));
  uintmax_t bytes = fs::is_regular_file(status) ? fs::file_size(path, failure) : 0;
  if (bytes > bytes_max) return file_error(path, concat("is larger than ", bytes_max >> 20, " MiB"));
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

Status write_file(const fs::path& path, std::string_view content) {
  fs::path partial = path;
  partial += concat(".partial.", getpid());
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  if (!out) return file_error(path, concat("cannot be written: ", std::strerror(errno)));
  out << content;
  out.close();
  std::error_code failure;
  if (out) fs::rename(partial, path, failure);
  if (!out || failure) {
    std::string reason = out ? failure.message() : std::strerror(errno);
    fs::remove(partial, failure);
    return file_error(path, concat("cannot be written: ", reason));
  }
  return Done{};
}

Result<fs::path> share_folder() {
  if (const char* given = std::getenv("CUCO_SHARE")) return fs::path(given);
  std::error_code failure;
  fs::path binary = fs::read_symlink("/proc/self/exe", failure);
  fs::path share = binary.parent_path().parent_path() / "share" / "cuco";
  if (fs::is_directory(share / "device", failure)) return share;
  return Error{concat(share.string(),
                      ": cuco's own headers and profiles are not there; set CUCO_SHARE to the folder "
                      "that holds device/ and profiles/")};
}

}  // namespace cuco
