// The plan that a program's code shows, for code that no rule wrote: a directive for each site of the original.
//
// A site is found again as a host call with the same name and buffers; as a call of the communication library that
// has the number of the site or of one in its group; as kernels of such a call, or named after the site (s1_...); as
// kernels that touch its buffers; else by the order of sites and kernels. Where a kernel of the program's own sends
// what the site does, a call of the library beside it is what the program falls back to. A kernel says by its calls
// which backend it uses and how it waits, and by its launches who issues and on which stream. One that does work of the
// original besides is fused, or specialised where only some of its blocks move bytes; one that does such work and only
// waits makes blocks wait. What the code does not show has the fast path's value, and is named.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/comm_graph.h"
#include "rewrite/text/edits.h"
#include "rewrite/words.h"
#include "space/plan.h"

namespace cuco::rewrite {

struct InferredPlan {
  space::Plan plan;
  std::map<std::string, std::vector<std::string>> kernels;  // By site: those that stand for it.
  std::vector<std::string> unknown;                         // One sentence each, led by the name of the site.
};

struct InferInput {
  const model::Program& before;
  const model::CommGraph& graph_before;
  const model::Program& after;
  const model::CommGraph& graph_after;
  const std::vector<Source>& sources;  // Of `after`.
};

InferredPlan infer_plan(const InferInput& input);

}  // namespace cuco::rewrite
