// A plan fixes a whole program: a directive per site, and the schedule that the sites share. Text form, one line a
// site:
//   # comments and blank lines are skipped
//   s1 gin/split/peer-signal/cta/whole
//   s2 host/deferred/stream-event/cta/whole
//   schedule streams=1 order=remote-first ctas=4 priority=high waits=blocks
// The schedule line may leave out keys, or be absent: what is not stated has the value of a default Schedule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "space/directive.h"

namespace cuco::space {

// Of work that is independent of each other: as the source has it, what peers wait for first, what they do not, or
// all at once.
enum class WorkOrder : uint8_t { AsWritten, RemoteFirst, LocalFirst, SideBySide };
constexpr size_t kWorkOrderCount = 4;

enum class StreamPriority : uint8_t { Default, High, Low };

// Who waits for what comes: the stream, before it launches a kernel that reads it, or the blocks of that kernel, each
// for what it reads.
enum class Waits : uint8_t { Stream, Blocks };

struct Schedule {
  uint32_t streams = 0;  // Of communication alone; 0 leaves it on the streams of the program.
  WorkOrder order = WorkOrder::AsWritten;
  uint32_t communication_ctas = 1;                    // Of each site with multi-CTA issue.
  StreamPriority priority = StreamPriority::Default;  // Of the communication streams.
  Waits waits = Waits::Stream;                        // In the text where it is not this.

  bool operator==(const Schedule&) const = default;
};

struct SiteChoice {
  std::string site;
  Directive directive;

  bool operator==(const SiteChoice&) const = default;
};

struct Plan {
  std::vector<SiteChoice> choices;  // In the order of the program's sites; names are unique.
  Schedule schedule;

  bool operator==(const Plan&) const = default;
};

// Inverse of each other: *parse_plan(to_text(p), "") == p. Errors start with `file:line:col:`.
std::string to_text(const Plan& plan);
Result<Plan> parse_plan(std::string_view text, std::string_view file);

std::string to_text(const Schedule& schedule);

const Directive* find_directive(const Plan& plan, std::string_view site);

}  // namespace cuco::space
