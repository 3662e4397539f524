
// The slice that a rank reduces. A lone root reduces everything.
__device__ inline Part slice_of(const Reduction& work, int rank) {
  if (work.root >= 0) return {0, rank == work.root ? work.count : 0};
  size_t begin = work.slice * rank, end = begin + work.slice;
  return {begin < work.count ? begin : work.count, end < work.count ? end : work.count};
}
__device__ inline Message message_of(uint64_t place, Part elements, size_t element_bytes, int peer, uint32_t number) {
  return {offset_of(place) + elements.begin * element_bytes, (elements.end - elements.begin) * element_bytes, number,
          (int16_t)peer, (int16_t)(place >> 48)};
}

template <typename T>
struct Accumulator {
  using type = T;
};
template <>
struct Accumulator<int8_t> {
  using type = int;
};
template <>
struct Accumulator<uint8_t> {
  using type = unsigned;
};
template <>
struct Accumulator<__half> {
  using type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
  using type = float;
};

struct Sum {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a + b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Average : Sum {
  template <typename A>
  __device__ static A finish(A a, int ranks) {
    return a / (A)ranks;
  }
};
struct Product {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a * b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Largest {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a > b ? a : b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Smallest {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a < b ? a : b;
  }
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};

// `kWidth` neighbouring elements, those of all ranks in the order of ranks.
template <typename T, typename Op, int kWidth>
__device__ void reduce_at(const Reduction& work, const T* own, const T* staged, size_t stride, T* result) {
  using A = typename Accumulator<T>::type;
  struct alignas(kWidth * sizeof(T)) Pack {
    T at[kWidth];
  };
  A sum[kWidth];
  for (int rank = 0; rank < work.ranks; rank++) {
    Pack part = *(const Pack*)(rank == work.rank ? own : staged + rank * stride);
    for (int i = 0; i < kWidth; i++) sum[i] = rank == 0 ? (A)part.at[i] : Op::combine(sum[i], (A)part.at[i]);
  }
  Pack whole;
  for (int i = 0; i < kWidth; i++) whole.at[i] = (T)Op::finish(sum[i], work.ranks);
  *(Pack*)result = whole;
}

// This block's share of this rank's slice, 16 bytes at a time where all sides allow it.
template <typename T, typename Op>
__device__ void reduce_slice(const Endpoint& here, const Reduction& work) {
  constexpr int kWidth = 16 / sizeof(T);
  Part slice = slice_of(work, work.rank);
  Part part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  const T* own = (const T*)local_pointer(here, work.input) + slice.begin;
  const T* staged = (const T*)local_pointer(here, work.staging);
  T* result = (T*)local_pointer(here, work.output) + (work.root == kEveryoneSlice ? 0 : slice.begin);
  size_t stride = work.root >= 0 ? work.count : work.slice;
  bool aligned = (((uintptr_t)own | (uintptr_t)staged | (uintptr_t)result | stride * sizeof(T)) & 15) == 0;
  size_t begin = part.begin / sizeof(T), end = part.end / sizeof(T);
  size_t wide_end = aligned ? begin + (end - begin) / kWidth * kWidth : begin;
  for (size_t i = begin + threadIdx.x * kWidth; i < wide_end; i += blockDim.x * kWidth)
    reduce_at<T, Op, kWidth>(work, own + i, staged + i, stride, result + i);
  for (size_t i = wide_end + threadIdx.x; i < end; i += blockDim.x)
    reduce_at<T, Op, 1>(work, own + i, staged + i, stride, result + i);
  __syncthreads();
}

template <typename Path, typename T, typename Op>
__device__ void reduce(const Endpoint& here, const Reduction& work) {
  Path path(here);
  size_t stride = work.root >= 0 ? work.count : work.slice;
  Part mine = slice_of(work, work.rank);
  bool reduces = mine.begin < mine.end || work.root < 0;
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x) {
      const Peer& peer = work.peers[i];
      Part staged = {stride * peer.rank, stride * peer.rank + (mine.end - mine.begin)};
      if (reduces) path.announce(message_of(work.staging, staged, sizeof(T), peer.rank, peer.received));
      if (work.root == kEveryoneAll)
        path.announce(message_of(work.output, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.received + 1));
    }
  for (int i = 0; i < work.peer_count; i++) {
    const Peer& peer = work.peers[i];
    if (work.root < 0 || peer.rank == work.root)
      path.send(message_of(work.input, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.sent));
  }
  if (reduces) {
    for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x)
      path.await(message_of(work.staging, mine, sizeof(T), work.peers[i].rank, work.peers[i].received));
    __syncthreads();
    reduce_slice<T, Op>(here, work);
  }
  if (work.root == kEveryoneAll) {
    for (int i = 0; i < work.peer_count; i++)
      path.send(message_of(work.output, mine, sizeof(T), work.peers[i].rank, work.peers[i].sent + 1));
    for (int i = threadIdx.x; i < work.peer_count && blockIdx.x == 0; i += blockDim.x)
      path.await(message_of(work.output, mine, sizeof(T), work.peers[i].rank, work.peers[i].received + 1));
  }
  path.finish();
}
