// A program named nvidia-cuda-mps-control that behaves like NVIDIA's as far as starting, answering and stopping goes,
// put first on PATH: a daemon with one server, real processes both. With `kStubborn` it ignores `quit`; with
// `kRefusing` it does not start.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "testing/scratch_folder.h"

namespace cuco::testing {

class StandInMps {
 public:
  static constexpr const char* kStubborn = "stubborn";
  static constexpr const char* kRefusing = "refusing";

  StandInMps() : path_before_(std::getenv("PATH")) {
    std::filesystem::path program = folder_.path() / "nvidia-cuda-mps-control";
    std::ofstream(program) << kScript;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.path().string() + ":" + path_before_).c_str(), 1);
  }
  StandInMps(const StandInMps&) = delete;
  ~StandInMps() {
    setenv("PATH", path_before_.c_str(), 1);
    unsetenv("STAND_IN_MPS");
  }

  void become(const char* kind) { setenv("STAND_IN_MPS", kind, 1); }

 private:
  static constexpr const char* kScript = R"(#!/bin/sh
number="$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid"
last() { [ -d "$CUDA_MPS_PIPE_DIRECTORY" ] && sleep 0.1; }
case "$1" in
  -d) [ "$STAND_IN_MPS" = refusing ] && { echo "An instance of this daemon is already running"; exit 1; }
      "$0" daemon </dev/null >/dev/null 2>&1 & exit 0 ;;
  daemon) "$0" server & echo $$ >"$number"; while last; do :; done; exit ;;
  server) while last; do :; done; exit ;;
esac
read -r command
daemon=$(cat "$number" 2>/dev/null) && kill -0 "$daemon" 2>/dev/null ||
  { echo "Cannot find MPS control daemon process"; exit 1; }
case "$command" in
  quit*) [ "$STAND_IN_MPS" = stubborn ] || kill -9 $(cat /proc/"$daemon"/task/"$daemon"/children) "$daemon" ;;
esac
exit 0
)";

  cuco::testing::ScratchFolder folder_;
  std::string path_before_;
};

}  // namespace cuco::testing
