// Messages between two processes in the order of sending, for NCCL's host collectives: a connection has one sender and
// one receiver, and the n-th message goes into the n-th receive.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "nic/adapter.h"

namespace cuco::nic {

// What travels through NCCL's own bootstrap from the one who listens to the one who connects.
struct Handle {
  uint64_t magic;
  uint64_t incarnation;
  uint64_t serial;
  int32_t member;
  int32_t connection;  // -1 in a handle of a group.
};

// The receiving end. It is there from listening on, because a message may come before the connection is accepted.
class Receiver {
 public:
  Receiver(Adapter& adapter, uint32_t connection) : adapter_(adapter), connection_(connection) {}

  std::unique_ptr<Request> receive(void* data, uint64_t bytes, bool host);
  void arrived(Delivery delivery);
  uint32_t connection() const { return connection_; }
  void set_sender(int member) { sender_ = member; }

 private:
  struct Buffer {
    std::byte* data;
    uint64_t bytes;
    uint64_t filled;
    bool host;
    std::shared_ptr<LocalRequest> request;
  };

  void match();

  Adapter& adapter_;
  uint32_t connection_;
  int sender_ = -1;
  std::mutex mutex_;
  std::deque<Delivery> waiting_;
  std::deque<Buffer> buffers_;
};

struct Sender {
  uint32_t connection;
  int receiver;
};

class Net {
 public:
  explicit Net(Adapter& adapter) : adapter_(adapter) {}

  Result<std::shared_ptr<Receiver>> listen(Handle& handle);
  Result<Sender> connect(const Handle& handle);
  bool accept(Receiver& receiver);  // False until the other side has connected.
  std::unique_ptr<Request> send(const Sender& sender, const Origin& origin, uint64_t bytes);
  void close(Receiver& receiver);

  void arrived(Delivery delivery);

 private:
  struct Partial {
    std::unique_ptr<Request> request;
    uint64_t sent = 0;
  };

  std::unique_ptr<Request> send_in_parts(const Sender& sender, const Message& message, const Origin& origin);

  Adapter& adapter_;
  std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<Receiver>> receivers_;
  // Not the mutex of the receivers: who waits for room must not keep messages from being taken.
  std::mutex partials_mutex_;
  std::map<uint32_t, Partial> partials_;  // By connection.
};

}  // namespace cuco::nic
