
namespace device_comm {

// What kernels of the program's own have, besides what the helpers below use.
constexpr int kSignals = 0;                 // Of the network, from first_signal(ranks) on.
constexpr int kContexts = 1;                // Of the network; the helpers use the first.
constexpr int kBarriers = 0;                // Of LSA and, where there is a network, over all ranks.
constexpr unsigned long kScratchBytes = 0;  // Zeroed window memory on every rank, at windows[kScratchWindow].

}  // namespace device_comm
