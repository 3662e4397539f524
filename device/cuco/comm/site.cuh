// How a call goes, said at the call:
//   all_gather(lsa<1>, from, to, count, ncclFloat, comm, stream);
//   send(gin<2>.blocks(4).on_stream(0).by_message(), from, count, ncclFloat, peer, comm, stream);
//   all_reduce(lsa<3>.sum<float>().in_parts(8), from, to, count, ncclFloat, ncclSum, comm, stream);
// The number tells the calls of a program apart; calls of one group share one. What a function of Site asks for is in
// the header that its comment names.
#pragma once

#include <cuco/comm/set_up.cuh>
#include <type_traits>

namespace cuco::comm {

// When the exchange of a call runs: at the call; begun there and ended where its bytes are used; on a stream of its
// own; or while the kernel before it computes, by blocks of that kernel.
enum class Placement { AtCall, Split, Stream, Specialised };
constexpr int kCallersStream = -1;

// How a message is cut into parts: all alike, or small at both ends, so that the first leaves early and little is left
// to wait for.
enum class Cut { Even, SmallAtEnds };

struct Pending;
struct ReduceCall;
struct ReduceArguments;
struct Reduction;
struct FusedReduce;
using ReduceKernel = void (*)(Endpoint, Reduction);
using FusedReduceKernel = void (*)(FusedReduce);

struct Route {
  Via via = Via::Lsa;
  Issue issue = Issue::Block;
  int blocks = 1;
  Placement placement = Placement::AtCall;
  int stream = kCallersStream;  // Or which of those that set-up made.
  bool by_message = false;      // Messages start and are awaited one by one, not as a whole.
  size_t chunk_bytes = 0;       // Messages leave in parts of about so many bytes; 0: whole.
  Cut cut = Cut::Even;
  Parts parts = {};
  ncclResult_t (*submit)(Pending&) = nullptr;
  ncclResult_t (*submit_reduction)(ReduceCall&) = nullptr;
  bool is_staged = false;  // Buffers are no windows.
  ncclResult_t (*stage_reduction)(const Route&, const ReduceArguments&) = nullptr;
  ExchangeKernel kernel = nullptr;
  ReduceKernel (*kernel_for)(ncclDataType_t, ncclRedOp_t) = nullptr;
  FusedReduceKernel (*written_kernel_for)(ncclDataType_t) = nullptr;
};

// Each is defined in the header that the functions of Site which need it name.
struct OverlapRoute;
struct OverlapReduceRoute;
struct PartsRoute;
struct ReducePartsRoute;
struct FusedRoute;
struct FusedReduceRoute;
struct SpecialisedRoute;
struct SendingRoute;
struct ReduceRoute;
struct StagedRoute;
struct StagedReduceRoute;
// A type that is looked at only where a function is used.
template <int kSite, typename T>
struct Later {
  using type = T;
};
struct Sum;
struct Product;
struct Min;
struct Max;
struct Average;
struct AnyReduction;

// A call of the program: by what path, and as what else its functions say. `Op` and `Elements` are of reductions.
template <int kSite, typename Path, typename Op = void, typename... Elements>
struct Site {
  static constexpr bool kReduces = !std::is_void_v<Op>;
  template <typename T>
  using Of = typename Later<kSite, T>::type;
  Route asked = {};

  constexpr Site blocks(int count) const {
    return with([&](Route& route) { route.blocks = count; });
  }
  // Who of a block issues.
  constexpr Site<kSite, typename Path::template By<Issue::Thread>, Op, Elements...> by_thread() const {
    return {asked};
  }
  constexpr Site<kSite, typename Path::template By<Issue::Warp>, Op, Elements...> by_warp() const { return {asked}; }

  // Reductions, before all that follows: reduce.cuh.
  template <typename... Types>
  constexpr Site<kSite, Path, Sum, Types...> sum() const {
    return {asked};
  }
  template <typename... Types>
  constexpr Site<kSite, Path, Product, Types...> product() const {
    return {asked};
  }
  template <typename... Types>
  constexpr Site<kSite, Path, Min, Types...> min() const {
    return {asked};
  }
  template <typename... Types>
  constexpr Site<kSite, Path, Max, Types...> max() const {
    return {asked};
  }
  template <typename... Types>
  constexpr Site<kSite, Path, Average, Types...> average() const {
    return {asked};
  }

