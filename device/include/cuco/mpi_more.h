// Calls of MPI that come down to others: topologies, groups, further forms of waiting and of collectives. Non-blocking
// collectives are made when they are called, which waits for all ranks.
#pragma once

#include <stdlib.h>
#include <string.h>

#define CUCO_MPI static inline

// How a number of processes fills dimensions: as near to each other as its factors allow, larger ones first.
CUCO_MPI int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  int left = nnodes, open = 0, i, factor;
  for (i = 0; i < ndims; i++) {
    if (dims[i] == 0) open++;
    else if (dims[i] < 0 || left % dims[i] != 0) return MPI_ERR_DIMS;
    else left /= dims[i];
  }
  for (i = 0; i < ndims && open > 0; i++) {
    int best = left, above;
    if (dims[i] != 0) continue;
    // The smallest divisor whose power by what is still open reaches `left`.
    for (factor = 1; factor <= left; factor++) {
      double power = 1;
      int k;
      for (k = 0; k < open; k++) power *= factor;
      if (left % factor == 0 && power >= left) {
        best = factor;
        break;
      }
    }
    above = best;
    dims[i] = above, left /= above, open--;
  }
  return left == 1 ? MPI_SUCCESS : MPI_ERR_DIMS;
}

CUCO_MPI int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                             MPI_Comm* comm_cart) {
  int rank, size = 1, i;
  (void)reorder;
  MPI_Comm_rank(comm_old, &rank);
  for (i = 0; i < ndims; i++) size *= dims[i];
  MPI_Comm_split(comm_old, rank < size ? 0 : MPI_UNDEFINED, rank, comm_cart);
  if (*comm_cart != MPI_COMM_NULL) cuco_mpi_set_cart(*comm_cart, ndims, dims, periods);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  *ndims = cuco_mpi_cart(comm, 0, 0);
  return *ndims < 0 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}
