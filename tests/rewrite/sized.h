// Programs of tests/rewrite that are rewritten by traces of some sizes.
#pragma once

#include <set>

#include "built_program.h"
#include "planned.h"
#include "traced_run.h"

namespace cuco {

using Sizes = std::vector<std::string>;

struct Case {
  const char* program;
  space::Backend backend;
  const char* way = "/stream/chunk-signal/cta/1KiB";
  uint32_t streams = 1;
  space::Waits waits = space::Waits::Stream;
};

inline std::string directive_of(const Case& one) {
  return concat(space::value_text(space::Directive{one.backend}, space::Dimension::Backend), one.way);
}

inline uint32_t nodes_of(const Case& one) { return one.backend == space::Backend::Lsa ? 1 : 2; }

inline model::AccessTrace traced_at(const Case& one, const Sizes& first, const std::vector<Sizes>& further) {
  auto trace_of = [&](const Sizes& sizes) {
    return traced_run({kFolder / one.program, {}, sizes, 4, nodes_of(one)}, one.backend).trace;
  };
  model::AccessTrace trace = trace_of(first);
  for (const Sizes& sizes : further) trace.further.push_back(trace_of(sizes));
  return trace;
}

inline Result<rewrite::Rewritten> rewritten_by(const Case& one, const model::AccessTrace& trace) {
  Result<Analysed> all = analysed(kFolder / one.program);
  if (!all) return all.error();
  space::Schedule schedule;
  schedule.streams = one.streams;
  schedule.waits = one.waits;
  space::Plan plan = uniform_plan(*all, directive_of(one), schedule);
  rewrite::Request request{all->program, all->graph, all->sites, plan, all->sources};
  request.accesses = &trace;
  return rewrite::rewrite(request);
}

// As the traces let it, or why not.
inline std::string rewritten_text(const Case& one, const model::AccessTrace& trace) {
  Result<rewrite::Rewritten> result = rewritten_by(one, trace);
  return result ? result->sources[0].text : result.error().message;
}

// The names of the kernels that were launched, without those that open channels.
inline std::set<std::string> kernels_of(const model::AccessTrace& trace) {
  std::set<std::string> kernels;
  for (const std::vector<model::TracedStep>& steps : trace.ranks)
    for (const model::TracedStep& step : steps) {
      const std::string& name = step.launch.kernel;
      if (step.is_launch && name.find("exchange_for<0,") == name.npos) kernels.insert(name.substr(0, name.find('<')));
    }
  return kernels;
}

// What a program prints at sizes, under all checkers, built once.
class SizedProgram {
 public:
  explicit SizedProgram(const std::filesystem::path& file) : built_(BuiltProgram::build({file}, true, kSource)) {}

  std::string at(const Case& one, const Sizes& sizes, const std::filesystem::path& accesses = {}) const {
    return without_fallbacks(with_fallbacks_at(one, sizes, accesses));
  }

  std::string with_fallbacks_at(const Case& one, const Sizes& sizes,
                                const std::filesystem::path& accesses = {}) const {
    if (!built_) return built_.error().message;
    return built_->outcome({sizes, 4, nodes_of(one), profile_for(one.backend), {}, 1, accesses});
  }

  // And what it launches.
  std::pair<std::string, std::set<std::string>> run_at(const Case& one, const Sizes& sizes) const {
    ScratchFolder scratch = ScratchFolder::make("cuco-sizes").value();
    std::string text = at(one, sizes, scratch.path() / "accesses");
    Result<std::string> accesses = read_file(scratch.path() / "accesses");
    Result<model::AccessTrace> trace = model::parse_access_trace(accesses ? *accesses : "");
    return {text, trace ? kernels_of(*trace) : std::set<std::string>{trace.error().message}};
  }

 private:
  Result<BuiltProgram> built_;
};

inline SizedProgram built_from(const std::string& text) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sizes").value();
  EXPECT_TRUE(write_file(scratch.path() / "program.cu", text));
  return SizedProgram(scratch.path() / "program.cu");
}

}  // namespace cuco
