
// Elements of all ranks, added up by threads that load them from where they are.

// As many places in registers where their number is known, else as they are.
template <typename T, int kCount>
struct Places {
  T* at[kCount];
  __device__ Places(char* const* places, size_t first, int) {
    for (int i = 0; i < kCount; i++) at[i] = (T*)places[i] + first;
  }
  __device__ T* operator[](int i) const { return at[i]; }
  __device__ static constexpr int count() { return kCount; }
};
template <typename T>
struct Places<T, 0> {
  char* const* places;
  size_t first;
  int ranks;
  __device__ Places(char* const* of, size_t from, int number) : places(of), first(from), ranks(number) {}
  __device__ T* operator[](int i) const { return (T*)places[i] + first; }
  __device__ int count() const { return ranks; }
};

// Of pieces of rows, in elements; the width is 0 where all elements lie one behind the other.
struct Rows {
  uint32_t width, pitch;
};
// Where an element lies behind the first one.
__device__ inline size_t place_in_rows(const Rows& rows, size_t i) {
  return rows.width == 0 ? i : (uint32_t)i / rows.width * (size_t)rows.pitch + (uint32_t)i % rows.width;
}

// Goes through elements at equal distances without a division for each.
struct RowWalk {
  size_t at, step, gap;
  uint32_t column, column_step, width;

  __device__ RowWalk(const Rows& rows, size_t first, uint32_t distance)
      : at(first), step(distance), gap(0), column(0), column_step(0), width(1) {
    if (rows.width == 0) return;
    at = place_in_rows(rows, first), step = place_in_rows(rows, distance), gap = rows.pitch - rows.width;
    width = rows.width, column = (uint32_t)first % width, column_step = distance % width;
  }
  __device__ void next() {
    at += step, column += column_step;
    if (column < width) return;
    column -= width, at += gap;
  }
};

// What a block adds up.
struct Summands {
  char* const* places;  // Of every rank's elements, then of every rank's result, or of the only one.
  int ranks;
  bool for_all;     // Results go to every rank.
  bool is_aligned;  // All places and rows, to 16 bytes.
  Rows rows;
};

// A block's share of them: whole packs, then what is left.
struct Share {
  Part wide, rest;
  size_t skipped;  // Elements before those of this rank, where it keeps its own: they begin with a row.
};
template <typename T>
__device__ Share share_of(Part elements, size_t skipped) {
  constexpr int kWidth = 16 / sizeof(T);
  size_t wide_end = elements.begin + (elements.end - elements.begin) / kWidth * kWidth;
  return {{elements.begin, wide_end}, {wide_end, elements.end}, skipped};
}

// The threads that work together, and which of them this one is.
struct Crew {
  unsigned index, count;
};

template <typename Op, int kWidth, typename T, int kRanks, int kResults>
__device__ void load_and_reduce(const Summands& summands, const Places<T, kRanks>& from, const Places<T, kResults>& to,
                                Part elements, const Crew& crew) {
  using Wide = Pack<T, kWidth>;
  size_t i = elements.begin + crew.index * kWidth;
  if (i >= elements.end) return;
  for (RowWalk walk(summands.rows, i, crew.count * kWidth); i < elements.end; i += crew.count * kWidth, walk.next()) {
    typename Accumulator<T>::type sum[kWidth];
#pragma unroll
    for (int rank = 0; rank < from.count(); rank++) add_pack<Op>(sum, *(const Wide*)(from[rank] + walk.at), rank == 0);
    Wide whole = finished<Op, T>(sum, summands.ranks);
#pragma unroll
    for (int rank = 0; rank < to.count(); rank++) *(Wide*)(to[rank] + walk.at) = whole;
  }
}

template <typename T, typename Op, int kRanks>
__device__ void reduce_share(const Summands& summands, const Share& share, const Crew& crew) {
  constexpr int kWidth = 16 / sizeof(T);
  const bool is_aligned = summands.is_aligned;
  Places<T, kRanks> from(summands.places, share.skipped, summands.ranks);
  auto to_all = [&](const auto& to) {
    if (is_aligned) load_and_reduce<Op, kWidth>(summands, from, to, share.wide, crew);
    load_and_reduce<Op, 1>(summands, from, to, {is_aligned ? share.rest.begin : share.wide.begin, share.rest.end},
                           crew);
  };
  if (summands.for_all)
    to_all(Places<T, kRanks>(summands.places + summands.ranks, 0, summands.ranks));
  else
    to_all(Places<T, 1>(summands.places + summands.ranks, 0, 1));
}

template <typename T, typename Op>
__device__ void add_up(const Summands& summands, const Share& share, const Crew& crew) {
  switch (summands.ranks) {
    case 2:
      return reduce_share<T, Op, 2>(summands, share, crew);
    case 4:
      return reduce_share<T, Op, 4>(summands, share, crew);
    case 8:
      return reduce_share<T, Op, 8>(summands, share, crew);
    default:
      return reduce_share<T, Op, 0>(summands, share, crew);
  }
}
