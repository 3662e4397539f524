#include "base/files.h"

#include <fcntl.h>
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

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR) return false;
    content.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return true;
}

// A name that somebody put there before, such as a link to elsewhere, is not written through.
int make_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

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
  int file = make_file(partial);
  if (file < 0) return file_error(path, concat("cannot be written: ", std::strerror(errno)));
  std::error_code failure;
  if (!write_all(file, content)) failure.assign(errno, std::generic_category());
  if (close(file) != 0 && !failure) failure.assign(errno, std::generic_category());
  if (!failure) fs::rename(partial, path, failure);
  if (!failure) return Done{};
  std::string reason = failure.message();
  fs::remove(partial, failure);
  return file_error(path, concat("cannot be written: ", reason));
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