CUCO_MPI int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  int dims[16], periods[16], ndims = cuco_mpi_cart(comm, dims, periods), i;
  if (ndims < 0) return MPI_ERR_TOPOLOGY;
  for (i = ndims - 1; i >= 0; rank /= dims[i], i--)
    if (i < maxdims) coords[i] = rank % dims[i];
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  int dims[16], periods[16], ndims = cuco_mpi_cart(comm, dims, periods), i, at = 0;
  if (ndims < 0) return MPI_ERR_TOPOLOGY;
  for (i = 0; i < ndims; i++) {
    int c = coords[i];
    if (periods[i]) c = ((c % dims[i]) + dims[i]) % dims[i];
    if (c < 0 || c >= dims[i]) return MPI_ERR_ARG;
    at = at * dims[i] + c;
  }
  *rank = at;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  int d[16], p[16], ndims = cuco_mpi_cart(comm, d, p), rank, i;
  if (ndims < 0) return MPI_ERR_TOPOLOGY;
  for (i = 0; i < ndims && i < maxdims; i++) dims[i] = d[i], periods[i] = p[i];
  MPI_Comm_rank(comm, &rank);
  return MPI_Cart_coords(comm, rank, maxdims, coords);
}
CUCO_MPI int cuco_mpi_neighbour(MPI_Comm comm, int direction, int disp) {
  int dims[16], periods[16], coords[16], rank, ndims = cuco_mpi_cart(comm, dims, periods);
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, ndims, coords);
  coords[direction] += disp;
  if (!periods[direction] && (coords[direction] < 0 || coords[direction] >= dims[direction])) return MPI_PROC_NULL;
  MPI_Cart_rank(comm, coords, &rank);
  return rank;
}
CUCO_MPI int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest) {
  if (cuco_mpi_cart(comm, 0, 0) <= direction) return MPI_ERR_TOPOLOGY;
  *rank_source = cuco_mpi_neighbour(comm, direction, -disp);
  *rank_dest = cuco_mpi_neighbour(comm, direction, disp);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  int dims[16], periods[16], coords[16], kept_dims[16], kept_periods[16], kept = 0, color = 0, key = 0, rank, i;
  int ndims = cuco_mpi_cart(comm, dims, periods);
  if (ndims < 0) return MPI_ERR_TOPOLOGY;
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, ndims, coords);
  for (i = 0; i < ndims; i++) {
    if (!remain_dims[i]) color = color * dims[i] + coords[i];
    else key = key * dims[i] + coords[i], kept_dims[kept] = dims[i], kept_periods[kept++] = periods[i];
  }
  MPI_Comm_split(comm, color, key, newcomm);
  cuco_mpi_set_cart(*newcomm, kept, kept_dims, kept_periods);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  (void)ndims, (void)dims, (void)periods;
  return MPI_Comm_rank(comm, newrank);
}
CUCO_MPI int MPI_Topo_test(MPI_Comm comm, int* status) {
  *status = cuco_mpi_cart(comm, 0, 0) >= 0 ? MPI_CART : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// Groups are lists of ranks of the world.
CUCO_MPI int MPI_Group_size(MPI_Group group, int* size) { *size = group->size; return MPI_SUCCESS; }
CUCO_MPI MPI_Group cuco_mpi_group(int size) {
  MPI_Group made = (MPI_Group)malloc(sizeof(struct cuco_mpi_group) + (size_t)(size > 0 ? size : 1) * sizeof(int));
  made->size = size;
  return made;
}
CUCO_MPI int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  int size, i;
  MPI_Comm_size(comm, &size);
  *group = cuco_mpi_group(size);
  for (i = 0; i < size; i++) (*group)->ranks[i] = cuco_mpi_world_rank(comm, i);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Group_rank(MPI_Group group, int* rank) {
  int self, i;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  *rank = MPI_UNDEFINED;
  for (i = 0; i < group->size; i++)
    if (group->ranks[i] == self) *rank = i;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  int i;
  *newgroup = cuco_mpi_group(n);
  for (i = 0; i < n; i++) (*newgroup)->ranks[i] = group->ranks[ranks[i]];
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  int i, k, count = 0;
  *newgroup = cuco_mpi_group(group->size);
  for (i = 0; i < group->size; i++) {
    int out = 0;
    for (k = 0; k < n; k++) out = out || ranks[k] == i;
    if (!out) (*newgroup)->ranks[count++] = group->ranks[i];
  }
  (*newgroup)->size = count;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  int i, k;
  for (i = 0; i < n; i++) {
    ranks2[i] = MPI_UNDEFINED;
    for (k = 0; k < group2->size; k++)
      if (group2->ranks[k] == group1->ranks[ranks1[i]]) ranks2[i] = k;
  }
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Group_free(MPI_Group* group) {
  free(*group);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  int rank;
  MPI_Group_rank(group, &rank);
  return MPI_Comm_split(comm, rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, rank, newcomm);
}
CUCO_MPI int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  int size1, size2, i;
  MPI_Comm_size(comm1, &size1);
  MPI_Comm_size(comm2, &size2);
  *result = comm1 == comm2 ? MPI_IDENT : size1 != size2 ? MPI_UNEQUAL : MPI_CONGRUENT;
  for (i = 0; i < size1 && i < size2; i++)
    if (cuco_mpi_world_rank(comm1, i) != cuco_mpi_world_rank(comm2, i)) *result = MPI_UNEQUAL;
  return MPI_SUCCESS;
}

// What needs no answer of its own.
CUCO_MPI int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) { (void)comm, (void)errhandler; return MPI_SUCCESS; }
CUCO_MPI int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { (void)comm, (void)errhandler; return MPI_SUCCESS; }
CUCO_MPI int MPI_Error_class(int errorcode, int* errorclass) { *errorclass = errorcode; return MPI_SUCCESS; }
CUCO_MPI int MPI_Comm_set_name(MPI_Comm comm, const char* name) { (void)comm, (void)name; return MPI_SUCCESS; }
// The attributes that MPI itself sets.
CUCO_MPI int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  static int tag_ub = 0x7fffffef, wtime_is_global = 1;
  (void)comm;
  *flag = comm_keyval == MPI_TAG_UB || comm_keyval == MPI_WTIME_IS_GLOBAL;
  if (*flag) *(int**)attribute_val = comm_keyval == MPI_TAG_UB ? &tag_ub : &wtime_is_global;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return MPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}
