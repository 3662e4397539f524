// A directive fixes how one site moves its bytes: the five dimensions of the design space.
// Text form, in plans, annotations and the store: backend/placement/sync/issuer/chunk, such as
//   gin/split/peer-signal/cta/whole    lsa/tile-fused/flag/multi-cta/64KiB
// Whether a directive is legal for a site on some hardware is the business of legality.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::space {

enum class Backend : uint8_t { Host, Lsa, Gin, Hybrid, Multimem };
enum class Placement : uint8_t { Deferred, Split, Stream, TileFused, Specialised };
enum class SyncScope : uint8_t { Barrier, PeerSignal, ChunkSignal, Flag, StreamEvent, HostSync };
enum class Issuer : uint8_t { Thread, Warp, Cta, MultiCta };

enum class Dimension : uint8_t { Backend, Placement, Sync, Issuer, Chunk };
inline constexpr size_t kDimensionCount = 5;
inline constexpr std::array<Dimension, kDimensionCount> kDimensions = {
    Dimension::Backend, Dimension::Placement, Dimension::Sync, Dimension::Issuer, Dimension::Chunk};

inline constexpr uint64_t kWholeMessage = 0;
inline constexpr uint64_t kChunkBytesMin = 16;  // The widest store of one thread.

struct Directive {
  Backend backend = Backend::Host;
  Placement placement = Placement::Deferred;
  SyncScope sync = SyncScope::StreamEvent;
  Issuer issuer = Issuer::Cta;
  uint64_t chunk_bytes =
      kWholeMessage;  // Of a message to one peer: kWholeMessage, or a power of two >= kChunkBytesMin.

  bool operator==(const Directive&) const = default;
  auto operator<=>(const Directive&) const = default;
};

// What is wrong with a text, and at which byte of it.
struct TextFault {
  size_t offset = 0;
  std::string message;
};

// Inverse of each other: *parse_directive(to_text(d)) == d.
std::string to_text(const Directive& directive);
Result<Directive> parse_directive(std::string_view text);

// As parse_directive, for texts inside a larger one: the caller knows what the offset is relative to.
std::optional<TextFault> read_directive(std::string_view text, Directive& directive);

// "whole", "64KiB".
std::string chunk_text(uint64_t chunk_bytes);

// "backend", "placement", "sync", "issuer", "chunk".
std::string_view name_of(Dimension dimension);

// The word of one dimension in the text form.
std::string value_text(const Directive& directive, Dimension dimension);

// The values that enumeration walks along, in its order. For chunk this is a ladder of sizes (whole, 1KiB, 4KiB, ...
// 64MiB); a directive may state any other power of two.
size_t value_count(Dimension dimension);
void set_value(Directive& directive, Dimension dimension, size_t value);

// How many combinations the values above span.
size_t combination_count();

// The known word closest to a mistyped one, as " (did you mean `gin`?)", or nothing when none is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace cuco::space
