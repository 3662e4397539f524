// Membership of a session. A member holds a lock on its own byte of the shared file; the kernel drops it when the
// process ends in whatever way, so that a crash is seen by asking for the lock and no process is mistaken for another
// that got its number. The last member to leave removes the file; what a crash of all of them left behind is emptied by
// the next that comes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "nic/result.h"
#include "nic/segment.h"
#include "nic/settings.h"

namespace cuco::nic {

// A file descriptor that is closed with its owner.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&&) = delete;
  ~File();
  int number() const { return number_; }

 private:
  int number_;
};

class Directory {
 public:
  static Result<std::unique_ptr<Directory>> join(const Settings& settings);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  int self() const { return self_; }
  Segment& segment() { return *segment_; }
  bool is_alive(int member) const;
  uint64_t living() const;  // Bit i: member i is alive.
  Nic& nic_of(int member) { return segment_->nics[segment_->members[member].nic]; }
  Ring& ring_to(int member) { return segment_->rings[self_][member]; }
  Ring& ring_from(int member) { return segment_->rings[member][self_]; }
  uint64_t incarnation(int member) const { return segment_->members[member].incarnation.load(); }
  uint64_t next_serial() { return ++segment_->serials; }

 private:
  Directory(std::string name, File file, Segment* segment)
      : name_(std::move(name)), file_(std::move(file)), segment_(segment) {}

  Result<bool> claim_place(const Settings& settings);
  int choose_nic(const Settings& settings) const;
  void drop_leftovers();
  bool others_alive() const;

  std::string name_;
  File file_;
  Segment* segment_;
  int self_ = -1;
};

// Where the shared file of a session lies while a member is there.
std::string session_path(const std::string& session);

// Removes files of this user's sessions that no process uses any more.
void sweep_stale_sessions();

}  // namespace cuco::nic
