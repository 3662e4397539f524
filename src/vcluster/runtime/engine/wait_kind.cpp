#include "vcluster/runtime/engine/wait_kind.h"

#include "base/text.h"

namespace cuco::vcluster {

std::string to_text(const ThreadWait& wait) {
  switch (wait.kind) {
    case WaitKind::None:
      return "nothing";
    case WaitKind::Barrier:
      return concat("block barrier ", wait.object);
    case WaitKind::Warp:
      return "a warp operation";
    case WaitKind::ActiveMask:
      return "the active mask";
    case WaitKind::Poll:
      return wait.by_swap ? "its exchange or compare-and-swap to succeed" : "a value in memory to change";
    case WaitKind::Sleep:
      return "a sleep to end";
    case WaitKind::Signal:
      return concat("signal ", wait.object, " to reach ", wait.wanted, " (it is ", wait.seen, ")");
    case WaitKind::Counter:
      return concat("counter ", wait.object, " to reach ", wait.wanted, " (it is ", wait.seen, ")");
    case WaitKind::Flush:
      return "a flush";
    case WaitKind::TeamBarrier:
      return concat("team barrier ", wait.object);
    case WaitKind::GridBarrier:
      return "the grid barrier";
  }
  return "";
}

}  // namespace cuco::vcluster
