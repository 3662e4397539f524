// The table behind ncclRmaPlugin_v14: NCCL's view of rma.h.
#include "nic/log.h"
#include "nic/plugin.h"
#include "nic/rma.h"

namespace cuco::nic {
namespace {

using nccl::Status;

Status init(void** context, uint64_t, nccl::Logger logger) {
  *context = &plugin();
  return acquire_plugin(logger) ? Status::Success : Status::InvalidUsage;
}

Status get_properties(int, nccl::Properties* properties) {
  fill_properties(*properties, nccl::Offload::GinProxy);
  return Status::Success;
}

Status listen(void*, int, void* handle, void** listener) {
  *static_cast<Handle*>(handle) = make_group_handle(*plugin().adapter);
  *listener = &plugin();
  return Status::Success;
}

// NCCL passes the context of the message table or of this one; both are the same object.
Status connect(void*, void* handles[], int rank_count, int rank, void*, void** group) {
  std::vector<Handle> members;
  for (int i = 0; i < rank_count; ++i) members.push_back(*static_cast<Handle*>(handles[i]));
  Result<std::unique_ptr<Group>> connected = Group::connect(*plugin().adapter, members, rank);
  if (!connected) return fail(connected.error(), Status::RemoteError);
  *group = connected->release();
  return Status::Success;
}

Status create_context(void* group, nccl::RmaConfig* config, void** context) {
  *context = new RmaContext(*static_cast<Group*>(group), config->context_count);
  return Status::Success;
}

Status register_memory(void* group, void* data, size_t bytes, int kind, uint64_t, void** memory) {
  *memory = static_cast<Group*>(group)->add_memory(data, bytes, kind == nccl::kHostMemory);
  return Status::Success;
}

Status register_dma_buffer(void* group, void* data, size_t bytes, int kind, uint64_t, int, uint64_t flags,
                           void** memory) {
  return register_memory(group, data, bytes, kind, flags, memory);
}

Status deregister_memory(void* group, void* memory) {
  static_cast<Group*>(group)->remove_memory(static_cast<GroupMemory*>(memory));
  return Status::Success;
}

Status destroy_context(void* context) {
  delete static_cast<RmaContext*>(context);
  return Status::Success;
}

Status close_group(void* group) {
  delete static_cast<Group*>(group);
  return Status::Success;
}

Status close_listen(void*) { return Status::Success; }

Status put_signal(void* handle, int index, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
                  void* target, uint32_t rank, uint64_t signal_offset, void* signal, uint64_t value, uint32_t operation,
                  bool strong, void** request) {
  auto* context = static_cast<RmaContext*>(handle);
  const int peer = static_cast<int>(rank);
  const uint64_t add = operation == nccl::kSignalIncrement ? 1 : value;
  *request = context->group()
                 .put(context->domain(index, peer), peer, {static_cast<GroupMemory*>(source), source_offset},
                      {static_cast<GroupMemory*>(target), target_offset}, bytes,
                      {static_cast<GroupMemory*>(signal), signal_offset, add, strong})
                 .release();
  return Status::Success;
}

Status put(void* handle, int index, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
           void* target, uint32_t rank, void** request) {
  return put_signal(handle, index, source_offset, source, bytes, target_offset, target, rank, 0, nullptr, 0, 0, false,
                    request);
}

Status get(void* handle, int index, uint64_t remote_offset, void* remote, size_t bytes, uint64_t local_offset,
           void* local, uint32_t rank, void** request) {
  auto* context = static_cast<RmaContext*>(handle);
  const int peer = static_cast<int>(rank);
  auto started = context->group().get(peer, {static_cast<GroupMemory*>(remote), remote_offset},
                                      {static_cast<GroupMemory*>(local), local_offset}, bytes);
  if (!started) return fail(started.error(), Status::InvalidUsage);
  context->remember_get(index, peer, (*started)->local.front());
  *request = started->release();
  return Status::Success;
}

Status flush(void* handle, int index, void*, uint32_t rank, void** request) {
  auto* context = static_cast<RmaContext*>(handle);
  const int peer = static_cast<int>(rank);
  auto waiting = std::make_unique<Request>();
  waiting->peer = context->group().member_of(peer);
  waiting->local = context->open_gets(index, peer);
  *request = waiting->local.empty() ? nullptr : waiting.release();
  return Status::Success;
}

Status test(void* group, void* request, int* done) {
  const Status status = test_request(request, done, nullptr);
  if (status == Status::Success) return status;
  static_cast<Group*>(group)->note_failure();
  log_warning("a request ended in an error");
  return status;
}

Status query_error(void* context, bool* has_error) {
  *has_error = static_cast<RmaContext*>(context)->group().has_failed();
  return Status::Success;
}

}  // namespace
}  // namespace cuco::nic

extern "C" {
__attribute__((visibility("default"))) cuco::nic::nccl::RmaTable ncclRmaPlugin_v14 = {
    "cuco_nic",
    cuco::nic::init,
    cuco::nic::devices,
    cuco::nic::get_properties,
    cuco::nic::listen,
    cuco::nic::connect,
    cuco::nic::create_context,
    cuco::nic::register_memory,
    cuco::nic::register_dma_buffer,
    cuco::nic::deregister_memory,
    cuco::nic::destroy_context,
    cuco::nic::close_group,
    cuco::nic::close_listen,
    cuco::nic::put,
    cuco::nic::put_signal,
    cuco::nic::get,
    cuco::nic::flush,
    cuco::nic::test,
    nullptr,
    cuco::nic::query_error,
    cuco::nic::finalize,
};
}
