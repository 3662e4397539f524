// MPI's grids of processes, types with gaps, groups, reductions of the program's own, and further forms of waiting.
// ranks: 4
// expect: ok
// expect: rank 3: 0 wrong
#include <mpi-ext.h>
#include <mpi.h>

#include <complex>

#include <cstdio>

static void larger_square(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; i++) {
    int a = static_cast<int*>(in)[i], b = static_cast<int*>(inout)[i];
    static_cast<int*>(inout)[i] = a * a > b * b ? a : b;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  wrong += MPIX_Query_cuda_support() != 1;

  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], three[3] = {0, 3, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Dims_create(24, 3, three);
  wrong += dims[0] != 2 || dims[1] != 2 || three[0] * three[1] * three[2] != 24 || three[0] != 4;
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Cart_coords(grid, rank, 2, coords);
  wrong += coords[0] != rank / 2 || coords[1] != rank % 2;
  int up, down, left, right;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  wrong += up != (rank + 2) % 4 || down != up || left != (rank % 2 ? rank - 1 : MPI_PROC_NULL);
  int keep[2] = {0, 1}, row_size;
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_size(row, &row_size);
  wrong += row_size != 2;

  // A column of a 4 x 6 matrix to the right neighbour's first column.
  double matrix[4][6];
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 6; x++) matrix[y][x] = 100 * rank + 10 * y + x;
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Request requests[2];
  MPI_Irecv(&matrix[0][0], 1, column, left, 7, grid, &requests[0]);
  MPI_Isend(&matrix[0][5], 1, column, right, 7, grid, &requests[1]);
  int done = 0, indices[2], count;
  while (done < 2) {
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) break;
    done += count;
  }
  for (int y = 0; y < 4; y++) {
    wrong += matrix[y][0] != (left == MPI_PROC_NULL ? 100 * rank + 10 * y : 100 * left + 10 * y + 5);
    wrong += matrix[y][1] != 100 * rank + 10 * y + 1;
  }
  MPI_Type_free(&column);

  MPI_Op op;
  MPI_Op_create(larger_square, 1, &op);
  int value = rank == 2 ? -50 : rank, largest;
  MPI_Allreduce(&value, &largest, 1, MPI_INT, op, MPI_COMM_WORLD);
  wrong += largest != -50;
  MPI_Op_free(&op);
  struct { double value; int index; } located = {10.0 - rank, rank}, lowest;
  MPI_Allreduce(&located, &lowest, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  wrong += lowest.index != size - 1;
  long double share = rank + 0.5L, whole;
  MPI_Allreduce(&share, &whole, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  wrong += whole != size * size / 2.0L;
  std::complex<float> turn(0, 1), turned;  // i to the power of the number of ranks.
  MPI_Allreduce(&turn, &turned, 1, MPI_C_FLOAT_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  wrong += turned != (size % 4 == 0 ? std::complex<float>(1) : size % 2 == 0 ? std::complex<float>(-1) : size % 4 == 1 ? turn : -turn);

  MPI_Group all, evens;
  int even[2] = {0, 2}, in_evens;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, even, &evens);
  MPI_Group_rank(evens, &in_evens);
  wrong += in_evens != (rank % 2 ? MPI_UNDEFINED : rank / 2);
  MPI_Comm even_comm;
  MPI_Comm_create(MPI_COMM_WORLD, evens, &even_comm);
  wrong += (even_comm == MPI_COMM_NULL) != (rank % 2 == 1);
  if (even_comm != MPI_COMM_NULL) MPI_Comm_free(&even_comm);
  MPI_Group_free(&evens);
  MPI_Group_free(&all);

  int counts[4] = {1, 2, 3, 4}, displs[4] = {0, 1, 3, 6}, source[10], part[4] = {0};
  for (int i = 0; i < 10; i++) source[i] = i;
  MPI_Scatterv(source, counts, displs, MPI_INT, part, counts[rank], MPI_INT, 0, MPI_COMM_WORLD);
  wrong += part[0] != displs[rank];
  int sums[4];
  MPI_Reduce_scatter(source, sums, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  wrong += sums[0] != 4 * displs[rank];
  MPI_Request later;
  int total;
  MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &later);
  MPI_Wait(&later, MPI_STATUS_IGNORE);
  wrong += total != 6;
  std::printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return wrong;
}
