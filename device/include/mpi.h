// MPI as CUDA programs use it: handles are plain pointers, as in Open MPI.
#pragma once

#include <stddef.h>

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuco_mpi_comm* MPI_Comm;
typedef struct cuco_mpi_group* MPI_Group;
typedef struct cuco_mpi_datatype* MPI_Datatype;
typedef struct cuco_mpi_op* MPI_Op;
typedef struct cuco_mpi_request* MPI_Request;
typedef struct cuco_mpi_info* MPI_Info;
typedef struct cuco_mpi_errhandler* MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count;
typedef void MPI_User_function(void* invec, void* inoutvec, int* len, MPI_Datatype* datatype);
typedef struct MPI_Status MPI_Status;
struct cuco_mpi_group {
  int size;
  int ranks[1];
};
struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  size_t cuco_bytes;
};

#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_WORLD ((MPI_Comm)1)
#define MPI_COMM_SELF ((MPI_Comm)2)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_GROUP_NULL ((MPI_Group)0)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_IN_PLACE ((void*)1)

// A predefined datatype encodes its kind and size: 0x<kind><size>.
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_CHAR ((MPI_Datatype)0x101)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x101)
#define MPI_INT8_T ((MPI_Datatype)0x101)
#define MPI_SHORT ((MPI_Datatype)0x102)
#define MPI_INT16_T ((MPI_Datatype)0x102)
#define MPI_INT ((MPI_Datatype)0x104)
#define MPI_INT32_T ((MPI_Datatype)0x104)
#define MPI_LONG ((MPI_Datatype)0x108)
#define MPI_LONG_LONG ((MPI_Datatype)0x108)
#define MPI_LONG_LONG_INT ((MPI_Datatype)0x108)
#define MPI_INT64_T ((MPI_Datatype)0x108)
#define MPI_AINT ((MPI_Datatype)0x108)
#define MPI_BYTE ((MPI_Datatype)0x201)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x201)
#define MPI_UINT8_T ((MPI_Datatype)0x201)
#define MPI_C_BOOL ((MPI_Datatype)0x201)
#define MPI_CXX_BOOL ((MPI_Datatype)0x201)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x202)
#define MPI_UINT16_T ((MPI_Datatype)0x202)
#define MPI_UNSIGNED ((MPI_Datatype)0x204)
#define MPI_UINT32_T ((MPI_Datatype)0x204)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x208)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x208)
#define MPI_UINT64_T ((MPI_Datatype)0x208)
#define MPI_FLOAT ((MPI_Datatype)0x304)
#define MPI_DOUBLE ((MPI_Datatype)0x308)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x310)
#define MPI_C_COMPLEX ((MPI_Datatype)0x908)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x908)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x908)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0xa10)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0xa10)
#define MPI_PACKED ((MPI_Datatype)0x201)
#define MPI_WCHAR ((MPI_Datatype)0x104)
#define MPI_OFFSET ((MPI_Datatype)0x108)
#define MPI_COUNT ((MPI_Datatype)0x108)
// A value and an index.
#define MPI_2INT ((MPI_Datatype)0x408)
#define MPI_FLOAT_INT ((MPI_Datatype)0x508)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x610)
#define MPI_LONG_INT ((MPI_Datatype)0x710)
#define MPI_SHORT_INT ((MPI_Datatype)0x808)

#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_SUM ((MPI_Op)1)
#define MPI_PROD ((MPI_Op)2)
#define MPI_MAX ((MPI_Op)3)
#define MPI_MIN ((MPI_Op)4)
#define MPI_LAND ((MPI_Op)5)
#define MPI_LOR ((MPI_Op)6)
#define MPI_BAND ((MPI_Op)7)
#define MPI_BOR ((MPI_Op)8)
#define MPI_BXOR ((MPI_Op)9)
#define MPI_LXOR ((MPI_Op)10)
#define MPI_MINLOC ((MPI_Op)11)
#define MPI_MAXLOC ((MPI_Op)12)

#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)1)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)2)
#define MPI_GROUP_EMPTY ((MPI_Group)0)
#define MPI_BOTTOM ((void*)0)
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_INFO_KEY 36
#define MPI_MAX_INFO_VAL 256
#define MPI_BSEND_OVERHEAD 128
#define CUCO_MPI_TAG 0x7ffffff0

enum {
  MPI_SUCCESS = 0, MPI_ERR_BUFFER = 1, MPI_ERR_COUNT = 2, MPI_ERR_TYPE = 3, MPI_ERR_TAG = 4, MPI_ERR_REQUEST = 7,
  MPI_ERR_ROOT = 8, MPI_ERR_GROUP = 9, MPI_ERR_OP = 10, MPI_ERR_TOPOLOGY = 11, MPI_ERR_DIMS = 12, MPI_ERR_UNKNOWN = 14,
  MPI_ERR_INTERN = 17, MPI_ERR_IN_STATUS = 18, MPI_ERR_PENDING = 19, MPI_ERR_LASTCODE = 92, MPI_ERR_COMM = 5, MPI_ERR_RANK = 6, MPI_ERR_ARG = 13, MPI_ERR_TRUNCATE = 15, MPI_ERR_OTHER = 16,
  MPI_ERR_UNSUPPORTED_OPERATION = 52
};
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_PROC_NULL = -2, MPI_ROOT = -4, MPI_UNDEFINED = -32766 };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_COMM_TYPE_SHARED = 0 };
enum { MPI_CART = 1, MPI_GRAPH = 2, MPI_DIST_GRAPH = 3 };
enum { MPI_IDENT = 0, MPI_CONGRUENT = 1, MPI_SIMILAR = 2, MPI_UNEQUAL = 3 };
enum { MPI_ORDER_C = 0, MPI_ORDER_FORTRAN = 1 };
enum { MPI_TAG_UB = 0, MPI_HOST = 1, MPI_IO = 2, MPI_WTIME_IS_GLOBAL = 3, MPI_KEYVAL_INVALID = -1 };

int MPI_Init(int* argc, char*** argv);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Initialized(int* flag);
int MPI_Finalized(int* flag);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int errorcode);
int MPI_Query_thread(int* provided);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Get_processor_name(char* name, int* resultlen);
int MPI_Error_string(int errorcode, char* string, int* resultlen);
int MPI_Get_version(int* version, int* subversion);

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm);
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm);
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status);
int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index, MPI_Status* status);
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count);

int MPI_Barrier(MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm);
int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);

int MPI_Type_size(MPI_Datatype datatype, int* size);
int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                     MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
                                  MPI_Datatype* newtype);
int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                             MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                           const MPI_Datatype array_of_types[], MPI_Datatype* newtype);
int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype);
int MPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                             const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op);
int MPI_Op_free(MPI_Op* op);
int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op);
// Of a communicator with a grid of processes: how many dimensions, or -1.
void cuco_mpi_set_cart(MPI_Comm comm, int ndims, const int dims[], const int periods[]);
int cuco_mpi_cart(MPI_Comm comm, int dims[], int periods[]);
int cuco_mpi_world_rank(MPI_Comm comm, int rank);
int MPI_Type_commit(MPI_Datatype* datatype);
int MPI_Type_free(MPI_Datatype* datatype);

#include "cuco/mpi_io.h"
#include "cuco/mpi_more.h"

#ifdef __cplusplus
}
#endif
