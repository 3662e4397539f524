// What is known of a launch by its numbers, as it is written where it is launched.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rewrite/text/launch_text.h"
#include "rewrite/words.h"

namespace cuco::rewrite {

class RelationText {
 public:
  RelationText(const model::Kernel& kernel, const LaunchText& launch) : kernel_(kernel), launch_(launch) {}

  // "2 * cuco::comm::value_of(n)"; "cuco::comm::quotient(cuco::comm::value_of(n), 32)" where it has to divide.
  std::string of(const footprint::Term& term) const;
  // "cuco::comm::Shape().on_grid(2, 0, 1).of_threads(64, 1, 1).when(cuco::comm::value_of(top) == 1)": extents of 0 may
  // differ, or follow from other numbers by a relation.
  std::string shape(const footprint::LaunchGuard& guard) const;
  // "{SHAPE.reads(...), SHAPE...}": each form with the text of its accesses.
  std::string shapes(const std::vector<AccessForm>& forms, const char* between,
                     const std::function<std::string(const AccessTerms&)>& text_of) const;
  // "cuco::comm::value_of(top) == 1 && ..."; empty when there are none.
  std::string of(const std::vector<footprint::Relation>& relations) const;
  // ".reads(a, cuco::comm::Span().from(-512).step(1024).length(2048))", with `more` in front of the span; what is the
  // library's own is left out.
  std::string touched(const AccessTerms& access, const std::string& pointer, const std::string& more = {}) const;
  // "cuco::comm::Tiles().step(128, 1024, 0).piece(128).rows(2, 512)".
  std::string tiles(const AccessTerms& access) const;

 private:
  std::string of(const footprint::LaunchNumber& number) const;
  std::string extents(const std::array<uint32_t, 3>& traced, const std::vector<footprint::Relation>& relations) const;

  const model::Kernel& kernel_;
  const LaunchText& launch_;
};

}  // namespace cuco::rewrite
