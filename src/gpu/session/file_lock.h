// flock() on a file: the kernel frees it however its holder ends. Two objects exclude each other also inside one
// process.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace cuco::gpu {

class FileLock {
 public:
  // Makes the file, for everybody to write, when it is not there. Takes nothing yet.
  static Result<FileLock> open(const std::filesystem::path& file);
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileLock();  // The file stays: were it removed, two holders could lock two files of one name.

  bool try_lock();
  Status lock();  // Waits until it has it or cuco is interrupted.

  // What the file says, and replacing it. Where a full disk leaves no room the lock holds all the same.
  std::string text() const;
  void set_text(const std::string& text);

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace cuco::gpu
