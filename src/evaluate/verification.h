// A candidate at one size, executed whole: under the checkers with each of the request's seeds, then timed, and every
// time compared with what the baseline put out.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evaluate/confined_program.h"
#include "evaluate/evaluate.h"
#include "evaluate/reference.h"

namespace cuco::evaluate {

// Baseline and candidate of a request. Where they are one text they are one program, which is built once.
class Programs {
 public:
  static Result<Programs> make(const EvaluationRequest& request, const model::HardwareProfile& profile);

  ConfinedProgram& candidate() { return candidate_; }
  ConfinedProgram& baseline() { return baseline_ ? *baseline_ : candidate_; }
  bool are_one() const { return !baseline_; }
  // See ConfinedProgram::hit_limit(), of the candidate.
  bool hit_limit() const { return candidate_.hit_limit(); }

 private:
  Programs(ConfinedProgram candidate, std::optional<ConfinedProgram> baseline)
      : candidate_(std::move(candidate)), baseline_(std::move(baseline)) {}

  ConfinedProgram candidate_;
  std::optional<ConfinedProgram> baseline_;
};

bool is_same(const std::vector<SourceFile>& a, const std::vector<SourceFile>& b);

// The command with one more option of cuco, before what follows "--", which is the program's own.
std::string with_option(const std::string& command, const std::string& option);

// The same fault shows under many schedules; the first one that shows it is enough.
void add_findings(const std::vector<Finding>& found, std::vector<Finding>& all);

Finding build_finding(const std::string& message);

// Takes the baseline's time into the verdict. A time that nobody can have is refused: then there is none.
void compare_times(const Timing& baseline, Verdict& verdict);
// Drops the time, with a finding that says why.
void refuse_time(const char* kind, const std::string& reason, Verdict& verdict);

class Verification {
 public:
  // `key` is the digest of all that runs depend on besides texts and seeds. The candidate is built for checking.
  Verification(const EvaluationRequest& request, std::string key, Programs& programs)
      : request_(request), key_(std::move(key)), programs_(programs) {}

  // Of this size alone. It reached 'built', 'verified' or 'timed'; 'text' where the timing build, which may be made
  // here, is refused. An error is of the request.
  Result<Verdict> run();

 private:
  struct JudgedRun {
    std::vector<Finding> findings;
    SeenTraffic traffic;
    bool was_cut = false;
  };
  struct Expected {
    const Capture& capture;
    const model::Traffic& traffic;
  };

  void say(const std::string& what) const;
  Result<bool> pass_verify();
  Result<bool> pass_schedules();
  bool call_longer();
  bool is_repeated(uint64_t seed) const { return reference_.plain.at(seed).calls > 1; }
  bool pass_marks();
  bool build_for_timing();
  void refuse_marks(const std::string& reason);
  vcluster::CallLoop loop_for(uint64_t seed) const;
  Result<JudgedRun> verify_with(uint64_t seed);
  Expected usual_for(uint64_t seed) const { return {reference_.captures.at(seed), reference_.traffic.at(seed)}; }
  Result<Expected> expected_of(const RunOutcome& outcome, uint64_t seed);
  std::string baseline_key() const;
  RunRequest at_this_size(RunRequest run) const;
  Result<RunOutcome> run_candidate(RunRequest run, uint64_t seed);
  std::vector<Finding> compare_run(const RunOutcome& outcome, const Expected& expected, Level level) const;
  const std::vector<Finding>& original_findings(uint64_t seed);
  std::vector<Finding> judge_run(const RunOutcome& outcome, const Expected& expected, Level level, uint64_t seed);
  std::vector<Finding> judge_outputs(const Capture& expected, const Capture& seen, Level level) const;
  Status pass_time();
  void add_notes();

  const EvaluationRequest& request_;
  std::string key_;
  Programs& programs_;
  Reference reference_;
  std::optional<Result<RunOutcome>> timed_;
  std::vector<vcluster::ReadBack> read_backs_;  // Of a plain candidate: what it reads after every call.
  std::mutex longer_mutex_;
  std::map<uint64_t, ReferenceRun> longer_;  // By seed: of more calls.
  std::mutex originals_mutex_;
  std::map<uint64_t, std::vector<Finding>> originals_;  // By seed: what checkers find in a plain baseline.
  std::set<std::string> own_faults_;                    // Of it, a line each.
  bool were_cut_ = false;
  Verdict verdict_;
};

}  // namespace cuco::evaluate
