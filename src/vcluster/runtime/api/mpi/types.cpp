// MPI's derived datatypes and the program's own reductions. A type's handle holds its size in the upper half; one whose
// elements lie apart has its number in the lower half, and messages of it are packed and unpacked. Collectives take
// types without gaps only.
#include <algorithm>
#include <cstring>

#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

struct cuco_mpi_op {
  MPI_User_function* function;
};

namespace {

constexpr uintptr_t kFirstDerived = 0x1000;

struct Piece {
  ptrdiff_t at;
  size_t bytes;
};
struct DerivedType {
  ptrdiff_t extent = 0;
  std::vector<Piece> pieces;
};

std::vector<DerivedType>& derived_types() {
  static std::vector<DerivedType> types;
  return types;
}

const DerivedType* derived(MPI_Datatype type) {
  uintptr_t number = reinterpret_cast<uintptr_t>(type) & 0xffffffffu;
  if (number < kFirstDerived || number - kFirstDerived >= derived_types().size()) return nullptr;
  return &derived_types()[number - kFirstDerived];
}

ptrdiff_t extent_of(MPI_Datatype type) {
  const DerivedType* known = derived(type);
  return known ? known->extent : static_cast<ptrdiff_t>(mpi_size_of(type));
}

void append(DerivedType& into, MPI_Datatype element, ptrdiff_t at) {
  const DerivedType* known = derived(element);
  std::vector<Piece> pieces = known ? known->pieces : std::vector<Piece>{{0, mpi_size_of(element)}};
  for (const Piece& piece : pieces) {
    bool follows = !into.pieces.empty() &&
                   into.pieces.back().at + static_cast<ptrdiff_t>(into.pieces.back().bytes) == at + piece.at;
    if (follows)
      into.pieces.back().bytes += piece.bytes;
    else
      into.pieces.push_back({at + piece.at, piece.bytes});
  }
  into.extent = std::max(into.extent, at + extent_of(element));
}

MPI_Datatype handle_of(DerivedType made) {
  size_t size = 0;
  for (const Piece& piece : made.pieces) size += piece.bytes;
  bool is_plain = made.pieces.size() == 1 && made.pieces[0].at == 0 && made.extent == static_cast<ptrdiff_t>(size);
  if (is_plain) return reinterpret_cast<MPI_Datatype>(size << 32);
  derived_types().push_back(std::move(made));
  return reinterpret_cast<MPI_Datatype>(size << 32 | (kFirstDerived + derived_types().size() - 1));
}

// Blocks of elements, each at a distance in bytes.
template <typename Length, typename Distance>
MPI_Datatype blocks_of(int count, MPI_Datatype element, Length length, Distance distance) {
  DerivedType made;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < length(i); k++) append(made, element, distance(i) + k * extent_of(element));
  return handle_of(std::move(made));
}

template <typename Move>
void for_pieces(MPI_Datatype type, size_t bytes, const Move& move) {
  const DerivedType& known = *derived(type);
  for (ptrdiff_t element = 0; bytes > 0; element++)
    for (const Piece& piece : known.pieces) {
      size_t now = std::min(bytes, piece.bytes);
      move(element * known.extent + piece.at, now);
      bytes -= now;
    }
}

}  // namespace

namespace cuco::vcluster {

bool mpi_has_gaps(MPI_Datatype type) { return derived(type) != nullptr; }

size_t mpi_span_of(int count, MPI_Datatype type) {
  const DerivedType* known = derived(type);
  if (!known) return static_cast<size_t>(count) * mpi_size_of(type);
  if (count == 0) return 0;
  ptrdiff_t end = 0;
  for (const Piece& piece : known->pieces) end = std::max(end, piece.at + static_cast<ptrdiff_t>(piece.bytes));
  return static_cast<size_t>((count - 1) * known->extent + end);
}

void mpi_pack(char* to, const void* from, MPI_Datatype type, size_t bytes) {
  for_pieces(type, bytes, [&](ptrdiff_t at, size_t now) {
    std::memcpy(to, static_cast<const char*>(from) + at, now);
    to += now;
  });
}

void mpi_unpack(void* to, const char* from, MPI_Datatype type, size_t bytes) {
  for_pieces(type, bytes, [&](ptrdiff_t at, size_t now) {
    std::memcpy(static_cast<char*>(to) + at, from, now);
    from += now;
  });
}

// The program's function works on memory of its own process.
bool mpi_reduce_by_program(void* into, const void* from, int count, MPI_Datatype type, MPI_Op op) {
  const cuco_mpi_op* own = Handles<cuco_mpi_op>::find(op);
  if (!own) return false;
  size_t bytes = static_cast<size_t>(count) * mpi_size_of(type);
  char* room = static_cast<char*>(current_process().heap.allocate(2 * bytes + 64, 64));
  char* second = room + (bytes + 31) / 32 * 32;
  std::memcpy(room, into, bytes);
  std::memcpy(second, from, bytes);
  own->function(room, second, &count, &type);
  std::memcpy(into, second, bytes);
  std::free(room);
  return true;
}

}  // namespace cuco::vcluster

