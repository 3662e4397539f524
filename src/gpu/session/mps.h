// An MPS daemon of one session, with folders of its own: FOLDER/m-XXXXXX with `p` for pipes, `l` for logs and `owner`,
// a lock that the session holds. A daemon of somebody else is not touched, nor is its pipe folder used.
//
// A daemon lives on when its owner is killed; whoever starts the next one in FOLDER stops it: its `owner` is free.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/process.h"
#include "base/result.h"

namespace cuco::gpu {

struct MpsRequest {
  std::filesystem::path folder;  // Of this user. Short: the path of a socket has 107 bytes at most.
  std::string device_uuid;
  int answer_ms_max = 8'000;  // From start to the first answer.
};

class Mps {
 public:
  static Result<Mps> start(const MpsRequest& request, ProcessRunner& processes);
  Mps(Mps&&) noexcept;
  Mps& operator=(Mps&&) noexcept;
  ~Mps();  // Stops the daemon with all its servers and removes its folders.

  // Also ends servers that wait for a kernel without end.
  Status restart();
  std::filesystem::path pipe_folder() const;
  std::filesystem::path log_folder() const;

 private:
  struct State;
  explicit Mps(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The process of a daemon that others started in the usual pipe folder or in `pipe_folder`; 0: there is none.
int foreign_mps(const std::filesystem::path& pipe_folder);

}  // namespace cuco::gpu
