#include "nic/net.h"

#include <algorithm>

namespace cuco::nic {

std::unique_ptr<Request> Receiver::receive(void* data, uint64_t bytes, bool host) {
  auto request = std::make_unique<Request>();
  request->peer = sender_;
  request->local.push_back(std::make_shared<LocalRequest>());
  const std::lock_guard lock(mutex_);
  buffers_.push_back({static_cast<std::byte*>(data), bytes, 0, host, request->local.front()});
  for (Delivery& delivery : waiting_) delivery.has_waited = true;
  match();
  return request;
}

void Receiver::arrived(Delivery delivery) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(delivery));
  match();
}

void Receiver::match() {
  while (!waiting_.empty() && !buffers_.empty()) {
    Delivery delivery = std::move(waiting_.front());
    waiting_.pop_front();
    Buffer& buffer = buffers_.front();
    delivery.to = buffer.data + buffer.filled;
    delivery.to_host = buffer.host;
    delivery.request = buffer.request;
    buffer.filled += delivery.message.bytes;
    if (buffer.filled > buffer.bytes) delivery.message.fails = 1;
    if (delivery.message.more) {
      ++buffer.request->open_parts;
    } else {
      buffers_.pop_front();
    }
    adapter_.courier().deliver(std::move(delivery));
  }
}

Result<std::shared_ptr<Receiver>> Net::listen(Handle& handle) {
  Directory& directory = adapter_.directory();
  Segment& segment = directory.segment();
  for (uint32_t slot = 0; slot < kConnectionsMax; ++slot) {
    Connection& connection = segment.connections[slot];
    ConnectionState free = ConnectionState::Free;
    if (!connection.state.compare_exchange_strong(free, ConnectionState::Listening)) continue;
    connection.receiver = directory.self();
    connection.serial.store(directory.next_serial());
    handle = {kSegmentMagic, directory.incarnation(directory.self()), connection.serial.load(), directory.self(),
              static_cast<int32_t>(slot)};
    auto receiver = std::make_shared<Receiver>(adapter_, slot);
    const std::lock_guard lock(mutex_);
    receivers_[slot] = receiver;
    return receiver;
  }
  return Error{"the table of connections is full (" + std::to_string(kConnectionsMax) + ")"};
}

Result<Sender> Net::connect(const Handle& handle) {
  Directory& directory = adapter_.directory();
  if (handle.magic != kSegmentMagic)
    return Error{"the peer's handle is not from this plugin: every rank needs the same NCCL_NET_PLUGIN"};
  Connection& connection = directory.segment().connections[handle.connection];
  if (directory.incarnation(handle.member) != handle.incarnation || connection.serial.load() != handle.serial)
    return Error{"the peer that gave this handle is gone, or is in another session (see CUCO_NIC_SESSION)"};
  connection.sender = directory.self();
  connection.state.store(ConnectionState::Connected);
  {
    const std::lock_guard lock(partials_mutex_);
    partials_.erase(static_cast<uint32_t>(handle.connection));
  }
  adapter_.courier().watch(handle.member);
  return Sender{static_cast<uint32_t>(handle.connection), handle.member};
}

bool Net::accept(Receiver& receiver) {
  Connection& connection = adapter_.directory().segment().connections[receiver.connection()];
  ConnectionState connected = ConnectionState::Connected;
  if (!connection.state.compare_exchange_strong(connected, ConnectionState::Accepted)) return false;
  receiver.set_sender(connection.sender);
  adapter_.courier().watch(connection.sender);
  return true;
}

std::unique_ptr<Request> Net::send(const Sender& sender, const Origin& origin, uint64_t bytes) {
  Message message = {};
  message.verb = Verb::Send;
  message.bytes = bytes;
  message.connection = sender.connection;
  const bool in_parts = bytes > kStagedPartBytes && adapter_.stages(origin, bytes, sender.receiver);
  return in_parts ? send_in_parts(sender, message, origin) : adapter_.post(sender.receiver, message, origin, false);
}

// The bounce area is smaller than some messages, and has room again as parts arrive. NCCL asks for the same send again
// until it gets a request.
std::unique_ptr<Request> Net::send_in_parts(const Sender& sender, const Message& message, const Origin& origin) {
  const std::lock_guard lock(partials_mutex_);
  Partial& partial = partials_[sender.connection];
  if (!partial.request) partial.request = std::make_unique<Request>();
  partial.request->peer = sender.receiver;
  while (partial.sent < message.bytes) {
    Message part = message;
    part.bytes = std::min(kStagedPartBytes, message.bytes - partial.sent);
    part.more = partial.sent + part.bytes < message.bytes;
    if (!adapter_.post_part(*partial.request, part, {origin.memory, origin.offset + partial.sent}, false))
      return nullptr;
    partial.sent += part.bytes;
  }
  return std::move(partials_.extract(sender.connection).mapped().request);
}

void Net::close(Receiver& receiver) {
  const std::lock_guard lock(mutex_);
  adapter_.directory().segment().connections[receiver.connection()].state.store(ConnectionState::Free);
  receivers_.erase(receiver.connection());
}

void Net::arrived(Delivery delivery) {
  std::shared_ptr<Receiver> receiver;
  {
    const std::lock_guard lock(mutex_);
    const auto found = receivers_.find(delivery.message.connection);
    if (found != receivers_.end()) receiver = found->second;
  }
  if (receiver) return receiver->arrived(std::move(delivery));
  if (delivery.posted) finish_message(*delivery.posted, true);
}

}  // namespace cuco::nic
