// The emulated NIC of this process: one object, opened by the first communicator and closed by the last. It joins the
// session, starts the thread that delivers, and posts what NCCL's threads want to send.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "nic/bounce.h"
#include "nic/courier.h"
#include "nic/device.h"
#include "nic/directory.h"
#include "nic/recorder.h"
#include "nic/registry.h"
#include "nic/settings.h"

namespace cuco::nic {

// What NCCL asks about until it is done.
struct Request {
  int peer = -1;
  int64_t completion_ns = 0;
  bool dropped = false;                              // The peer was gone before it could be posted.
  std::vector<Posted> parts;                         // A put or send: what the peer has to finish.
  std::vector<std::shared_ptr<LocalRequest>> local;  // A receive, a get, or the gets a flush waits for.
};

enum class Progress : uint8_t { Open, Done, Failed };

// Memory a message comes from.
struct Origin {
  LocalMemory memory;
  uint64_t offset = 0;
};

// A message that goes through the bounce area does so in parts of this size at most.
constexpr uint64_t kStagedPartBytes = 1 << 20;

class Adapter {
 public:
  static Result<std::unique_ptr<Adapter>> open(const Settings& settings, std::unique_ptr<Device> device);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  const Settings& settings() const { return settings_; }
  Directory& directory() { return *directory_; }
  Device& device() { return *device_; }
  Registry& registry() { return registry_; }
  Courier& courier() { return courier_; }
  Recorder& recorder() { return recorder_; }
  void start(Courier::SendArrived send_arrived);

  // Posts the message to the peer. nullptr when `wait` is false and the bounce area has no room.
  std::unique_ptr<Request> post(int peer, Message message, const Origin& origin, bool wait);

  // Whether the bytes go through the bounce area.
  bool stages(const Origin& origin, uint64_t bytes, int peer) const;
  // The same as post, for one part of a request. False when there is no room.
  bool post_part(Request& request, Message message, const Origin& origin, bool wait);

  // Reads the peer's memory, offered under `name`, into the target of the message.
  Result<std::shared_ptr<LocalRequest>> get(int peer, Message message, uint64_t name);

  Progress progress(const Request& request) const;
  void write_statistics();

 private:
  Adapter(Settings settings, std::unique_ptr<Device> device, std::unique_ptr<Directory> directory);

  bool place_source(Message& message, const Origin& origin, int peer);
  bool place_in_bounce(Message& message, const Origin& origin);
  void reclaim_bounce();
  void set_times(Message& message, int peer, int64_t& completion_ns);
  void post_when_room(Request& request, Message message);
  void answer_demand();

  struct InBounce {
    Posted posted;
    uint64_t offset;
    uint64_t bytes;
  };

  Settings settings_;
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Device> device_;  // After the directory: it may have pinned parts of the shared memory.
  Registry registry_;
  Recorder recorder_;
  Courier courier_;
  BounceArea bounce_;
  std::mutex bounce_mutex_;
  std::vector<InBounce> in_bounce_;
  std::array<std::mutex, kMembersMax> post_mutexes_;
  std::atomic<uint64_t> message_count_{0};
};

}  // namespace cuco::nic