CUCO_MPI int MPI_Is_thread_main(int* flag) { *flag = 1; return MPI_SUCCESS; }
CUCO_MPI int MPI_Info_create(MPI_Info* info) { *info = (MPI_Info)1; return MPI_SUCCESS; }
CUCO_MPI int MPI_Info_set(MPI_Info info, const char* key, const char* value) { (void)info, (void)key, (void)value; return MPI_SUCCESS; }
CUCO_MPI int MPI_Info_free(MPI_Info* info) { *info = MPI_INFO_NULL; return MPI_SUCCESS; }
CUCO_MPI int MPI_Get_library_version(char* version, int* resultlen) {
  strcpy(version, "MPI of cuco's virtual cluster");
  *resultlen = (int)strlen(version);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Get_address(const void* location, MPI_Aint* address) { *address = (MPI_Aint)location; return MPI_SUCCESS; }
CUCO_MPI int MPI_Address(void* location, MPI_Aint* address) { *address = (MPI_Aint)location; return MPI_SUCCESS; }
CUCO_MPI MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }
CUCO_MPI MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b) { return a - b; }
CUCO_MPI int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  (void)info;
  *(void**)baseptr = malloc((size_t)size);
  return *(void**)baseptr ? MPI_SUCCESS : MPI_ERR_OTHER;
}
CUCO_MPI int MPI_Free_mem(void* base) { free(base); return MPI_SUCCESS; }
CUCO_MPI int MPI_Buffer_attach(void* buffer, int size) { (void)buffer, (void)size; return MPI_SUCCESS; }
CUCO_MPI int MPI_Buffer_detach(void* buffer_addr, int* size) { (void)buffer_addr; *size = 0; return MPI_SUCCESS; }
CUCO_MPI int MPI_Pcontrol(const int level, ...) { (void)level; return MPI_SUCCESS; }
CUCO_MPI int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return MPI_Get_count(status, datatype, count);
}
CUCO_MPI int MPI_Test_cancelled(const MPI_Status* status, int* flag) { (void)status; *flag = 0; return MPI_SUCCESS; }

// Further sends: a buffered or ready one is a send that MPI may buffer.
CUCO_MPI int MPI_Rsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return MPI_Send(buf, count, type, dest, tag, comm);
}
CUCO_MPI int MPI_Bsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return MPI_Send(buf, count, type, dest, tag, comm);
}
CUCO_MPI int MPI_Irsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* r) {
  return MPI_Isend(buf, count, type, dest, tag, comm, r);
}
CUCO_MPI int MPI_Ibsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* r) {
  return MPI_Isend(buf, count, type, dest, tag, comm, r);
}
CUCO_MPI int MPI_Issend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* r) {
  return MPI_Isend(buf, count, type, dest, tag, comm, r);
}
CUCO_MPI int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                                  MPI_Comm comm, MPI_Status* status) {
  int size, result;
  void* copy;
  MPI_Type_size(type, &size);
  copy = malloc((size_t)size * (size_t)count + 1);
  memcpy(copy, buf, (size_t)size * (size_t)count);
  result = MPI_Sendrecv(copy, count, type, dest, sendtag, buf, count, type, source, recvtag, comm, status);
  free(copy);
  return result;
}
CUCO_MPI int MPI_Request_free(MPI_Request* request) { *request = MPI_REQUEST_NULL; return MPI_SUCCESS; }
CUCO_MPI int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  int i, active = 0;
  for (i = 0; i < count; i++) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    active = 1;
    MPI_Test(&requests[i], flag, status);
    if (*flag) {
      *index = i;
      return MPI_SUCCESS;
    }
  }
  *flag = !active, *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Testsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  int i, flag, active = 0;
  *outcount = 0;
  for (i = 0; i < count; i++) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    active = 1;
    MPI_Test(&requests[i], &flag, statuses ? &statuses[*outcount] : MPI_STATUS_IGNORE);
    if (flag) indices[(*outcount)++] = i;
  }
  if (!active) *outcount = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Waitsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  do MPI_Testsome(count, requests, outcount, indices, statuses);
  while (*outcount == 0);
  return MPI_SUCCESS;
}

