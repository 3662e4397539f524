// Terms and relations of a launch's numbers, as they are written where it is launched.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/program.h"
#include "rewrite/launch_relations.h"
#include "rewrite/launch_text.h"

namespace cuco::rewrite {

class RelationText {
 public:
  RelationText(const model::Kernel& kernel, const LaunchText& launch) : kernel_(kernel), launch_(launch) {}

  // "2 * device_comm::number(n)"; "device_comm::whole(device_comm::number(n), 32)" where it has to divide.
  std::string of(const Term& term) const;
  // "device_comm::has_shape(grid, {2, 0, 1})": extents of 0 may differ, or follow from other numbers by a relation.
  std::string of_extents(const std::string& extent, const std::array<uint32_t, 3>& traced,
                         const std::vector<Relation>& relations) const;
  // The extents by themselves: "{2, 0, 1}".
  std::string of_extents(const std::array<uint32_t, 3>& traced, const std::vector<Relation>& relations) const;
  // "device_comm::number(top) == 1 && ..." of the relations of arguments; empty when there are none.
  std::string of_arguments(const std::vector<Relation>& relations) const;
  // The same of all relations, also those of the grid.
  std::string of(const std::vector<Relation>& relations) const;

 private:
  std::string of(const LaunchNumber& number) const;

  const model::Kernel& kernel_;
  const LaunchText& launch_;
};

}  // namespace cuco::rewrite
