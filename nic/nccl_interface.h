// What NCCL 2.30 expects of a network library, restated from the facts of its interface: the table of functions behind
// the symbol ncclNetPlugin_v12 (messages for collectives) and the one behind ncclRmaPlugin_v14 (puts, gets and
// signals). Only layout and meaning count; the order of the fields is NCCL's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuco::nic::nccl {

enum class Status : int {
  Success = 0,
  SystemError = 2,
  InternalError = 3,
  InvalidArgument = 4,
  InvalidUsage = 5,
  RemoteError = 6
};

enum class LogLevel : int { Warning = 2, Info = 3 };
using Logger = void (*)(LogLevel level, unsigned long subsystems, const char* file, int line, const char* format, ...);

constexpr int kHostMemory = 1;
constexpr int kDeviceMemory = 2;
constexpr size_t kHandleBytes = 128;

enum class Offload : int { Host = 0, GinProxy = 2 };

struct DeviceGroup {
  int count;
  int devices[8];
};

struct Properties {
  char* name;
  char* pci_path;
  uint64_t guid;
  int pointer_kinds;
  int registration_is_global;
  int force_flush;
  int speed_mbit_s;
  int port;
  float latency_us;
  int connections_max;
  int grouped_receives_max;  // For puts: the depth of a queue, in units of 32.
  Offload offload;
  int offload_version;
  DeviceGroup group;
  size_t message_bytes_max;
  size_t collective_bytes_max;
  int multi_request_max;
  int16_t rail;   // -1: undefined.
  int16_t plane;  // -1: undefined.
};

struct OffloadHandle;
struct Attributes;

struct NetTable {
  const char* name;
  Status (*init)(void** context, uint64_t communicator, void* config, Logger logger, void* profiler);
  Status (*devices)(int* count);
  Status (*get_properties)(int device, Properties* properties);
  Status (*listen)(void* context, int device, void* handle, void** listener);
  Status (*connect)(void* context, int device, void* handle, void** sender, OffloadHandle** offload);
  Status (*accept)(void* listener, void** receiver, OffloadHandle** offload);
  Status (*register_memory)(void* connection, void* data, size_t bytes, int kind, void** memory);
  Status (*register_dma_buffer)(void* connection, void* data, size_t bytes, int kind, uint64_t offset, int file,
                                void** memory);
  Status (*deregister_memory)(void* connection, void* memory);
  Status (*send)(void* sender, void* data, size_t bytes, int tag, void* memory, void* profile, void** request);
  Status (*receive)(void* receiver, int count, void** data, size_t* bytes, int* tags, void** memories, void** profiles,
                    void** request);
  Status (*flush)(void* receiver, int count, void** data, int* bytes, void** memories, void** request);
  Status (*test)(void* request, int* done, int* bytes);
  Status (*close_send)(void* sender);
  Status (*close_receive)(void* receiver);
  Status (*close_listen)(void* listener);
  Status (*device_memory)(void* connection, void* memory, void** on_device);
  Status (*receive_consumed)(void* receiver, int count, void* request);
  Status (*make_group)(int* device, DeviceGroup* group);
  Status (*finalize)(void* context);
  Status (*set_attributes)(void* context, Attributes* attributes);
};

struct RmaConfig {
  int context_count;
  int traffic_class;
  int rank_stride;  // Only every so many-th rank is spoken to; ranks are numbered as without it.
};

constexpr uint32_t kSignalIncrement = 1;

struct RmaTable {
  const char* name;
  Status (*init)(void** context, uint64_t communicator, Logger logger);
  Status (*devices)(int* count);
  Status (*get_properties)(int device, Properties* properties);
  Status (*listen)(void* context, int device, void* handle, void** listener);
  Status (*connect)(void* context, void* handles[], int rank_count, int rank, void* listener, void** group);
  Status (*create_context)(void* group, RmaConfig* config, void** context);
  Status (*register_memory)(void* group, void* data, size_t bytes, int kind, uint64_t flags, void** memory);
  Status (*register_dma_buffer)(void* group, void* data, size_t bytes, int kind, uint64_t offset, int file,
                                uint64_t flags, void** memory);
  Status (*deregister_memory)(void* group, void* memory);
  Status (*destroy_context)(void* context);
  Status (*close_group)(void* group);
  Status (*close_listen)(void* listener);
  Status (*put)(void* context, int index, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
                void* target, uint32_t rank, void** request);
  Status (*put_signal)(void* context, int index, uint64_t source_offset, void* source, size_t bytes,
                       uint64_t target_offset, void* target, uint32_t rank, uint64_t signal_offset, void* signal,
                       uint64_t value, uint32_t operation, bool strong, void** request);
  Status (*get)(void* context, int index, uint64_t remote_offset, void* remote, size_t bytes, uint64_t local_offset,
                void* local, uint32_t rank, void** request);
  Status (*flush)(void* context, int index, void* memory, uint32_t rank, void** request);
  Status (*test)(void* group, void* request, int* done);
  Status (*progress)(void* context);
  Status (*query_error)(void* context, bool* has_error);
  Status (*finalize)(void* context);
};

}  // namespace cuco::nic::nccl
