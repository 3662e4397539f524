#include "rewrite/passes/specialise.h"

#include <algorithm>

#include "base/text.h"
#include "rewrite/text/comm_text.h"

namespace cuco::rewrite {

namespace {

size_t item_count(const std::string& angled) {
  std::vector<Item> items;
  if (!angled.empty()) read_list(angled, 1, ">", items, Angles::Enclose);
  return items.size();
}

}  // namespace

bool is_specialised(const Work& work, Index site) {
  return directive_of(work, site).placement == space::Placement::Specialised;
}

std::string specialised_obstacle(const Work& work, Index site) {
  const space::Directive& directive = directive_of(work, site);
  const Operation& call = first_call(work, site);
  Collective collective = call.communicate->collective;
  if (is_reduction(collective))
    return concat("no rule reduces in blocks of their own; ", call.callee, " can be tile-fused");
  if (collective == Collective::Send || collective == Collective::Recv)
    return concat("no rule has blocks of their own for ", call.callee, ", only for collectives");
  if (directive.chunk_bytes == space::kWholeMessage)
    return "blocks that only communicate need parts to send while others compute; choose a chunk size";
  if (directive.issuer == space::Issuer::Thread || directive.issuer == space::Issuer::Warp)
    return concat("no rule writes ", space::to_text(directive),
                  ": whole blocks communicate, which is cta or multi-cta");
  return "";
}

std::string specialised_kernel_obstacle(const KernelParts& kernel, const std::string& called) {
  for (const char* word : {"fused", "place", "tile"})
    if (std::ranges::find(kernel.names, word) != kernel.names.end())
      return concat("has a parameter with the name ", word);
  size_t angle = called.find('<');
  std::string given = angle == called.npos ? "" : called.substr(angle);
  if (item_count(given) < item_count(kernel.template_arguments))
    return "is launched with template arguments that are not written out, so its room on the device cannot be asked "
           "for";
  return "";
}

std::string specialised_text(const KernelParts& kernel, const std::string& body, const std::string& reach) {
  return concat("  const unsigned place = cuco::comm::begin_specialised(fused);\n",
                "  if (place < fused.communicators) return cuco::comm::communicate<cuco::comm::", reach,
                ">(fused, place);\n", "  cuco::comm::Tile tile = {};\n",
                "  while (cuco::comm::take_tile(fused, tile)) ", body_call(kernel, body, "tile.block, fused.grid"),
                ";\n");
}

std::string room_text(const std::string& kernel, const LaunchText& launch) {
  return concat("cuco::comm::resident_blocks(", kernel, ", ", launch.configuration[1].text, ", ", launch.shared_bytes(),
                "), ");
}

}  // namespace cuco::rewrite
