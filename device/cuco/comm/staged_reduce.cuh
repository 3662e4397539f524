// Reductions on memory that is no window, in pieces that the staging window holds.
#pragma once

#include <cuco/comm/reduce.cuh>
#include <cuco/comm/staged.cuh>

namespace cuco::comm {

struct StagedReduceRoute {
  // Elements of the result at a time. What a lone root gets from its peers has to fit its staging window.
  static size_t piece_of(const Channel& channel, const ReduceArguments& asked) {
    size_t elements = channel.staged.bytes / 2 / bytes_of(asked.type);
    return (asked.root == kEveryoneAll ? elements / 2 : elements / channel.ranks) / 16 * 16;
  }

  static ncclResult_t reduce(const Route& route, const ReduceArguments& asked) {
    Channel& channel = channel_of(asked.comm);
    StagedTurn turn(channel, asked.stream);
    size_t all = asked.root == kEveryoneSlice ? asked.count / channel.ranks : asked.count,
           most = piece_of(channel, asked);
    ncclResult_t result = turn.result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
    for (size_t begin = 0; begin < all && result == ncclSuccess; begin += most)
      result = reduce_piece(route, asked, channel, begin, std::min(most, all - begin));
    return result == ncclSuccess ? turn.end() : result;
  }

  static ncclResult_t reduce_piece(const Route& route, const ReduceArguments& asked, const Channel& channel,
                                   size_t begin, size_t count) {
    size_t element_bytes = bytes_of(asked.type), bytes = count * element_bytes;
    bool scatters = asked.root == kEveryoneSlice, wants = asked.root < 0 || asked.root == channel.rank;
    char *in = channel.staged.base, *out = in + channel.staged.bytes / 2;
    std::vector<Copy> copies;
    for (int rank = 0; rank < (scatters ? channel.ranks : 1); rank++)
      copies.push_back({in + rank * bytes,
                        (const char*)asked.input + (rank * (asked.count / channel.ranks) + begin) * element_bytes,
                        bytes});
    if (run_copies(copies, asked.stream) != cudaSuccess) return ncclUnhandledCudaError;
    ReduceArguments piece = asked;
    piece.input = in, piece.output = out;
    piece.count = scatters ? count * channel.ranks : count;
    Route plain = route;
    plain.stage_reduction = nullptr;
    ncclResult_t result = reduce_call(plain, piece);
    if (result != ncclSuccess || !wants) return result;
    cudaError_t copied = run_copies({{(char*)asked.output + begin * element_bytes, out, bytes}}, asked.stream);
    return copied == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
};

}  // namespace cuco::comm
