// The calls of CUDA, NCCL, MPI and cuBLAS that the model knows, as data: what each argument means.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/program.h"

namespace cuco::frontend {

enum class Role : uint8_t {
  Ignored,
  NewBuffer,  // Address of the pointer that receives an allocation.
  OldBuffer,  // Pointer to free, register or deregister.
  AllocationBytes,
  Destination,  // Written, `Bytes` long where the call has such an argument.
  Source,       // Read, likewise.
  Update,       // Read and written, extent unknown.
  Bytes,
  CopyKind,
  Stream,
  NewStream,
  StreamFlags,
  Priority,
  Event,
  NewEvent,
  EndEvent,
  SendBuffer,
  RecvBuffer,
  Count,
  Type,
  Reduction,
  Peer,  // Root or peer.
  Comm,
  NewComm,
  RankCount,
  NewWindow,
  Window,
  Kernel,
  Grid,
  Block,
  KernelArguments,  // void** with one address per parameter.
  SharedBytes,
  LaunchConfig,   // cudaLaunchConfig_t.
  LibraryHandle,  // Holds the stream that the library's calls run on.
  RankOut,        // Receives the caller's rank.
  Out,            // The callee stores something that is not followed.
};

struct ApiCall {
  std::string_view name;
  model::OperationKind kind;
  std::vector<Role> roles;  // One per argument; further arguments are ignored.
  model::BufferKind buffer_kind = model::BufferKind::Device;
  model::SyncScope sync = model::SyncScope::None;
  bool blocks_host = false;
  bool cooperative = false;
};

// nullptr for a call the model does not know.
const ApiCall* find_api_call(std::string_view name);

// Bytes of an element of an ncclDataType_t enumerator, 0 when the name is not one.
uint32_t nccl_type_bytes(std::string_view enumerator);

}  // namespace cuco::frontend