// Further collectives.
CUCO_MPI int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                          void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  int rank, size, each, i;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == root) {
    MPI_Request* sends = (MPI_Request*)malloc((size_t)size * sizeof(MPI_Request));
    MPI_Type_size(sendtype, &each);
    for (i = 0; i < size; i++) {
      const char* part = (const char*)sendbuf + (size_t)displs[i] * (size_t)each;
      sends[i] = MPI_REQUEST_NULL;
      if (i != root) MPI_Isend(part, sendcounts[i], sendtype, i, CUCO_MPI_TAG, comm, &sends[i]);
      else if (recvbuf != MPI_IN_PLACE) memmove(recvbuf, part, (size_t)sendcounts[i] * (size_t)each);
    }
    MPI_Waitall(size, sends, MPI_STATUSES_IGNORE);
    free(sends);
    return MPI_SUCCESS;
  }
  return MPI_Recv(recvbuf, recvcount, recvtype, root, CUCO_MPI_TAG, comm, MPI_STATUS_IGNORE);
}
CUCO_MPI int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm) {
  int rank, size, each, i, total = 0, before = 0;
  char* all;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_size(type, &each);
  for (i = 0; i < size; i++) {
    if (i < rank) before += recvcounts[i];
    total += recvcounts[i];
  }
  all = (char*)malloc((size_t)total * (size_t)each + 1);
  MPI_Allreduce(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, all, total, type, op, comm);
  memcpy(recvbuf, all + (size_t)before * (size_t)each, (size_t)recvcounts[rank] * (size_t)each);
  free(all);
  return MPI_SUCCESS;
}
CUCO_MPI int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                                      MPI_Comm comm) {
  int size, i, result, *counts;
  MPI_Comm_size(comm, &size);
  counts = (int*)malloc((size_t)size * sizeof(int));
  for (i = 0; i < size; i++) counts[i] = recvcount;
  result = MPI_Reduce_scatter(sendbuf, recvbuf, counts, type, op, comm);
  free(counts);
  return result;
}

#define CUCO_MPI_NOW(CALL) \
  *request = MPI_REQUEST_NULL; \
  return CALL
CUCO_MPI int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Bcast(buffer, count, type, root, comm));
}
CUCO_MPI int MPI_Ireduce(const void* s, void* r, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                         MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Reduce(s, r, count, type, op, root, comm));
}
CUCO_MPI int MPI_Iallreduce(const void* s, void* r, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Allreduce(s, r, count, type, op, comm));
}
CUCO_MPI int MPI_Iscan(const void* s, void* r, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Scan(s, r, count, type, op, comm));
}
CUCO_MPI int MPI_Igather(const void* s, int sc, MPI_Datatype st, void* r, int rc, MPI_Datatype rt, int root, MPI_Comm comm,
                         MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Gather(s, sc, st, r, rc, rt, root, comm));
}
CUCO_MPI int MPI_Igatherv(const void* s, int sc, MPI_Datatype st, void* r, const int rc[], const int displs[],
                          MPI_Datatype rt, int root, MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Gatherv(s, sc, st, r, rc, displs, rt, root, comm));
}
CUCO_MPI int MPI_Iscatter(const void* s, int sc, MPI_Datatype st, void* r, int rc, MPI_Datatype rt, int root,
                          MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Scatter(s, sc, st, r, rc, rt, root, comm));
}
CUCO_MPI int MPI_Iallgather(const void* s, int sc, MPI_Datatype st, void* r, int rc, MPI_Datatype rt, MPI_Comm comm,
                            MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Allgather(s, sc, st, r, rc, rt, comm));
}
CUCO_MPI int MPI_Iallgatherv(const void* s, int sc, MPI_Datatype st, void* r, const int rc[], const int displs[],
                             MPI_Datatype rt, MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Allgatherv(s, sc, st, r, rc, displs, rt, comm));
}
CUCO_MPI int MPI_Ialltoall(const void* s, int sc, MPI_Datatype st, void* r, int rc, MPI_Datatype rt, MPI_Comm comm,
                           MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Alltoall(s, sc, st, r, rc, rt, comm));
}
CUCO_MPI int MPI_Ialltoallv(const void* s, const int sc[], const int sd[], MPI_Datatype st, void* r, const int rc[],
                            const int rd[], MPI_Datatype rt, MPI_Comm comm, MPI_Request* request) {
  CUCO_MPI_NOW(MPI_Alltoallv(s, sc, sd, st, r, rc, rd, rt, comm));
}
#undef CUCO_MPI_NOW
#undef CUCO_MPI
