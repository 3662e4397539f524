#include "base/untrusted_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace cuco {

namespace {

// Whoever wrote the file may still be at it, so what counts is what comes.
Result<std::string> read_up_to(int file, uintmax_t bytes_max) {
  std::string content;
  char chunk[1 << 16];
  while (content.size() <= bytes_max) {
    ssize_t got = read(file, chunk, sizeof chunk);
    if (got == 0) return content;
    if (got < 0 && errno != EINTR) return Error{concat("cannot be read: ", std::strerror(errno))};
    content.append(chunk, got < 0 ? 0 : static_cast<size_t>(got));
  }
  return Error{concat("is larger than ", bytes_max >> 20, " MiB")};
}

Result<std::string> read_plain(int file, uintmax_t bytes_max) {
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return Error{"is not a plain file"};
  return read_up_to(file, bytes_max);
}

}  // namespace

Result<std::string> read_untrusted_file(const std::filesystem::path& path, uintmax_t bytes_max) {
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return Error{concat(path.string(), errno == ENOENT ? ": no such file" : ": is not a plain file that can be read")};
  Result<std::string> content = read_plain(file, bytes_max);
  close(file);
  if (!content) return Error{concat(path.string(), ": ", content.error().message)};
  return content;
}

}  // namespace cuco
