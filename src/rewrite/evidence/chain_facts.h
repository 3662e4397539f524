// The launches that stand between what is received and what is sent, from a traced run: those that write what a call
// sends or read what one receives, those that write what these read, and so on. Cut into slices that wait for each
// other by the bytes they touch, slice k of one goes on with slice k of the next, and part k of a message leaves while
// the others compute.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rewrite/evidence/unit_forms.h"
#include "rewrite/words.h"

namespace cuco::rewrite {

// One launch in the source.
struct ChainLaunch {
  std::string place;  // "file:line".
  std::string kernel;
  std::string obstacle;  // Why it runs whole, as the end of a sentence; empty when it can be cut.
  std::vector<UnitForm> forms = {};
  std::set<std::pair<uint32_t, uint32_t>> pointers = {};  // Parameter and field of all that it gets.
};

// For the sends and receives at these places.
std::vector<ChainLaunch> chain_of(const AccessTrace& trace, const std::vector<std::string>& places);

}  // namespace cuco::rewrite
