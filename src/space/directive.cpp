#include "space/directive.h"

#include <bit>
#include <charconv>
#include <span>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::space {
namespace {

constexpr std::array<std::string_view, 5> kBackendWords = {"host", "lsa", "gin", "hybrid", "multimem"};
constexpr std::array<std::string_view, 5> kPlacementWords = {"deferred", "split", "stream", "tile-fused",
                                                             "specialised"};
constexpr std::array<std::string_view, 6> kSyncWords = {"barrier", "peer-signal",  "chunk-signal",
                                                        "flag",    "stream-event", "host-sync"};
constexpr std::array<std::string_view, 4> kIssuerWords = {"thread", "warp", "cta", "multi-cta"};

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
constexpr uint64_t kGiB = 1024 * kMiB;

// Steps of four: the time of a transfer changes slowly with its chunk, and finer steps would let this one dimension
// outnumber the others in a uniform sample.
constexpr std::array<uint64_t, 10> kChunkLadder = {kWholeMessage, kKiB, 4 * kKiB, 16 * kKiB, 64 * kKiB,
                                                   256 * kKiB,    kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB};

struct Unit {
  std::string_view name;
  uint64_t bytes;
};
constexpr std::array<Unit, 4> kUnits = {{{"GiB", kGiB}, {"MiB", kMiB}, {"KiB", kKiB}, {"B", 1}}};

bool is_chunk(uint64_t bytes) {
  return bytes == kWholeMessage || (bytes >= kChunkBytesMin && std::has_single_bit(bytes));
}

std::span<const std::string_view> words_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::Backend:
      return kBackendWords;
    case Dimension::Placement:
      return kPlacementWords;
    case Dimension::Sync:
      return kSyncWords;
    case Dimension::Issuer:
      return kIssuerWords;
    case Dimension::Chunk:
      break;
  }
  CUCO_ASSERT(dimension != Dimension::Chunk);
  return {};
}

std::vector<std::string> word_list(Dimension dimension) {
  std::span<const std::string_view> words = words_of(dimension);
  return {words.begin(), words.end()};
}

// The index of a word among those of its dimension, or what is wrong with it.
std::optional<TextFault> find_word(Dimension dimension, std::string_view word, size_t& value) {
  std::vector<std::string> known = word_list(dimension);
  for (value = 0; value < known.size(); ++value)
    if (known[value] == word) return std::nullopt;
  return TextFault{
      0, concat(name_of(dimension), " `", word, "` is not one of ", join(known, ", "), suggestion(word, known))};
}

std::optional<uint64_t> parse_bytes(std::string_view word) {
  uint64_t number = 0;
  auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc()) return std::nullopt;
  std::string_view unit = word.substr(static_cast<size_t>(end - word.data()));
  if (unit.empty()) return number;
  for (const Unit& known : kUnits)
    if (unit == known.name && number <= UINT64_MAX / known.bytes) return number * known.bytes;
  return std::nullopt;
}

std::optional<TextFault> read_chunk(std::string_view word, uint64_t& chunk_bytes) {
  if (word == "whole") {
    chunk_bytes = kWholeMessage;
    return std::nullopt;
  }
  std::optional<uint64_t> bytes = parse_bytes(word);
  if (!bytes)
    return TextFault{0, concat("chunk `", word, "` is not `whole` or a size such as 64KiB (units: B, KiB, MiB, GiB)",
                               suggestion(word, {"whole"}))};
  if (*bytes == 0 || !is_chunk(*bytes))
    return TextFault{0, concat("chunk ", word, " is not a power of two of at least ", kChunkBytesMin)};
  chunk_bytes = *bytes;
  return std::nullopt;
}

