
// What a kernel gets of which some blocks communicate and the others compute.
struct Specialised : Fusing {
  unsigned communicators;  // Blocks that do nothing but communicate.
  unsigned blocks;         // Of the launch, with these: no more than find room at once.
  dim3 grid;               // As the program launches it; its blocks are the tiles.
};

// Of the launch that is held: how many blocks find room at once, and how many of them its call wants to communicate.
struct Residents {
  int room = 0, communicators = 0;
};
inline Residents& residents() {
  thread_local Residents held;
  return held;
}

// How many blocks of a kernel the device has room for at once; 0 where that is not known.
template <typename Kernel>
int room_for(Kernel* kernel, dim3 block, size_t shared_bytes) {
  thread_local std::map<std::pair<const void*, std::pair<unsigned, size_t>>, int> known;
  unsigned threads = block.x * block.y * block.z;
  auto [room, is_first] = known.try_emplace({(const void*)kernel, {threads, shared_bytes}}, 0);
  int device = 0, processors = 0, each = 0;
  if (is_first && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, shared_bytes) == cudaSuccess)
    room->second = each * processors;
  return room->second;
}

inline Specialised specialised_of(const Fusing& fusing, const dim3& grid) {
  Specialised work = {fusing, (unsigned)residents().communicators, 0, grid};
  work.relay_shares = work.communicators;
  work.blocks = work.communicators + std::min(residents().room - work.communicators, grid.x * grid.y * grid.z);
  return work;
}

// In place of a launch whose kernel has blocks of its own for the call.
template <typename Launch>
void hold_specialised(const FusedShape& shape, int room, dim3 grid, dim3 block, cudaStream_t stream,
                      std::vector<const void*> pointers, Launch launch) {
  auto with_exchange = [launch, grid](const FusedGrid* fused) {
    if (fused == nullptr) return launch((const Specialised*)nullptr);
    Specialised work = specialised_of(*static_cast<const Fusing*>(fused), grid);
    launch(&work);
  };
  hold({with_exchange, shape, stream, std::move(pointers)}, grid, block);
  residents().room = room;
}
