// The objects behind MPI's handles.
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vcluster/runtime/engine/world.h"

struct cuco_mpi_request {
  bool done = false;
  cuco::vcluster::Time at = 0;  // When its bytes are there, once it is done.
  MPI_Status status = {};
  cuco::vcluster::HostThread* waiting = nullptr;
  // Of a type with gaps: the message in one piece, in the process's heap, and where a receive unpacks it.
  char* packed = nullptr;
  void* unpacks_into = nullptr;
  MPI_Datatype type = nullptr;
  std::string what;   // That it waits for: "a message from rank 1 with tag 0".
  std::string place;  // " at file:line" of the call that made it, or empty.
};

namespace cuco::vcluster {

// One rank's part in a collective. Which fields matter depends on the call.
struct MpiPart {
  const Process* process = nullptr;
  std::string place;  // " at file:line" of the call, or empty.
  const void* send = nullptr;
  void* receive = nullptr;
  size_t send_bytes = 0;     // Per peer where there are several.
  size_t receive_bytes = 0;  // Likewise.
  int count = 0;
  MPI_Datatype type = nullptr;
  MPI_Op op = nullptr;
  int root = 0;
  std::vector<size_t> send_counts, send_offsets, receive_counts, receive_offsets;  // In bytes.
  int color = 0, key = 0;
  void* out = nullptr;
};

struct MpiCollective {
  std::string name;
  std::vector<MpiPart> parts;  // By rank.
  std::vector<HostThread*> waiting;
  size_t arrived = 0;
};

struct MpiMessage {
  int source = 0, tag = 0;
  std::vector<char> copy;      // Small messages travel at once ...
  const void* data = nullptr;  // ... large ones when the receive is there.
  size_t bytes = 0;
  cuco_mpi_request* sender = nullptr;
};

struct MpiReceive {
  int source = 0, tag = 0;
  void* target = nullptr;
  size_t bytes_max = 0;
  cuco_mpi_request* request = nullptr;
};

struct MpiShared {
  std::vector<int> members;                        // World ranks.
  std::map<uint64_t, MpiCollective> collectives;   // By sequence number.
  std::vector<std::deque<MpiMessage>> unexpected;  // By receiving rank.
  std::vector<std::deque<MpiReceive>> posted;      // By receiving rank.
};

}  // namespace cuco::vcluster

struct cuco_mpi_comm {
  std::shared_ptr<cuco::vcluster::MpiShared> shared;
  int rank = 0;
  uint64_t next_collective = 0;
  bool is_grid = false;  // Made by MPI_Cart_create or MPI_Cart_sub.
  std::vector<int> dims, periods;
};

namespace cuco::vcluster {

// MPI ends a program that gives it what it never made, or has freed.
[[noreturn]] void mpi_refuse(const char* what);

// The communicator a handle names, MPI_COMM_WORLD and MPI_COMM_SELF included.
cuco_mpi_comm& mpi_comm(MPI_Comm handle);
size_t mpi_size_of(MPI_Datatype type);
bool mpi_has_gaps(MPI_Datatype type);
size_t mpi_span_of(int count, MPI_Datatype type);  // From the first byte to the last.
void mpi_pack(char* to, const void* from, MPI_Datatype type, size_t bytes);
void mpi_unpack(void* to, const char* from, MPI_Datatype type, size_t bytes);
// False: the operation is not one that the program has made.
bool mpi_reduce_by_program(void* into, const void* from, int count, MPI_Datatype type, MPI_Op op);
void mpi_reduce(void* into, const void* from, int count, MPI_Datatype type, MPI_Op op);

// Joins the communicator's next collective. The last rank to come runs `act`; all leave when it is done.
void mpi_meet(MPI_Comm comm, const char* name, MpiPart part, const std::function<void(MpiCollective&)>& act);

}  // namespace cuco::vcluster