extern "C" {

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* out) {
  *out = blocks_of(
      count, old, [=](int) { return length; }, [=](int i) { return i * stride * extent_of(old); });
  return MPI_SUCCESS;
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* out) {
  *out = blocks_of(
      count, old, [=](int) { return length; }, [=](int i) { return i * stride; });
  return MPI_SUCCESS;
}
int MPI_Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype old, MPI_Datatype* out) {
  *out = blocks_of(
      count, old, [=](int i) { return lengths[i]; }, [=](int i) { return displacements[i] * extent_of(old); });
  return MPI_SUCCESS;
}
int MPI_Type_create_indexed_block(int count, int length, const int displacements[], MPI_Datatype old,
                                  MPI_Datatype* out) {
  *out = blocks_of(
      count, old, [=](int) { return length; }, [=](int i) { return displacements[i] * extent_of(old); });
  return MPI_SUCCESS;
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype old,
                             MPI_Datatype* out) {
  *out = blocks_of(
      count, old, [=](int i) { return lengths[i]; }, [=](int i) { return displacements[i]; });
  return MPI_SUCCESS;
}
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                           MPI_Datatype* out) {
  DerivedType made;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < lengths[i]; k++) append(made, types[i], displacements[i] + k * extent_of(types[i]));
  *out = handle_of(std::move(made));
  return MPI_SUCCESS;
}
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint, MPI_Aint extent, MPI_Datatype* out) {
  DerivedType made;
  append(made, old, 0);
  made.extent = extent;
  *out = handle_of(std::move(made));
  return MPI_SUCCESS;
}
int MPI_Type_create_subarray(int dims, const int sizes[], const int subsizes[], const int starts[], int order,
                             MPI_Datatype old, MPI_Datatype* out) {
  DerivedType made;
  size_t count = 1, whole = 1;
  for (int d = 0; d < dims; d++) count *= static_cast<size_t>(subsizes[d]), whole *= static_cast<size_t>(sizes[d]);
  for (size_t i = 0; i < count; i++) {
    size_t rest = i, at = 0, step = 1;
    for (int k = 0; k < dims; k++) {
      int d = order == MPI_ORDER_C ? dims - 1 - k : k;
      at += (static_cast<size_t>(starts[d]) + rest % static_cast<size_t>(subsizes[d])) * step;
      rest /= static_cast<size_t>(subsizes[d]);
      step *= static_cast<size_t>(sizes[d]);
    }
    append(made, old, static_cast<ptrdiff_t>(at) * extent_of(old));
  }
  made.extent = static_cast<ptrdiff_t>(whole) * extent_of(old);
  *out = handle_of(std::move(made));
  return MPI_SUCCESS;
}
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* out) {
  *out = blocks_of(
      1, old, [=](int) { return count; }, [](int) { return 0; });
  return MPI_SUCCESS;
}
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype* out) {
  *out = old;
  return MPI_SUCCESS;
}
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  *lower = 0;
  *extent = extent_of(type);
  return MPI_SUCCESS;
}
int MPI_Type_extent(MPI_Datatype type, MPI_Aint* extent) {
  *extent = extent_of(type);
  return MPI_SUCCESS;
}

int MPI_Op_create(MPI_User_function* function, int, MPI_Op* op) {
  *op = Handles<cuco_mpi_op>::open(new cuco_mpi_op{function});
  return MPI_SUCCESS;
}
int MPI_Op_free(MPI_Op* op) {
  delete Handles<cuco_mpi_op>::close(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  std::vector<char> result(static_cast<const char*>(in), static_cast<const char*>(in) + mpi_span_of(count, type));
  mpi_reduce(result.data(), inout, count, type, op);
  std::memcpy(inout, result.data(), result.size());
  return MPI_SUCCESS;
}

void cuco_mpi_set_cart(MPI_Comm handle, int count, const int dims[], const int periods[]) {
  cuco_mpi_comm& comm = mpi_comm(handle);
  comm.dims.assign(dims, dims + count);
  comm.periods.assign(periods, periods + count);
  comm.is_grid = true;
}
int cuco_mpi_cart(MPI_Comm handle, int dims[], int periods[]) {
  const cuco_mpi_comm& comm = mpi_comm(handle);
  if (!comm.is_grid) return -1;
  if (dims) std::copy(comm.dims.begin(), comm.dims.end(), dims);
  if (periods) std::copy(comm.periods.begin(), comm.periods.end(), periods);
  return static_cast<int>(comm.dims.size());
}
int cuco_mpi_world_rank(MPI_Comm handle, int rank) {
  return mpi_comm(handle).shared->members.at(static_cast<size_t>(rank));
}
}
