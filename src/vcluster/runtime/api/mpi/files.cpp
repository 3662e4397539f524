// MPI's files: those of the system, with a position for each rank. Collective calls wait for all ranks that opened the
// file; bytes are moved by each for itself.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

struct cuco_mpi_file {
  MPI_Comm comm;
  std::string name;
  int descriptor, mode;
  MPI_Offset begin = 0;     // Of the view, in bytes.
  MPI_Offset unit = 1;      // What offsets count, in bytes.
  MPI_Offset position = 0;  // In the view, in bytes.
};

namespace {

int flags_of(int mode) {
  int flags = mode & MPI_MODE_RDWR ? O_RDWR : mode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY;
  return flags | (mode & MPI_MODE_CREATE ? O_CREAT : 0);
}

// MPI_MODE_EXCL and MPI_MODE_CREATE are for all ranks together: the first of them makes the file.
int open_one(const char* name, int mode, bool is_first) {
  int flags = flags_of(mode) | (is_first && mode & MPI_MODE_EXCL ? O_EXCL : 0);
  return open(name, flags, 0666);
}

int error_now() { return errno == ENOENT ? MPI_ERR_NO_SUCH_FILE : errno == EEXIST ? MPI_ERR_FILE_EXISTS : MPI_ERR_IO; }

cuco_mpi_file& file_of(MPI_File handle) {
  cuco_mpi_file* file = Handles<cuco_mpi_file>::find(handle);
  if (!file) mpi_refuse("a file that is not open");
  return *file;
}

void fill(MPI_Status* status, size_t bytes) {
  if (status) *status = {0, 0, MPI_SUCCESS, bytes};
}

MPI_Offset size_of(const cuco_mpi_file& file) {
  struct stat about = {};
  return fstat(file.descriptor, &about) == 0 ? about.st_size : 0;
}

// As many bytes as there are. `move` is pread or pwrite.
template <typename Byte, typename Move>
size_t move_all(Byte* bytes, size_t count, off_t at, Move move) {
  size_t done = 0;
  while (done < count) {
    ssize_t moved = move(bytes + done, count - done, at + static_cast<off_t>(done));
    if (moved <= 0) break;
    done += static_cast<size_t>(moved);
  }
  return done;
}

size_t read_at(cuco_mpi_file& file, MPI_Offset at, void* to, int count, MPI_Datatype type) {
  std::vector<char> bytes(static_cast<size_t>(count) * mpi_size_of(type));
  size_t read = move_all(bytes.data(), bytes.size(), file.begin + at,
                         [&](char* into, size_t n, off_t from) { return pread(file.descriptor, into, n, from); });
  mpi_has_gaps(type) ? mpi_unpack(to, bytes.data(), type, read) : void(std::memcpy(to, bytes.data(), read));
  return read;
}

size_t write_at(cuco_mpi_file& file, MPI_Offset at, const void* from, int count, MPI_Datatype type) {
  std::vector<char> bytes(static_cast<size_t>(count) * mpi_size_of(type));
  mpi_has_gaps(type) ? mpi_pack(bytes.data(), from, type, bytes.size())
                     : void(std::memcpy(bytes.data(), from, bytes.size()));
  return move_all(bytes.data(), bytes.size(), file.begin + at,
                  [&](const char* of, size_t n, off_t to) { return pwrite(file.descriptor, of, n, to); });
}

enum class Where { AtOffset, AtPosition };
enum class Who { One, All };

// What all reads and writes are.
template <typename Buffer, typename Move>
int transfer(MPI_File handle, Where where, MPI_Offset offset, Buffer* buffer, int count, MPI_Datatype type,
             MPI_Status* status, Who who, Move move) {
  cuco_mpi_file& file = file_of(handle);
  bool moves_on = where == Where::AtPosition;
  size_t moved = move(file, moves_on ? file.position : offset * file.unit, buffer, count, type);
  if (moves_on) file.position += static_cast<MPI_Offset>(moved);
  fill(status, moved);
  if (who == Who::All) MPI_Barrier(file.comm);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info, MPI_File* file) {
  int rank = 0, failure = 0, error = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  int descriptor = rank == 0 ? open_one(name, mode, true) : -1;
  if (rank == 0 && descriptor < 0) error = error_now();
  MPI_Bcast(&error, 1, MPI_INT, 0, comm);
  if (rank != 0 && error == MPI_SUCCESS) descriptor = open_one(name, mode, false);
  failure = error != MPI_SUCCESS ? error : descriptor < 0 ? error_now() : MPI_SUCCESS;
  *file = MPI_FILE_NULL;
  if (failure != MPI_SUCCESS) return failure;
  auto* opened = new cuco_mpi_file{comm, name, descriptor, mode};
  if (mode & MPI_MODE_APPEND) opened->position = size_of(*opened);
  *file = Handles<cuco_mpi_file>::open(opened);
  return MPI_SUCCESS;
}
int MPI_File_close(MPI_File* file) {
  cuco_mpi_file& own = file_of(*file);
  MPI_Barrier(own.comm);
  close(own.descriptor);
  if (own.mode & MPI_MODE_DELETE_ON_CLOSE) unlink(own.name.c_str());
  delete Handles<cuco_mpi_file>::close(*file);
  *file = MPI_FILE_NULL;
  return MPI_SUCCESS;
}
int MPI_File_delete(const char* name, MPI_Info) { return unlink(name) == 0 ? MPI_SUCCESS : error_now(); }
int MPI_File_get_size(MPI_File file, MPI_Offset* size) { return *size = size_of(file_of(file)), MPI_SUCCESS; }
int MPI_File_set_size(MPI_File file, MPI_Offset size) {
  cuco_mpi_file& own = file_of(file);
  int failure = ftruncate(own.descriptor, size);
  MPI_Barrier(own.comm);
  return failure == 0 ? MPI_SUCCESS : MPI_ERR_IO;
}
int MPI_File_preallocate(MPI_File file, MPI_Offset size) {
  return MPI_File_set_size(file, std::max(size, size_of(file_of(file))));
}
int MPI_File_get_amode(MPI_File file, int* mode) { return *mode = file_of(file).mode, MPI_SUCCESS; }
int MPI_File_set_view(MPI_File file, MPI_Offset begin, MPI_Datatype element, MPI_Datatype type, const char*, MPI_Info) {
  if (mpi_has_gaps(element) || mpi_has_gaps(type))
    mpi_refuse("a view of a file with gaps, which is not supported here");
  cuco_mpi_file& own = file_of(file);
  own.begin = begin, own.unit = static_cast<MPI_Offset>(mpi_size_of(element)), own.position = 0;
  MPI_Barrier(own.comm);
  return MPI_SUCCESS;
}
int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence) {
  cuco_mpi_file& own = file_of(file);
  MPI_Offset from = whence == MPI_SEEK_CUR ? own.position : whence == MPI_SEEK_END ? size_of(own) - own.begin : 0;
  own.position = from + offset * own.unit;
  return MPI_SUCCESS;
}
int MPI_File_get_position(MPI_File file, MPI_Offset* offset) {
  cuco_mpi_file& own = file_of(file);
  return *offset = own.position / own.unit, MPI_SUCCESS;
}
int MPI_File_sync(MPI_File file) { return MPI_Barrier(file_of(file).comm); }
int MPI_File_set_errhandler(MPI_File, MPI_Errhandler) { return MPI_SUCCESS; }

