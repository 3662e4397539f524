// From a host-driven program and a plan to a device-initiated program, by text edits. Pure: no file is read or written,
// and the same request gives the same text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/comm_graph.h"
#include "rewrite/text/edits.h"
#include "rewrite/words.h"
#include "space/facts.h"
#include "space/plan.h"

namespace cuco::rewrite {

enum class Stage : uint8_t {
  Windows,  // Memory, windows and device communicator; host collectives stay.
  Whole,    // Every site that the plan takes off the host.
};

struct Request {
  const model::Program& program;
  const model::CommGraph& graph;
  const std::vector<space::SiteFacts>& sites;  // One per site of the graph.
  const space::Plan& plan;
  const std::vector<Source>& sources;  // One per file of the program, in its order.
  Stage stage = Stage::Whole;
  const AccessTrace* accesses = nullptr;  // Of a run of the program; needed where something is cut.
  // Of stage Windows: kernels that feed the sites are launched in so many slices, and the host's calls follow the last.
  uint32_t compute_slices = 1;
};

struct Rewritten {
  std::vector<Source> sources;                 // Of the request's, in their order, then files that are added.
  std::map<std::string, std::string> kernels;  // By the name of the site that each stands for.
  std::vector<std::string> notes;              // What was done, and what was left, one sentence each.
};

// An error lists every construct that stands in the way, with file:line:col.
Result<Rewritten> rewrite(const Request& request);

// The program as it is, with what may evolve between markers.
Result<std::vector<Source>> marked(const Request& request);

// The sites that the plan takes off the host, as indices into the graph.
std::vector<Index> device_sites(const Request& request);

}  // namespace cuco::rewrite
