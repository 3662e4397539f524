#include "model/dot.h"

#include <map>
#include <set>
#include <tuple>

#include "base/text.h"

namespace cuco::model {

namespace {

// Not named quoted: std has one, which is found for a std::string wherever some header brings it in.
std::string quoted_label(std::string_view text) {
  std::string escaped = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped + '"';
}

std::map<Index, std::string> names_of_sites(const CommGraph& graph) {
  std::map<Index, std::string> names;
  for (const Site& site : graph.sites)
    for (Index operation : site.operations) names[operation] = site.name;
  return names;
}

std::set<Index> nodes_of(const Program& program, const CommGraph& graph) {
  std::set<Index> nodes;
  for (Index index = 0; index < program.operations.size(); ++index)
    if (is_device_work(program.operations[index].kind)) nodes.insert(index);
  for (const Dependence& dependence : graph.dependences) nodes.insert({dependence.from, dependence.to});
  return nodes;
}

std::string node_text(const Program& program, Index index, const std::string& site) {
  const Operation& operation = program.operations[index];
  std::string label = site.empty() ? operation.callee : concat(site, " ", operation.callee);
  label += concat("\n", location_text(program, operation.range));
  if (operation.stream < program.streams.size()) label += concat("\nstream ", program.streams[operation.stream].name);
  std::string style = site.empty() ? "" : ", style=filled, fillcolor=gold, penwidth=2";
  return concat("  o", index, " [label=", quoted_label(label), style, "];\n");
}

// Edges that look alike become one, with all their buffers on it.
using EdgeLook = std::tuple<Index, Index, DependenceKind, bool, bool, bool>;

std::string edge_text(const EdgeLook& look, const std::vector<std::string>& buffers) {
  auto [from, to, kind, carried, assumed, ordered] = look;
  std::string label = join(buffers, ", ");
  if (kind == DependenceKind::WriteAfterRead) label += " (reuse)";
  if (kind == DependenceKind::WriteAfterWrite) label += " (overwrite)";
  if (assumed) label += " ?";
  std::string style;
  if (carried)
    style += ", style=dashed";
  else if (assumed)
    style += ", style=dotted";
  if (!ordered) style += ", color=red, fontcolor=red";
  return concat("  o", from, " -> o", to, " [label=", quoted_label(label), style, "];\n");
}

}  // namespace

std::string to_dot(const Program& program, const CommGraph& graph) {
  std::map<Index, std::string> sites = names_of_sites(graph);
  std::string text = "digraph communication {\n  node [shape=box, fontname=\"monospace\"];\n";
  for (Index node : nodes_of(program, graph)) text += node_text(program, node, sites[node]);
  std::map<EdgeLook, std::vector<std::string>> edges;
  for (const Dependence& d : graph.dependences)
    edges[{d.from, d.to, d.kind, d.carried, d.assumed, d.ordered}].push_back(program.buffers[d.buffer].name);
  for (const auto& [look, buffers] : edges) text += edge_text(look, buffers);
  return text + "}\n";
}

}  // namespace cuco::model