int MPI_File_read(MPI_File file, void* to, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtPosition, 0, to, count, type, status, Who::One, read_at);
}
int MPI_File_read_all(MPI_File file, void* to, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtPosition, 0, to, count, type, status, Who::All, read_at);
}
int MPI_File_read_at(MPI_File file, MPI_Offset at, void* to, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtOffset, at, to, count, type, status, Who::One, read_at);
}
int MPI_File_read_at_all(MPI_File file, MPI_Offset at, void* to, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtOffset, at, to, count, type, status, Who::All, read_at);
}
int MPI_File_write(MPI_File file, const void* from, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtPosition, 0, from, count, type, status, Who::One, write_at);
}
int MPI_File_write_all(MPI_File file, const void* from, int count, MPI_Datatype type, MPI_Status* status) {
  return transfer(file, Where::AtPosition, 0, from, count, type, status, Who::All, write_at);
}
int MPI_File_write_at(MPI_File file, MPI_Offset at, const void* from, int count, MPI_Datatype type,
                      MPI_Status* status) {
  return transfer(file, Where::AtOffset, at, from, count, type, status, Who::One, write_at);
}
int MPI_File_write_at_all(MPI_File file, MPI_Offset at, const void* from, int count, MPI_Datatype type,
                          MPI_Status* status) {
  return transfer(file, Where::AtOffset, at, from, count, type, status, Who::All, write_at);
}
}
