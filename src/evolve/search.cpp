#include "evolve/search.h"

#include "evolve/course.h"

namespace cuco::evolve {
namespace {

bool interrupted(const SearchInput& input) { return input.interrupted && input.interrupted(); }

Status advance(Course& course, SearchInput& input, bool& over) {
  Result<std::optional<store::Step>> step = course.next();
  if (!step) return step.error();
  over = !step->has_value();
  if (over) return Done{};
  // A step made while the run was being ended may lack what was cut short, such as a model's reply. Nothing is lost by
  // making it again: what was paid for is in the log.
  if (interrupted(input)) return Done{};
  if (Status committed = input.store->commit(**step); !committed) return committed;
  course.add(**step);
  return Done{};
}

}  // namespace

Result<Outcome> search(SearchInput& input) {
  if (Status status = check(input.options); !status) return status.error();
  Course course(input);
  Result<std::vector<store::Step>> steps = input.store->steps();
  if (!steps) return steps.error();
  if (Status restored = course.restore(*steps); !restored) return restored.error();
  for (bool over = false; !over;) {
    if (interrupted(input)) {
      Outcome outcome = course.outcome();
      if (!outcome.finished) outcome.stop_reason = "It was interrupted.";
      return outcome;
    }
    if (Status status = advance(course, input, over); !status) return status.error();
  }
  return course.outcome();
}

}  // namespace cuco::evolve
