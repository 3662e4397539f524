#include "evaluate/input_key.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBytes = 32;

Result<std::string> fresh_key() {
  char bytes[kBytes];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(kBytes))
    return Error{concat("no random numbers for an input key: ", std::strerror(errno))};
  return to_hex({bytes, sizeof bytes});
}

// Appears whole, and once: of two processes that make it, the second one's is dropped.
Status make_key_file(const fs::path& path) {
  Result<std::string> key = fresh_key();
  if (!key) return key.error();
  fs::path own = concat(path.string(), ".", getpid());
  int file = open(own.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool written = file >= 0 && write(file, key->data(), key->size()) == static_cast<ssize_t>(key->size());
  if (file >= 0) close(file);
  bool made = written && (link(own.c_str(), path.c_str()) == 0 || errno == EEXIST);
  std::string reason = std::strerror(errno);
  unlink(own.c_str());
  if (!made) return Error{concat(path.string(), ": cannot be made: ", reason, "; give --input-key")};
  return Done{};
}

}  // namespace

bool is_input_key(const std::string& text) {
  return text.size() == 2 * kBytes && text.find_first_not_of("0123456789abcdef") == text.npos;
}

Result<std::string> machine_input_key(const fs::path& folder) {
  if (folder.empty()) return fresh_key();
  fs::path path = folder / "input-key";
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!fs::exists(path, failure))
    if (Status made = make_key_file(path); !made) return made.error();
  Result<std::string> key = read_file(path);
  if (key && !is_input_key(*key)) return Error{concat(path.string(), ": is not 64 hexadecimal digits; remove it")};
  return key;
}

std::string run_key_of(const std::string& input_key, const std::string& baseline_digest, uint64_t seed) {
  return to_hex(hmac_sha256(input_key, concat(baseline_digest, " ", seed)));
}

}  // namespace cuco::evaluate
