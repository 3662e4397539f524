#include "vcluster/runtime/gpu/filled_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace cuco::vcluster {

FilledPages::~FilledPages() {
  if (file_ >= 0) close(file_);
}

bool FilledPages::make() {
  file_ = memfd_create("filled", MFD_CLOEXEC);
  const std::vector<unsigned char> bytes(size_t{1} << 20, byte_);
  for (size_t done = 0; file_ >= 0 && done < kBytes;) {
    ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return file_ >= 0;
}

bool FilledPages::map_over(uintptr_t begin, size_t bytes) {
  if (bytes < kBytes || (file_ == kNotTried && !make()) || file_ < 0) return false;
  for (size_t at = 0; at < bytes; at += kBytes) {
    void* wanted = reinterpret_cast<void*>(begin + at);
    void* got = mmap(wanted, std::min(kBytes, bytes - at), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file_, 0);
    if (got != wanted) return false;
  }
  return true;
}

}  // namespace cuco::vcluster
