// MPI's files: each rank writes its part, all read the part of their neighbour, at offsets, at positions and in views.
// ranks: 4
// expect: ok
// expect: rank 3 reads 0 1 2 3, size 64, 4 of them; no such file: 42
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File file;
  int failure = MPI_File_open(MPI_COMM_WORLD, "none.bin", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (MPI_File_open(MPI_COMM_WORLD, "parts.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  int own[4], other[4] = {};
  for (int i = 0; i < 4; i++) own[i] = 4 * rank + i;
  MPI_Offset bytes = rank * (MPI_Offset)sizeof own;
  MPI_File_write_at_all(file, bytes, own, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, bytes + 8, MPI_SEEK_SET);
  MPI_File_write(file, own + 2, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Status status;
  int count, next = (rank + 1) % size;
  MPI_Offset all;
  MPI_File_set_view(file, next * (MPI_Offset)sizeof own, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_all(file, other, 4, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_File_get_size(file, &all);
  if (rank == 3)
    std::printf("rank 3 reads %d %d %d %d, size %lld, %d of them; no such file: %d\n", other[0], other[1], other[2],
                other[3], all, count, failure);
  MPI_File_close(&file);
  MPI_Finalize();
}
