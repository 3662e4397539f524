// The table behind ncclNetPlugin_v12: NCCL's view of net.h.
#include "nic/log.h"
#include "nic/plugin.h"

namespace cuco::nic {
namespace {

using nccl::Status;

struct NetMemory {
  uint64_t name;
  LocalMemory memory;
};

// NCCL hands senders and receivers to the same functions; both know who reads their memory.
struct Endpoint {
  std::shared_ptr<Receiver> receiver;
  Sender sender{};
  uint64_t readers = 0;
};

Status init(void** context, uint64_t, void*, nccl::Logger logger, void*) {
  *context = &plugin();
  return acquire_plugin(logger) ? Status::Success : Status::InvalidUsage;
}

Status get_properties(int, nccl::Properties* properties) {
  fill_properties(*properties, nccl::Offload::Host);
  return Status::Success;
}

Status listen(void*, int, void* handle, void** listener) {
  static_assert(sizeof(Handle) <= nccl::kHandleBytes);
  Result<std::shared_ptr<Receiver>> receiver = plugin().net->listen(*static_cast<Handle*>(handle));
  if (!receiver) return fail(receiver.error());
  *listener = new Endpoint{*receiver, {}, 0};
  return Status::Success;
}

Status connect(void*, int, void* handle, void** sender, nccl::OffloadHandle**) {
  const Result<Sender> connected = plugin().net->connect(*static_cast<Handle*>(handle));
  if (!connected) return fail(connected.error(), Status::RemoteError);
  *sender = new Endpoint{nullptr, *connected, uint64_t{1} << connected->receiver};
  return Status::Success;
}

Status accept(void* listener, void** receiver, nccl::OffloadHandle**) {
  auto* endpoint = static_cast<Endpoint*>(listener);
  *receiver = nullptr;
  if (plugin().net->accept(*endpoint->receiver)) *receiver = new Endpoint{endpoint->receiver, {}, 0};
  return Status::Success;
}

Status register_memory(void* connection, void* data, size_t bytes, int kind, void** memory) {
  Adapter& adapter = *plugin().adapter;
  const uint64_t name = adapter.directory().next_serial() << 1;  // Names of groups are odd.
  const uint64_t readers = static_cast<Endpoint*>(connection)->readers;
  *memory = new NetMemory{name, adapter.registry().add(name, data, bytes, kind == nccl::kHostMemory, readers)};
  return Status::Success;
}

Status register_dma_buffer(void* connection, void* data, size_t bytes, int kind, uint64_t, int, void** memory) {
  return register_memory(connection, data, bytes, kind, memory);
}

Status deregister_memory(void*, void* handle) {
  auto* memory = static_cast<NetMemory*>(handle);
  plugin().adapter->registry().remove(memory->name);
  delete memory;
  return Status::Success;
}

Status send(void* connection, void* data, size_t bytes, int, void* handle, void*, void** request) {
  const LocalMemory& memory = static_cast<NetMemory*>(handle)->memory;
  const auto offset = static_cast<uint64_t>(static_cast<std::byte*>(data) - memory.base);
  *request = plugin().net->send(static_cast<Endpoint*>(connection)->sender, {memory, offset}, bytes).release();
  return Status::Success;
}

Status receive(void* connection, int count, void** data, size_t* bytes, int*, void** handles, void**, void** request) {
  if (count != 1) return Status::InternalError;
  const bool host = static_cast<NetMemory*>(handles[0])->memory.host;
  *request = static_cast<Endpoint*>(connection)->receiver->receive(data[0], bytes[0], host).release();
  return Status::Success;
}

// A receive is reported only when its bytes are in place for kernels, so there is nothing to wait for.
Status flush(void*, int, void**, int*, void**, void** request) {
  *request = nullptr;
  return Status::Success;
}

Status close_send(void* connection) {
  delete static_cast<Endpoint*>(connection);
  return Status::Success;
}

Status close_receive(void* connection) {
  auto* endpoint = static_cast<Endpoint*>(connection);
  plugin().net->close(*endpoint->receiver);
  delete endpoint;
  return Status::Success;
}

// The receiver lives on in the accepted connection.
Status close_listen(void* listener) { return close_send(listener); }

}  // namespace
}  // namespace cuco::nic

extern "C" {
__attribute__((visibility("default"))) cuco::nic::nccl::NetTable ncclNetPlugin_v12 = {
    "cuco_nic",
    cuco::nic::init,
    cuco::nic::devices,
    cuco::nic::get_properties,
    cuco::nic::listen,
    cuco::nic::connect,
    cuco::nic::accept,
    cuco::nic::register_memory,
    cuco::nic::register_dma_buffer,
    cuco::nic::deregister_memory,
    cuco::nic::send,
    cuco::nic::receive,
    cuco::nic::flush,
    cuco::nic::test_request,
    cuco::nic::close_send,
    cuco::nic::close_receive,
    cuco::nic::close_listen,
    nullptr,
    nullptr,
    nullptr,
    cuco::nic::finalize,
    nullptr,
};
}
