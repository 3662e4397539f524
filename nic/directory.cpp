#include "nic/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "nic/ring.h"

namespace cuco::nic {
namespace {

constexpr const char* kFolder = "/dev/shm";

std::string file_prefix() { return concat("cuco_nic.", std::to_string(getuid()), "."); }

std::string file_name(const std::string& session) {
  return concat("/", file_prefix(), std::to_string(std::hash<std::string>{}(session)));
}

Error system_error(const std::string& what) { return Error{what + ": " + std::strerror(errno)}; }

struct flock byte_lock(short type, int member, int count = 1) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = member;
  lock.l_len = count;
  return lock;
}

bool lock_byte(int file, int member, short type = F_WRLCK) {
  struct flock lock = byte_lock(type, member);
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool is_locked_by_others(int file, int member, int count = 1) {
  struct flock lock = byte_lock(F_WRLCK, member, count);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Joining and leaving exclude each other; the lock ends with the scope.
class JoinLock {
 public:
  explicit JoinLock(int file) : file_(file) { flock(file_, LOCK_EX); }
  ~JoinLock() { flock(file_, LOCK_UN); }
  JoinLock(const JoinLock&) = delete;
  JoinLock& operator=(const JoinLock&) = delete;

 private:
  int file_;
};

// A member that left last may remove the name between our opening and our locking of the file.
bool has_name(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && status.st_nlink > 0;
}

Result<bool> prepare_size(int file) {
  const bool in_use = is_locked_by_others(file, 0, kMembersMax);
  if (!in_use && ftruncate(file, 0) != 0) return system_error("emptying the shared file of the session");
  if (ftruncate(file, sizeof(Segment)) != 0) return system_error("sizing the shared file of the session");
  return true;
}

// Pages are asked for here, because a full /dev/shm would otherwise end the process with SIGBUS in the middle of a run.
Result<bool> reserve_pages(int file, int member) {
  const auto fixed = static_cast<off_t>(offsetof(Segment, rings));
  const auto rings = static_cast<off_t>(offsetof(Segment, bounce));
  const auto bounce = rings + static_cast<off_t>(kBounceBytes) * member;
  const int code = posix_fallocate(file, 0, fixed);
  const int bounce_code = posix_fallocate(file, bounce, static_cast<off_t>(kBounceBytes));
  if (code == 0 && bounce_code == 0) return true;
  return Error{std::string("/dev/shm has no room for the emulated NIC (a rank needs about 12 MiB): ") +
               std::strerror(code ? code : bounce_code)};
}

Result<Segment*> map_segment(int file) {
  void* address = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED) return system_error("mapping the shared file of the session");
  auto* segment = static_cast<Segment*>(address);
  if (segment->magic == 0) segment->magic = kSegmentMagic;
  if (segment->magic == kSegmentMagic) return segment;
  munmap(address, sizeof(Segment));
  return Error{"another version of the emulated NIC runs in this session; set CUCO_NIC_SESSION to a name of your own"};
}

}  // namespace

File::~File() {
  if (number_ >= 0) close(number_);
}

Result<std::unique_ptr<Directory>> Directory::join(const Settings& settings) {
  const std::string name = file_name(settings.session);
  for (;;) {
    File file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.number() < 0) return system_error("opening the shared file " + name);
    const JoinLock lock(file.number());
    if (!has_name(file.number())) continue;
    const Result<bool> sized = prepare_size(file.number());
    if (!sized) return sized.error();
    const Result<Segment*> segment = map_segment(file.number());
    if (!segment) return segment.error();
    std::unique_ptr<Directory> directory(new Directory(name, std::move(file), *segment));
    const Result<bool> claimed = directory->claim_place(settings);
    if (!claimed) return claimed.error();
    return directory;
  }
}

Result<bool> Directory::claim_place(const Settings& settings) {
  for (int i = 0; i < kMembersMax && self_ < 0; ++i)
    if (lock_byte(file_.number(), i)) self_ = i;
  if (self_ < 0)
    return Error{concat("the session already has ", std::to_string(kMembersMax),
                        " processes; set CUCO_NIC_SESSION to a name of your own")};
  const Result<bool> reserved = reserve_pages(file_.number(), self_);
  if (!reserved) return reserved;
  drop_leftovers();
  Member& member = segment_->members[self_];
  member.pid = getpid();
  member.node = std::hash<std::string>{}(settings.node);
  member.nic = choose_nic(settings);
  const uint64_t last = member.incarnation.load();
  member.incarnation.store(last + (last % 2 ? 2 : 1));
  return true;
}

int Directory::choose_nic(const Settings& settings) const {
  uint32_t taken = 0;
  for (int i = 0; i < kMembersMax; ++i) {
    const Member& other = segment_->members[i];
    if (i == self_ || !is_alive(i)) continue;
    if (settings.sharing == Sharing::Node && other.node == segment_->members[self_].node) return other.nic;
    taken |= 1u << other.nic;
  }
  // At most kMembersMax - 1 others are there, so one index is free.
  int nic = 0;
  while ((taken >> nic) & 1) ++nic;
  segment_->nics[nic].~Nic();
  new (&segment_->nics[nic]) Nic();
  return nic;
}

void Directory::drop_leftovers() {
  for (int i = 0; i < kMembersMax; ++i) {
    skip_unwritten(ring_to(i));
    skip_unread(ring_from(i));
  }
  for (Registration& registration : segment_->registrations)
    if (registration.owner == self_ && registration.state.load() != RegistrationState::Free)
      registration.state.store(RegistrationState::Free);
  for (Connection& connection : segment_->connections)
    if (connection.receiver == self_) connection.state.store(ConnectionState::Free);
}

bool Directory::is_alive(int member) const { return member == self_ || is_locked_by_others(file_.number(), member); }

uint64_t Directory::living() const {
  uint64_t members = 0;
  for (int i = 0; i < kMembersMax; ++i)
    if (is_alive(i)) members |= uint64_t{1} << i;
  return members;
}

bool Directory::others_alive() const { return is_locked_by_others(file_.number(), 0, kMembersMax); }

Directory::~Directory() {
  const JoinLock lock(file_.number());
  if (self_ >= 0) ++segment_->members[self_].incarnation;
  // Before the join lock goes: two that leave together would each take the other for alive and leave the file behind.
  if (self_ >= 0) lock_byte(file_.number(), self_, F_UNLCK);
  if (!others_alive()) shm_unlink(name_.c_str());
  munmap(segment_, sizeof(Segment));
}

std::string session_path(const std::string& session) { return kFolder + file_name(session); }

void sweep_stale_sessions() {
  std::error_code code;
  for (const auto& item : std::filesystem::directory_iterator(kFolder, code)) {
    const std::string name = item.path().filename().string();
    if (name.compare(0, file_prefix().size(), file_prefix()) != 0) continue;
    const File file(shm_open(concat("/", name).c_str(), O_RDWR | O_CLOEXEC, 0600));
    if (file.number() < 0) continue;
    const JoinLock lock(file.number());
    if (has_name(file.number()) && !is_locked_by_others(file.number(), 0, kMembersMax))
      shm_unlink(concat("/", name).c_str());
  }
}

}  // namespace cuco::nic
