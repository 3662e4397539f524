// What one rank reports, a line at a time, each in the file when the call returns: a rank may be killed at any instant.
//
//   enter I           the region is about to be called for the I-th time
//   call I T US       it returned after US microseconds from the common start; T is 1 when that counts
//   left I TEXT       the kernel TEXT was not done when the region returned
//   unwritten I N K   K elements of output N were not written in iteration I
//   error I TEXT      the GPU failed in iteration I, in CUDA's words
//   ranks N           of a program without the harness: N ranks come to its region
//   sampled           outputs are captured in part
//   stuck I           the region did not return in time; what follows was launched last on streams that are not done
//   kernel TEXT
//   refused TEXT      the program cannot run with these parameters
//   misuse TEXT       the program's calls of the harness make no sense
//   over              the last iteration is done
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace cuco::runner {

class Report {
 public:
  Report(const std::string& folder, int rank)
      : file_(open((folder + "/report." + std::to_string(rank)).c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC,
                   0644)) {}
  Report(const Report&) = delete;
  ~Report() { close(file_); }

  bool is_open() const { return file_ >= 0; }

  void line(const std::string& text) {
    std::string whole = text + "\n";
    if (write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) _exit(kCannotReport);
  }

 private:
  static constexpr int kCannotReport = 3;

  int file_;
};

}  // namespace cuco::runner
