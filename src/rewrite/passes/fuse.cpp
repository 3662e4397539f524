#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "rewrite/passes/launch_followers.h"
#include "rewrite/passes/specialise.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/held_launch.h"
#include "rewrite/text/relation_text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

Followers followers_of(const Work& work, Index site, const Operation& launch) {
  return followers_of(work, launch, {[&](Index operation) { return is_call_of(work, site, operation); }});
}

bool is_reduction_site(const Work& work, Index site) {
  return is_reduction(first_call(work, site).communicate->collective);
}

// Bytes of each row that a unit owns.
uint64_t piece_of(const FuseFacts& facts) {
  const Cut& cut = facts.slices.cut;
  return cut.piece_bytes == 0 ? facts.message_bytes / facts.slices.unit_count : cut.piece_bytes;
}

std::string reduction_obstacle(const Work& work, Index site, const FuseFacts& facts) {
  if (traced_type_of(work, site, facts.element_bytes).empty())
    return concat("which of its calls' types has the ", facts.element_bytes,
                  " bytes of the traced elements is not known");
  if (piece_of(facts) % facts.element_bytes != 0) return concat("blocks of ", facts.slices.kernel, " share elements");
  return "";
}

std::string obstacle_of(const Work& work, Index site, const FuseFacts& facts, const FusedSites& before) {
  if (!facts.obstacle.empty()) return facts.obstacle;
  if (is_reduction_site(work, site))
    if (std::string obstacle = reduction_obstacle(work, site, facts); !obstacle.empty()) return obstacle;
  for (const auto& [other, known] : before)
    if (same_place(known.slices.launch, facts.slices.launch))
      return concat("the launch of ", facts.slices.kernel, " at ", facts.slices.launch, " is held for ",
                    work.site(other).name, " already, and a launch sends for one call");
  for (Index other : work.sites)
    if (is_in_flight(work, other))
      return concat(work.site(other).name, " runs beside the program's work, whose order is kept by ",
                    "launches that are not held back");
  const Operation* launch = launch_at(work, facts.slices.launch);
  if (!launch) return concat("the analysis finds no launch of a known kernel at ", facts.slices.launch);
  if (!is_pointer(work.program().kernels[launch->launch->kernel], facts.source_parameter))
    return concat(facts.slices.kernel, " gets the place where the messages begin in a structure");
  return followers_of(work, site, *launch).obstacle;
}

// What a fused kernel of the site calls.
struct FusedWords {
  std::string hold;    // "cuco::comm::launch_fused(".
  std::string work;    // "FusedSend": what the kernel gets.
  std::string begin;   // "begin_fused<cuco::comm::Lsa>".
  std::string end;     // "end_fused<cuco::comm::Lsa>".
  bool apart = false;  // Some of its blocks do nothing else; what they call is specialise.h's.
};

FusedWords words_of(Work& work, Index site, const FuseFacts& facts) {
  if (is_specialised(work, site)) return {"cuco::comm::launch_specialised(", "Specialised", "", "", true};
  std::string reach = concat("<cuco::comm::", reach_of(work, site));
  if (!is_reduction_site(work, site))
    return {"cuco::comm::launch_fused(", "FusedSend", concat("begin_fused", reach, ">"),
            concat("end_fused", reach, ">")};
  std::string type = traced_type_of(work, site, facts.element_bytes);
  return {concat("cuco::comm::launch_reducing(", type, ","), "FusedReduce", "begin_reducing",
          concat("end_reducing", reach, ", ", element_types_of(work, site)[type],
                 ", cuco::comm::", reduction_of(work, site), ">")};
}

// Which launches are like the traced ones, and how large their messages are.
std::string guard_text(const FuseFacts& facts, const RelationText& numbers) {
  const SliceFacts& slices = facts.slices;
  std::string bytes = numbers.of(slices.message_bytes);
  if (facts.at_other_sizes) return concat(numbers.shape(slices.guard), ".message(", bytes, ")");
  std::string text = numbers.shape({facts.grid, facts.block}), like = numbers.of(slices.guard.relations);
  if (!slices.message_bytes.is_constant())
    like += concat(like.empty() ? "" : " && ", bytes, " == ", facts.guarded_bytes);
  return concat(text, like.empty() ? "" : concat(".when(", like, ")"), ".message(", facts.guarded_bytes, ")");
}

std::string shape_of(const FuseFacts& facts, const RelationText& numbers) {
  const Cut& cut = facts.slices.cut;
  return concat(guard_text(facts, numbers), cut.dimension == 0 ? "" : concat(".along(", cut.dimension, ")"),
                cut.piece_bytes == 0 ? "" : concat(".row_piece(", cut.piece_bytes, ")"),
                facts.tiles.has_rule() ? concat(".in_tiles(", numbers.tiles(facts.tiles), ")") : "");
}

HeldLaunch held_launch(const FusedWords& words, const FuseFacts& facts, const LaunchParts& parts,
                       const model::Kernel& kernel, const std::string& suffix) {
  std::string fused = with_suffix(parts.called, suffix);
  std::vector<std::string> arguments;
  for (const Item& item : parts.launch.arguments) arguments.push_back(item.text);
  return {words.hold,
          shape_of(facts, RelationText(kernel, parts.launch)),
          words.apart ? room_text(fused, parts.launch) : "",
          concat(", cuco::comm::pointers_of(", join(arguments, ", "), ")"),
          words.work,
          parts.called,
          fused};
}

// A kernel of the program and the sites that it is to communicate for, each from another launch.
struct FusedKernel {
  Index file;
  LaunchParts parts;
  std::vector<std::pair<Index, FusedWords>> sites = {};

