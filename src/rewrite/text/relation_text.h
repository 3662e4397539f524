// Terms and relations of a launch's numbers, as they are written where it is launched.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/program.h"
#include "rewrite/evidence/launch_relations.h"
#include "rewrite/text/launch_text.h"

namespace cuco::rewrite {

class RelationText {
 public:
  RelationText(const model::Kernel& kernel, const LaunchText& launch) : kernel_(kernel), launch_(launch) {}

  // "2 * cuco::comm::value_of(n)"; "cuco::comm::quotient(cuco::comm::value_of(n), 32)" where it has to divide.
  std::string of(const Term& term) const;
  // "cuco::comm::Shape().on_grid(2, 0, 1).of_threads(64, 1, 1).when(cuco::comm::value_of(top) == 1)": extents of 0 may
  // differ, or follow from other numbers by a relation.
  std::string shape(const std::array<uint32_t, 3>& grid, const std::array<uint32_t, 3>& block,
                    const std::vector<Relation>& relations) const;
  // "cuco::comm::value_of(top) == 1 && ..." of the relations of arguments; empty when there are none.
  std::string of_arguments(const std::vector<Relation>& relations) const;
  // The same of all relations, also those of the grid.
  std::string of(const std::vector<Relation>& relations) const;

 private:
  std::string of(const LaunchNumber& number) const;
  std::string extents(const std::array<uint32_t, 3>& traced, const std::vector<Relation>& relations) const;

  const model::Kernel& kernel_;
  const LaunchText& launch_;
};

// "cuco::comm::Span().from(-512).step(1024).length(2048)", with `more` in front; what is the library's own is left out.
std::string span_text(const std::string& offset, const std::string& stride, const std::string& bytes,
                      const std::string& more = {});
// "cuco::comm::Tiles().step(128, 1024, 0).piece(128).rows(2, 512)".
std::string tiles_text(const std::string& x, const std::string& y, const std::string& z, const std::string& bytes,
                       const std::string& count, const std::string& stride);

}  // namespace cuco::rewrite