void set_word(Directive& directive, Dimension dimension, size_t value) {
  switch (dimension) {
    case Dimension::Backend:
      directive.backend = static_cast<Backend>(value);
      break;
    case Dimension::Placement:
      directive.placement = static_cast<Placement>(value);
      break;
    case Dimension::Sync:
      directive.sync = static_cast<SyncScope>(value);
      break;
    case Dimension::Issuer:
      directive.issuer = static_cast<Issuer>(value);
      break;
    case Dimension::Chunk:
      CUCO_ASSERT(dimension != Dimension::Chunk);
  }
}

std::optional<TextFault> read_value(std::string_view word, Dimension dimension, Directive& directive) {
  if (dimension == Dimension::Chunk) return read_chunk(word, directive.chunk_bytes);
  size_t value = 0;
  if (std::optional<TextFault> fault = find_word(dimension, word, value)) return fault;
  set_word(directive, dimension, value);
  return std::nullopt;
}

size_t word_index(const Directive& directive, Dimension dimension) {
  switch (dimension) {
    case Dimension::Backend:
      return static_cast<size_t>(directive.backend);
    case Dimension::Placement:
      return static_cast<size_t>(directive.placement);
    case Dimension::Sync:
      return static_cast<size_t>(directive.sync);
    case Dimension::Issuer:
      return static_cast<size_t>(directive.issuer);
    case Dimension::Chunk:
      break;
  }
  CUCO_ASSERT(dimension != Dimension::Chunk);
  return 0;
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  static constexpr std::array<std::string_view, kDimensionCount> kNames = {"backend", "placement", "sync", "issuer",
                                                                           "chunk"};
  return kNames[static_cast<size_t>(dimension)];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::string near = closest(word, known);
  return near.empty() ? "" : concat(" (did you mean `", near, "`?)");
}

std::string chunk_text(uint64_t chunk_bytes) {
  CUCO_ASSERT(is_chunk(chunk_bytes));
  if (chunk_bytes == kWholeMessage) return "whole";
  const Unit* unit = kUnits.begin();
  while (chunk_bytes < unit->bytes) ++unit;
  return concat(chunk_bytes / unit->bytes, unit->name);
}

std::string value_text(const Directive& directive, Dimension dimension) {
  if (dimension == Dimension::Chunk) return chunk_text(directive.chunk_bytes);
  return std::string(words_of(dimension)[word_index(directive, dimension)]);
}

std::string to_text(const Directive& directive) {
  std::vector<std::string> words;
  for (Dimension dimension : kDimensions) words.push_back(value_text(directive, dimension));
  return join(words, "/");
}

std::optional<TextFault> read_directive(std::string_view text, Directive& directive) {
  std::vector<std::string> words = split(text, '/');
  if (words.size() != kDimensionCount)
    return TextFault{0, concat("directive `", text, "` has ", counted(words.size(), "part"),
                               "; write backend/placement/sync/issuer/chunk, such as gin/split/peer-signal/cta/whole")};
  size_t offset = 0;
  for (Dimension dimension : kDimensions) {
    const std::string& word = words[static_cast<size_t>(dimension)];
    if (std::optional<TextFault> fault = read_value(word, dimension, directive))
      return TextFault{offset, std::move(fault->message)};
    offset += word.size() + 1;
  }
  return std::nullopt;
}

Result<Directive> parse_directive(std::string_view text) {
  Directive directive;
  if (std::optional<TextFault> fault = read_directive(text, directive)) return Error{std::move(fault->message)};
  return directive;
}

size_t value_count(Dimension dimension) {
  return dimension == Dimension::Chunk ? kChunkLadder.size() : words_of(dimension).size();
}

void set_value(Directive& directive, Dimension dimension, size_t value) {
  CUCO_ASSERT(value < value_count(dimension));
  if (dimension == Dimension::Chunk)
    directive.chunk_bytes = kChunkLadder[value];
  else
    set_word(directive, dimension, value);
}

size_t combination_count() {
  size_t count = 1;
  for (Dimension dimension : kDimensions) count *= value_count(dimension);
  return count;
}

}  // namespace cuco::space