  // Whether the body is told how large its grid is.
  bool takes_grid() const {
    return std::ranges::any_of(sites, [](const auto& site) { return site.second.apart; });
  }
};
using FusedKernels = std::map<std::pair<Index, uint32_t>, FusedKernel>;  // By file and place.

std::string suffix_of(const Work& work, Index site) { return concat("_with_", work.site(site).name); }

// The kernel that communicates for the site.
MadeKernel made_for(const Work& work, const FusedKernel& kernel, Index site, const FusedWords& words) {
  const KernelParts& parts = kernel.parts.kernel;
  std::string body = concat(kernel.parts.name, "_body"), block = kernel.takes_grid() ? "block, gridDim" : "block";
  std::string text = words.apart
                         ? specialised_text(parts, body, reach_of(work, site))
                         : concat("  const uint3 block = cuco::comm::", words.begin, "(fused);\n  ",
                                  body_call(parts, body, block), ";\n  cuco::comm::", words.end, "(fused, block);\n");
  return {concat("With the exchange of ", work.site(site).name, words.apart ? ", by blocks of its own." : "."),
          concat(kernel.parts.name, suffix_of(work, site)), concat("const cuco::comm::", words.work, " fused"), text};
}

void write_kernel(Work& work, const FusedKernel& kernel) {
  std::vector<MadeKernel> made;
  for (const auto& [site, words] : kernel.sites) made.push_back(made_for(work, kernel, site, words));
  write_kernels(work, kernel.file, kernel.parts, kernel.parts.kernel, kernel.takes_grid(), made);
}

std::string fuse(Work& work, Index site, const FuseFacts& facts, FusedKernels& kernels) {
  const Operation& operation = *launch_at(work, facts.slices.launch);
  const model::Kernel& kernel = work.program().kernels[operation.launch->kernel];
  Result<LaunchParts> parts = launch_parts(work, operation);
  if (!parts) return parts.error().message;
  FusedWords words = words_of(work, site, facts);
  if (words.apart)
    if (std::string obstacle = specialised_kernel_obstacle(parts->kernel, parts->called); !obstacle.empty())
      return obstacle;
  Index file = kernel.range.file;
  kernels.try_emplace({file, parts->kernel.begin}, FusedKernel{file, *parts})
      .first->second.sites.emplace_back(site, words);
  uint32_t begin = operation.range.begin_byte;
  work.edits.replace(operation.range.file, begin, operation.range.end_byte,
                     held_text(held_launch(words, facts, *parts, kernel, suffix_of(work, site)), parts->launch,
                               indentation(work.text_of(operation.range), begin)));
  return "";
}

// One that is to be held itself lets the launch before it go.
bool is_held(const Work& work, const Operation& operation) {
  return std::ranges::any_of(work.found.fusions, [&](const auto& fusion) {
    const Operation* launch = launch_at(work, fusion.second.slices.launch);
    return launch && launch->range == operation.range;
  });
}

void release_before(Work& work, const std::set<Index>& operations) {
  release_before(work, operations, [&](const Operation& operation) { return is_held(work, operation); });
}

std::string sender_text(const Work& work, Index site) {
  if (!is_specialised(work, site)) return "each from the last block on that works on it";
  return concat("each when it is written, by ", blocks_of(work, site), " of its blocks, which compute nothing; ",
                "where the GPU has no room for more the launch runs as written");
}

}  // namespace

bool is_fused(const Work& work, Index site) {
  return directive_of(work, site).placement == space::Placement::TileFused || is_specialised(work, site);
}

std::string fused_obstacle(const Work& work, Index site) {
  if (is_specialised(work, site)) return specialised_obstacle(work, site);
  if (!is_fused(work, site) || directive_of(work, site).chunk_bytes != space::kWholeMessage) return "";
  return concat("no rule writes ", space::to_text(directive_of(work, site)),
                ": a kernel sends what it writes part by part; choose a chunk size");
}

FusedSites find_fusions(Work& work) {
  FusedSites fusions;
  for (Index site : work.sites) {
    if (!is_fused(work, site) || is_pairwise(work, site) || !fused_obstacle(work, site).empty()) continue;
    const SourceRange& range = first_call(work, site).range;
    if (!work.request.accesses) {
      work.obstacle(range, "sending from inside a kernel needs a traced run of the program");
      continue;
    }
    const space::Directive& directive = directive_of(work, site);
    FuseFacts facts = fuse_facts(*work.request.accesses, place_of(work, range), directive.chunk_bytes,
                                 directive.backend == space::Backend::Lsa ? Path::Memory : Path::Network);
    if (std::string obstacle = obstacle_of(work, site, facts, fusions); !obstacle.empty())
      work.obstacle(range, "no kernel can send the messages itself: ", obstacle);
    else
      fusions.emplace(site, std::move(facts));
  }
  return fusions;
}

void fuse_kernels(Work& work) {
  std::set<Index> others;
  FusedKernels kernels;
  for (const auto& [site, facts] : work.found.fusions) {
    const Operation& launch = *launch_at(work, facts.slices.launch);
    others.merge(followers_of(work, site, launch).others);
    if (std::string obstacle = fuse(work, site, facts, kernels); !obstacle.empty())
      work.obstacle(launch.range, facts.slices.kernel, " cannot send what it writes: it ", obstacle);
    work.note(work.site(site).name, is_reduction_site(work, site) ? " is reduced by " : " is sent by ",
              facts.slices.kernel, " in ", facts.slices.slice_count, " parts, ", sender_text(work, site),
              facts.at_other_sizes ? "; which blocks write which part held at further sizes, and launches unlike the "
                                     "traced ones run as written"
                                   : "; launches of another shape than the traced one run as written");
  }
  for (const auto& [place, kernel] : kernels) write_kernel(work, kernel);
  release_before(work, others);
}

}  // namespace cuco::rewrite