  // By the operation that the call is given. Without types, each of them, the call is for elements of any type.
  template <typename... Types>
  constexpr Site<kSite, Path, AnyReduction, Types...> reduction() const {
    return {asked};
  }

  // On memory that is no window: staged.cuh, staged_reduce.cuh.
  constexpr Site staged() const {
    return with([](Route& route) {
      if constexpr (kReduces)
        route.stage_reduction = Of<StagedReduceRoute>::reduce;
      else
        route.is_staged = true, route.submit = Of<StagedRoute>::submit;
    });
  }

  // Beside the program's work: overlap.cuh. Where any call of a program does so, the others are tracked().
  constexpr Site tracked() const { return overlapped(Placement::AtCall, kCallersStream); }
  constexpr Site split(int stream = kCallersStream) const { return overlapped(Placement::Split, stream); }
  constexpr Site on_stream(int stream) const { return overlapped(Placement::Stream, stream); }
  constexpr Site by_message() const {
    return with([](Route& route) { route.by_message = true; });
  }
  constexpr Site in_chunks(size_t bytes, Cut cut = Cut::Even) const {
    return with([&](Route& route) { route.chunk_bytes = bytes, route.cut = cut; });
  }

  // In as many parts as slices of the launch before it: slices.cuh. `piece_bytes` of each row are of one unit of its
  // grid.
  constexpr Site in_parts(int count, size_t piece_bytes = 0) const {
    return with([&](Route& route) {
      route.parts = {count, piece_bytes};
      if constexpr (kReduces)
        route.submit_reduction = Of<ReducePartsRoute>::submit;
      else
        route.submit = Of<PartsRoute>::submit;
    });
  }
  // By the kernel before it, part by part: fused.cuh.
  constexpr Site fused(int parts, size_t piece_bytes = 0) const {
    return with([&](Route& route) { route.parts = {parts, piece_bytes}, route.submit = Of<FusedRoute>::submit; });
  }
  // A reduction of messages of so many bytes that so many units write: fused_reduce.cuh.
  constexpr Site fused(int parts, size_t piece_bytes, size_t units, size_t message_bytes) const {
    return with([&](Route& route) {
      route.parts = {parts, piece_bytes, units, message_bytes};
      route.submit_reduction = Of<FusedReduceRoute>::submit;
      route.written_kernel_for = Of<FusedReduceRoute>::template kernel_for<kSite, Path, Op, Elements...>;
    });
  }
  // By blocks of that kernel which do nothing else: specialised.cuh.
  constexpr Site specialised(int parts, size_t piece_bytes = 0) const {
    return with([&](Route& route) {
      route.parts = {parts, piece_bytes}, route.placement = Placement::Specialised;
      route.submit = Of<SpecialisedRoute>::submit;
    });
  }
  // Message by message, by the kernels that write them: sending.cuh. Readers wait, or the stream of the call does.
  constexpr Site sent_by_writers(size_t chunk_bytes) const {
    return with([&](Route& route) {
      route.by_message = true, route.chunk_bytes = chunk_bytes, route.submit = Of<SendingRoute>::submit;
    });
  }
  constexpr Site awaited_by_readers() const {
    return with([](Route& route) { route.submit = Of<SendingRoute>::submit_to_readers; });
  }

  Route route() const {
    Route all = asked;
    all.via = Path::kVia, all.issue = Path::kIssuer;
    if constexpr (kReduces) {
      all.kernel_for = Of<ReduceRoute>::template kernel_for<kSite, Path, Op, Elements...>;
    } else {
      all.kernel = exchange_for<kSite, Path>;
    }
    return all;
  }

  template <typename Change>
  constexpr Site with(const Change& change) const {
    Site changed = *this;
    change(changed.asked);
    return changed;
  }
  constexpr Site overlapped(Placement placement, int stream) const {
    return with([&](Route& route) {
      route.placement = placement, route.stream = stream;
      if constexpr (kReduces)
        route.submit_reduction = Of<OverlapReduceRoute>::submit;
      else
        route.submit = Of<OverlapRoute>::submit;
    });
  }
};

template <int kSite>
constexpr Site<kSite, Lsa> lsa = {};
template <int kSite>
constexpr Site<kSite, Gin> gin = {};
template <int kSite>
constexpr Site<kSite, Hybrid> hybrid = {};

}  // namespace cuco::comm
