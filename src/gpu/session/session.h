// The right to run and time ranks on this machine's GPUs: locks held, MPS started, the line that starts the ranks. Ends
// with the object: ranks that live are killed, MPS is stopped, the locks are free.
//
// mpi: one rank per GPU, on this machine or on the hosts of a file, through the launcher that is there.
// one-gpu: several ranks on one GPU, as processes under an MPS daemon of the session's own (own pipe folder), each with
// its share of the multiprocessors. Without MPS ranks take turns on the GPU and nothing can be timed: an error. So is
// mpi with more ranks than GPUs on a host.
//
// GPUs of this machine are locked against other evaluations, from begin to end or, for searches that share them, while
// ranks run; those of other hosts are left to the batch system.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"
#include "gpu/session/device.h"
#include "gpu/session/file_lock.h"
#include "gpu/session/launcher.h"
#include "model/profile.h"

namespace cuco::gpu {

enum class Executor : uint8_t { Mpi, OneGpu };
const char* to_text(Executor executor);

struct SessionRequest {
  Executor executor = Executor::OneGpu;
  uint32_t rank_count = 2;
  uint32_t node_count = 1;                // Of one-gpu: ranks are told apart by NCCL_HOSTID.
  std::optional<model::Network> network;  // Between those nodes; nothing: as the emulated NIC has it by itself.
  std::filesystem::path hosts;            // Of mpi: one host a line, with slots=N; empty: this machine.
  std::string launcher;                // With {ranks}, {hosts}, {environment}, {program}; empty: the MPI that is found.
  uint32_t device = 0;                 // Of one-gpu.
  uint32_t collective_ctas_max = 8;    // NCCL_MAX_CTAS; of one-gpu always set, of mpi only when not 0.
  std::filesystem::path nccl_library;  // Folder of libnccl.so.2; empty: $NCCL_HOME, else the loader finds it.
  // Of locks and pipes; empty: locks in /tmp/cuco-gpu, for all users, pipes under $XDG_RUNTIME_DIR or /tmp.
  std::filesystem::path state_folder;
  int lock_wait_s = 600;       // For another evaluation on the same GPU; then an error that names it.
  bool lock_each_run = false;  // Others may have the GPUs whenever no run of this session is under way.
  std::function<void(const std::string&)> report;  // Told once, in a sentence, when a GPU must be waited for.
};

// The right to use the GPUs, until it goes.
class Hold {
 public:
  Hold(std::vector<FileLock> locks, double& seconds);
  Hold(Hold&& other) noexcept;
  ~Hold();

 private:
  std::vector<FileLock> locks_;
  double* seconds_;  // Of the session that it is of; null when another object has taken it over.
  std::chrono::steady_clock::time_point begin_;
};

class Session {
 public:
  static Result<Session> open(const SessionRequest& request, ProcessRunner& processes, const Environment& environment);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const std::vector<Device>& devices() const;  // That ranks run on, of this machine.
  // What starts `program` once per rank, with these variables besides those of the session in its environment; where
  // both have a name, these hold.
  std::vector<std::string> launch_command(const std::vector<std::string>& program, const Variables& variables) const;
  // The same for a program whose ranks are threads: one process, without a launcher, that has the whole GPU.
  std::vector<std::string> single_process_command(const std::vector<std::string>& program,
                                                  const Variables& variables) const;
  // Around every run. Waits where others have the GPUs; where the session has them from begin to end it costs nothing.
  Result<Hold> hold();
  // For how long all holds that are over had the GPUs, without the waiting.
  double held_seconds() const;
  // What the session itself sets for every rank (NCCL_*, CUDA_*), for the record.
  const Variables& variables() const;
  // Folders that a sandbox must show and let be written: MPS pipes.
  std::vector<std::filesystem::path> shared_folders() const;
  // The emulated NIC between the nodes of one-gpu; nothing with one node.
  const std::optional<std::filesystem::path>& nic_plugin() const;
  // How many ranks of a node share one GPU; 0 where each has its own.
  uint32_t ranks_sharing() const;
  // After ranks were killed, or their launcher was: ends those of this machine that live, starts MPS anew and waits
  // until nothing of theirs is left on the GPUs, 20 s at most. An error says what is, or that the GPU does not answer.
  Status recover();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cuco::gpu
