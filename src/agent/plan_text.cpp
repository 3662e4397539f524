#include "agent/plan_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/files.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

using space::Backend;
using space::Dimension;

std::string_view meaning(Backend backend) {
  switch (backend) {
    case Backend::Host:
      return "leave the host's NCCL call as it is";
    case Backend::Lsa:
      return "load and store on the peers' windows, within a node";
    case Backend::Gin:
      return "put and signal through the NIC, from inside a kernel";
    case Backend::Hybrid:
      return "LSA to peers of the same node, GIN to all others";
    case Backend::Multimem:
      return "multicast loads and stores on the windows of a node";
  }
  CUCO_ASSERT(false);
}

std::string_view meaning(space::Placement placement) {
  switch (placement) {
    case space::Placement::Deferred:
      return "communicate after the producing kernel has ended";
    case space::Placement::Split:
      return "start the transfer as early, and wait for it as late, as data allows";
    case space::Placement::Stream:
      return "communicate in a kernel on a stream of its own, ordered by events";
    case space::Placement::TileFused:
      return "send each tile from the producer's epilogue, wait per tile in the consumer's prologue";
    case space::Placement::Specialised:
      return "some CTAs of a persistent kernel do nothing but communicate";
  }
  CUCO_ASSERT(false);
}

std::string_view meaning(space::SyncScope sync) {
  switch (sync) {
    case space::SyncScope::Barrier:
      return "a barrier over the team before and after";
    case space::SyncScope::PeerSignal:
      return "one signal per peer";
    case space::SyncScope::ChunkSignal:
      return "one signal per chunk";
    case space::SyncScope::Flag:
      return "flags or counters in memory that kernels poll";
    case space::SyncScope::StreamEvent:
      return "the order of streams and events";
    case space::SyncScope::HostSync:
      return "the host waits";
  }
  CUCO_ASSERT(false);
}

std::string_view meaning(space::Issuer issuer) {
  switch (issuer) {
    case space::Issuer::Thread:
      return "one thread issues";
    case space::Issuer::Warp:
      return "one warp issues";
    case space::Issuer::Cta:
      return "one CTA issues";
    case space::Issuer::MultiCta:
      return "several CTAs share the work";
  }
  CUCO_ASSERT(false);
}

std::string meaning_of(const space::Directive& directive, Dimension dimension) {
  switch (dimension) {
    case Dimension::Backend:
      return std::string(meaning(directive.backend));
    case Dimension::Placement:
      return std::string(meaning(directive.placement));
    case Dimension::Sync:
      return std::string(meaning(directive.sync));
    case Dimension::Issuer:
      return std::string(meaning(directive.issuer));
    case Dimension::Chunk:
      break;
  }
  return directive.chunk_bytes == space::kWholeMessage ? "the message to a peer in one piece"
                                                       : "pieces of this size of the message to a peer";
}

bool uses(const space::Plan& plan, const std::vector<Backend>& backends) {
  return std::any_of(plan.choices.begin(), plan.choices.end(), [&](const space::SiteChoice& choice) {
    return std::find(backends.begin(), backends.end(), choice.directive.backend) != backends.end();
  });
}

}  // namespace

std::string describe_plan(const space::Plan& plan) {
  std::string text;
  for (const space::SiteChoice& choice : plan.choices) {
    text += concat("Site ", choice.site, ":\n");
    for (Dimension dimension : space::kDimensions)
      text += concat("- ", space::name_of(dimension), ": ", space::value_text(choice.directive, dimension), " (",
                     meaning_of(choice.directive, dimension), ")\n");
  }
  return text + concat("Schedule: ", space::to_text(plan.schedule), "\n");
}

std::string describe_placements() {
  using space::Placement;
  std::vector<std::string> words;
  for (Placement placement :
       {Placement::Deferred, Placement::Split, Placement::Stream, Placement::TileFused, Placement::Specialised})
    words.push_back(
        concat(space::value_text({.placement = placement}, Dimension::Placement), " (", meaning(placement), ")"));
  return concat("Placements: ", join(words, "; "), ".\n");
}

Result<std::string> load_api_rules(const std::filesystem::path& share, const space::Plan& plan, ApiReader reader) {
  std::vector<std::string> parts = {"api/common.txt"};
  parts.push_back(reader == ApiReader::Converts ? "api/setup.txt" : "api/helpers.txt");
  if (uses(plan, {Backend::Lsa, Backend::Hybrid, Backend::Multimem}))
    parts.insert(parts.end(), {"api/lsa.txt", "examples/lsa_stores.cuh", "examples/lsa_counters.cuh"});
  if (uses(plan, {Backend::Gin, Backend::Hybrid}))
    parts.insert(parts.end(), {"api/gin.txt", "examples/gin_puts.cuh", "examples/gin_chunks.cuh"});
  if (uses(plan, {Backend::Multimem})) parts.push_back("api/multimem.txt");
  std::string rules;
  for (const std::string& part : parts) {
    CUCO_TRY(std::string text, read_file(share / "prompts" / part));
    rules += part.ends_with(".cuh") ? concat("```cuda\n", text, "```\n") : text;
  }
  return rules;
}

}  // namespace cuco::agent
