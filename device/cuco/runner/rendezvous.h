// How ranks meet: through MPI when the program has initialised it, else in memory, as threads of one process.
#pragma once

#if __has_include(<mpi.h>)
// The C++ bindings of some MPIs need a library of their own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#define CUCO_RUNNER_HAS_MPI 1
#endif

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuco::runner {

using Clock = std::chrono::steady_clock;

// The greatest of the numbers that the threads of one process bring. Used again and again.
class ThreadMeeting {
 public:
  int64_t greatest(int64_t mine, int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    collected_ = arrived_ == 0 ? mine : std::max(collected_, mine);
    uint64_t round = round_;
    if (++arrived_ == count) {
      arrived_ = 0;
      result_ = collected_;
      round_++;
      all_there_.notify_all();
    }
    all_there_.wait(lock, [&] { return round_ != round; });
    return result_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_there_;
  int arrived_ = 0;
  uint64_t round_ = 0;
  int64_t collected_ = 0, result_ = 0;
};

class Rendezvous {
 public:
  // Called by every rank before its first iteration.
  void open(int rank_count) {
    rank_count_ = rank_count;
#ifdef CUCO_RUNNER_HAS_MPI
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised) open_mpi();
#endif
  }

  void meet() { greatest(0); }

  // The instant from which every rank counts. Where all ranks read the same clock they agree on one that is still to
  // come: leaving a barrier takes them microseconds, and not the same number of them.
  Clock::time_point start_together() {
    meet();
    if (!shares_clock_) return Clock::now();
    int64_t start = greatest((Clock::now() + kLead).time_since_epoch().count());
    Clock::time_point when{Clock::duration(start)};
    while (Clock::now() < when) {
    }
    return when;
  }

 private:
  static constexpr std::chrono::microseconds kLead{50};

  int64_t greatest(int64_t mine) {
#ifdef CUCO_RUNNER_HAS_MPI
    if (uses_mpi_) {
      MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, ranks_);
      return mine;
    }
#endif
    static ThreadMeeting meeting;
    return meeting.greatest(mine, rank_count_);
  }

#ifdef CUCO_RUNNER_HAS_MPI
  void open_mpi() {
    uses_mpi_ = true;
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    int here_count = 0, all_count = 0;
    MPI_Comm_size(here, &here_count);
    MPI_Comm_size(ranks_, &all_count);
    MPI_Comm_free(&here);
    shares_clock_ = here_count == all_count;
  }

  bool uses_mpi_ = false;
  MPI_Comm ranks_ = MPI_COMM_NULL;
#endif
  int rank_count_ = 1;
  bool shares_clock_ = true;
};

}  // namespace cuco::runner
