#include "evaluate/sizes/proof_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/reference.h"
#include "evaluate/sizes/numbers.h"
#include "evaluate/sizes/run_paths.h"
#include "evaluate/sizes/search.h"
#include "evaluate/text/included_files.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {

namespace {

// Of one call of the region: what is verified in 20 calls under a schedule takes a second or two with all checks.
constexpr uint64_t kOperationsGoal = 2'000'000;
// Twenty calls of more than this under checkers take minutes.
constexpr uint64_t kOperationsOfLarge = 20'000'000;
// A program all of whose numbers are smaller is not run to find out.
constexpr int64_t kNumberOfLarge = 64;
constexpr uint32_t kTriesMax = 32;
// A size that takes longer is none.
constexpr int kTrySeconds = 10;
// A plain program whose case takes longer by block sampling shows its paths at a smaller size.
constexpr int kCaseSeconds = 30;
// Where the case does not fit on this machine, how much smaller the next size is that may stand for its paths.
constexpr int kStandInStep = 3;

// Operations of kernels, and four bytes of communication as one: a converted program moves them by loads and stores.
uint64_t work_of(const vcluster::RunReport& report) {
  uint64_t bytes = 0;
  for (const model::Transfer& transfer : report.traffic.transfers) bytes += transfer.bytes;
  return report.operations + bytes / 4;
}

struct Ran {
  vcluster::RunReport report;
  std::string fault;       // Why there is no report to compare;
  bool too_large = false;  // a limit,
  bool builds = true;      // or this.
};

const SourceFile* find_file(const std::vector<SourceFile>& files, const std::string& name) {
  auto found = std::ranges::find_if(files, [&](const SourceFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

// Of the program's folder and its include folders below that.
Result<std::vector<SourceFile>> own_headers(const EvaluationRequest& request) {
  if (request.folder.empty()) return std::vector<SourceFile>();
  return included_files(request.baseline, request.folder, model::read_folders(request.flags));
}

Status change_files(const std::vector<ConstantChange>& changes, const std::vector<SourceFile>& headers,
                    std::vector<SourceFile>& files) {
  bool changes_header =
      std::ranges::any_of(changes, [&](const ConstantChange& change) { return !find_file(files, change.file); });
  // A header beside a changed one must find that, not the one of the original.
  for (const SourceFile& header : headers)
    if (changes_header && !find_file(files, header.name)) files.push_back(header);
  for (const ConstantChange& change : changes) {
    const SourceFile* known = find_file(files, change.file);
    if (!known) return Error{concat(change.file, ": is not among the program's files")};
    Result<std::string> text = with_constant(*known, change);
    if (!text) return text.error();
    files[static_cast<size_t>(known - files.data())].text = *std::move(text);
  }
  return Done{};
}

// Runs of the original at its case and at other sizes.
class SizeRuns {
 public:
  static Result<SizeRuns> make(const EvaluationRequest& given) {
    EvaluationRequest request = given;
    request.parent = request.candidate = {};
    Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
    if (!profile) return profile.error();
    Result<std::vector<SourceFile>> headers = own_headers(request);
    if (!headers) return headers.error();
    SizeRuns runs(request, *profile);
    runs.files_ = request.baseline;
    runs.files_.insert(runs.files_.end(), headers->begin(), headers->end());
    return runs;
  }

  // The program's sources and its own headers.
  const std::vector<SourceFile>& files() const { return files_; }

  // By block sampling.
  Status run_case() {
    std::string key = cache_key();
    if (std::optional<std::string> known = request_.cache.find("case_runs", key))
      if (case_ = vcluster::parse_report(*known); !case_.verdict.empty()) return case_work_ = work_of(case_), Done{};
    std::string limits = sha256(concat(key, " ", request_.limits.memory_bytes, " ", case_seconds()));
    std::optional<std::string> known_limit = request_.cache.find("case_limits", limits);
    if (!known_limit && request_.progress) request_.progress("timing the case by a sample of its blocks");
    Result<Ran> ran = known_limit ? Ran{{}, std::string(trim(*known_limit)), true}
                                  : run(ProofSize{request_.configuration, {}, ""}, true, case_seconds());
    if (!ran) return ran.error();
    case_is_beyond_limits_ = ran->too_large;
    std::string fault = ran->fault;
    if (ran->too_large) request_.cache.store("case_limits", limits, fault);
    if (fault.empty()) fault = path_difference(ran->report, ran->report, PathRule::Holds);
    if (!fault.empty()) return Error{concat("the program cannot be timed at its own size: ", fault)};
    case_ = std::move(ran->report);
    case_work_ = work_of(case_);
    request_.cache.store("case_runs", key, vcluster::to_text(case_));
    return Done{};
  }
  // The run of the case needs more time or memory than it may have.
  bool case_is_beyond_limits() const { return case_is_beyond_limits_; }

  // A smaller size shows the paths instead, if it can be run.
  bool stands_in(const ProofSize& size, uint64_t shrunk_by) {
    Result<Ran> ran = run(size, true, kTrySeconds);
    if (!ran || !ran->fault.empty() || !path_difference(ran->report, ran->report, PathRule::Holds).empty())
      return false;
    case_ = std::move(ran->report);
    case_work_ = work_of(case_) * shrunk_by;
    return true;
  }

  // Of all that the runs depend on.
  std::string cache_key() const {
    const Configuration& configuration = request_.configuration;
    return sha256(concat(request_.tools.version(), "\n", configuration.rank_count, " ", configuration.node_count, " ",
                         request_.plain, " ", kOperationsGoal, " ", kTriesMax, "\n", model::to_toml(profile_),
                         model::to_text(request_.flags), join(program_arguments(configuration), "\n"), "\n",
                         request_.folder.string(), "\n", request_.start_folder.string(), "\n", digest_of(files_)));
  }

  TriedSize try_size(const ProofSize& size, PathRule rule) {
    Result<Ran> ran = remembered(size);
    if (!ran) return broken_ = ran.error(), TriedSize{ran.error().message, 0, true};
    if (!ran->fault.empty()) return {ran->fault, 0, ran->too_large, ran->builds};
    return {path_difference(case_, ran->report, rule), work_of(ran->report)};
  }

  uint64_t case_work() const { return case_work_; }
  // Of a run that could not be made at all.
  const std::optional<Error>& broken() const { return broken_; }

 private:
  SizeRuns(const EvaluationRequest& request, const model::HardwareProfile& profile)
      : request_(request), profile_(profile) {}

  Result<Ran> remembered(const ProofSize& size) {
    std::string key = join(program_arguments(size.configuration), "\n");
    for (const ConstantChange& change : size.constants)
      key += concat("\n", change.file, " ", change.declaration, " ", change.after);
    auto known = ran_.find(key);
    if (known != ran_.end()) return known->second;
    if (request_.progress) request_.progress(concat("trying ", size.shrunk.empty() ? "the case" : size.shrunk));
    Result<Ran> ran = run(size, false, kTrySeconds);
    if (ran) ran_[key] = *ran;
    return ran;
  }

  int case_seconds() const { return request_.plain ? kCaseSeconds : 0; }

  // 0 seconds: as long as runs of the request may take.
  Result<Ran> run(const ProofSize& size, bool sample, int processor_s_max) {
    Result<EvaluationRequest> placed = at_proof_size(request_, size);
    if (!placed) return placed.error();
    Result<ConfinedProgram*> program = built(*placed);
    if (!program) return Ran{{}, concat("it does not build: ", split(program.error().message, '\n')[0]), false, false};
    RunRequest run{BuildKind::Timing, 0, run_key_of(request_, kTimingSeed), 0, 1};
    run.sample = sample;
    run.processor_s_max = processor_s_max;
    run.configuration = &placed->configuration;
    Result<RunOutcome> outcome = (*program)->run(run);
    if (!outcome) return outcome.error();
    const std::string& verdict = outcome->report.verdict;
    bool is_limit = verdict == "time_limit" || verdict == "memory_limit";
    if (!is_limit && outcome->stopped.empty()) return Ran{std::move(outcome->report), ""};
    return Ran{{}, is_limit ? concat("it comes to its ", replace_all(verdict, "_", " ")) : outcome->stopped, true};
  }

  // One program a text: arguments need no build.
  Result<ConfinedProgram*> built(const EvaluationRequest& request) {
    std::string text = digest_of(request.baseline);
    if (auto known = programs_.find(text); known != programs_.end()) return &known->second;
    // Marks are for the case, which ends where its region does; to find them in every text would take too long.
    bool is_case_text = text == digest_of(request_.baseline);
    Result<ConfinedProgram> program =
        is_case_text ? make_program(request_, profile_, request_.baseline)
                     : ConfinedProgram::make(request.baseline, setting_of(request_, profile_), request_.tools);
    if (!program) return program.error();
    if (Status done = program->build(BuildKind::Timing); !done) return done.error();
    return &programs_.emplace(text, std::move(*program)).first->second;
  }

  EvaluationRequest request_;
  model::HardwareProfile profile_;
  std::vector<SourceFile> files_;
  vcluster::RunReport case_;
  uint64_t case_work_ = 0;
  bool case_is_beyond_limits_ = false;
  std::map<std::string, ConfinedProgram> programs_;  // By digest of their texts.
  std::map<std::string, Ran> ran_;
  std::optional<Error> broken_;
};

std::vector<size_t> numbers_that(const std::vector<SizeNumber>& numbers, bool (*fits)(const SizeNumber&)) {
  std::vector<size_t> found;
  for (size_t i = 0; i < numbers.size(); i++)
    if (fits(numbers[i])) found.push_back(i);
  return found;
}

// What needs no build comes first, and what goes together before what may not.
SizeSearch search_of(const std::vector<SizeNumber>& numbers) {
  SizeSearch search;
  search.of_case = values_of(numbers);
  search.repeats = numbers_that(numbers, [](const SizeNumber& each) { return !each.sizes && !each.is_factor; });
  for (auto fits : {+[](const SizeNumber& each) { return each.sizes && each.kind != SizeNumber::Kind::Constant; },
                    +[](const SizeNumber& each) { return each.sizes || each.is_factor; },
                    +[](const SizeNumber& each) { return each.sizes; }}) {
    std::vector<size_t> group = numbers_that(numbers, fits);
    if (!group.empty() && std::ranges::find(search.groups, group) == search.groups.end())
      search.groups.push_back(std::move(group));
  }
  search.operations_goal = kOperationsGoal;
  search.tries_max = kTriesMax;
  return search;
}

Error no_numbers(const std::vector<SourceFile>& files) {
  std::string fixed = largest_fixed_size(files);
  return Error{concat(fixed.empty() ? "" : concat(fixed, " is the largest number of the program. "),
                      "Candidates are proved at small sizes, and nothing here can be made smaller: no integer from 16 "
                      "on among its arguments, and no named constant that reaches sizes. Give the size a name, as in "
                      "constexpr int N = 4096, or make it an argument")};
}

Error no_size(const std::vector<SizeNumber>& numbers, const FoundSizes& found) {
  std::string tried =
      found.tried.empty() ? "" : concat(" At ", changes_text(numbers, found.tried), " ", found.fault, ".");
  return Error{concat("no smaller size was found at which the program does what it does at its own.", tried,
                      " What was changed: ", names_text(numbers),
                      ". --proof \"NAME=NUMBER ...\" says which size to take")};
}

std::string lines_of(const std::vector<SizeValues>& sizes) {
  std::string text;
  for (const SizeValues& values : sizes) {
    for (int64_t value : values) text += concat(value, " ");
    text += "\n";
  }
  return text;
}

// Nothing of a text that is none.
std::vector<SizeValues> parse_lines(const std::string& text, size_t count) {
  std::vector<SizeValues> sizes;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream in(line);
    SizeValues values;
    for (int64_t value = 0; in >> value;) values.push_back(value);
    if (!values.empty() && values.size() == count) sizes.push_back(values);
  }
  return sizes;
}

// The largest size, in steps, that can be run where the case cannot.
bool find_stand_in(const EvaluationRequest& request, const std::vector<SizeNumber>& numbers, SizeRuns& runs) {
  SizeSearch search = search_of(numbers);
  for (const std::vector<size_t>& group : search.groups) {
    SizeValues last = search.of_case;
    for (int exponent = kStandInStep; !processes_interrupted(); exponent += kStandInStep) {
      SizeValues values = divided(search.of_case, group, exponent);
      if (values == last) break;
      if (runs.stands_in(with_values(request.configuration, numbers, values), uint64_t{1} << exponent)) return true;
      last = values;
    }
  }
  return false;
}

Status run_case_or_stand_in(const EvaluationRequest& request, const std::vector<SizeNumber>& numbers, SizeRuns& runs) {
  Status ran = runs.run_case();
  bool has_one = ran.ok() || (runs.case_is_beyond_limits() && find_stand_in(request, numbers, runs));
  return has_one ? Done{} : ran;
}

// As strictly as it can be done. A case of which nothing smaller does the same is its own proof, if it can be executed
// whole.
Result<std::vector<SizeValues>> search_sizes(const EvaluationRequest& request, const std::vector<SizeNumber>& numbers,
                                             SizeRuns& runs) {
  if (Status ran = run_case_or_stand_in(request, numbers, runs); !ran) return ran.error();
  FoundSizes found;
  for (PathRule rule : {PathRule::Same, PathRule::Holds}) {
    found = find_sizes(search_of(numbers), runs.case_work(), [&](const SizeValues& values) {
      return runs.try_size(with_values(request.configuration, numbers, values), rule);
    });
    if (processes_interrupted()) return Error{"interrupted"};
    if (runs.broken()) return *runs.broken();
    if (!found.sizes.empty()) return found.sizes;
  }
  bool may_be_whole = request.plain && !numbers.empty() && !runs.case_is_beyond_limits();
  if (may_be_whole && runs.try_size({request.configuration}, PathRule::Holds).fault.empty())
    return std::vector<SizeValues>{values_of(numbers)};
  return no_size(numbers, found);
}

// NAME=NUMBER as a user gives it.
Result<std::pair<std::string, int64_t>> parse_word(const std::string& word) {
  size_t sign = word.rfind('=');
  std::string digits = sign == std::string::npos ? "" : word.substr(sign + 1);
  bool is_number = !digits.empty() && digits.size() < 16 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (sign == 0 || !is_number || std::stoll(digits) == 0)
    return Error{concat("--proof: ", word, " is no NAME=NUMBER with a number from 1 on")};
  return std::pair(word.substr(0, sign), static_cast<int64_t>(std::stoll(digits)));
}

Result<size_t> find_number(const std::vector<SizeNumber>& numbers, const std::string& name) {
  std::vector<SizeNumber> meant;
  size_t found = 0;
  for (size_t i = 0; i < numbers.size(); i++)
    if (numbers[i].name == name) meant.push_back(numbers[i]), found = i;
  if (meant.size() == 1) return found;
  if (!meant.empty()) return Error{concat("--proof: ", name, " is not one number: ", names_text(meant))};
  return Error{
      concat("--proof: the program has no number ", name, "; it has ", numbers.empty() ? "none" : names_text(numbers))};
}

}  // namespace

bool ProofSize::operator==(const ProofSize& other) const {
  return program_arguments(configuration) == program_arguments(other.configuration) && constants == other.constants;
}

Result<EvaluationRequest> at_proof_size(const EvaluationRequest& request, const ProofSize& size) {
  EvaluationRequest placed = request;
  placed.configuration = size.configuration;
  if (size.constants.empty()) return placed;
  Result<std::vector<SourceFile>> headers = own_headers(request);
  if (!headers) return headers.error();
  for (std::vector<SourceFile>* files : {&placed.baseline, &placed.parent, &placed.candidate}) {
    if (files->empty()) continue;
    if (Status changed = change_files(size.constants, *headers, *files); !changed) return changed.error();
  }
  return placed;
}

bool is_large(const EvaluationRequest& request) {
  Result<SizeRuns> runs = SizeRuns::make(request);
  if (!runs) return false;
  std::vector<SizeNumber> numbers = size_numbers(request, runs->files());
  bool may_be = std::ranges::any_of(numbers, [](const SizeNumber& each) { return each.value >= kNumberOfLarge; });
  if (!may_be) return false;
  return runs->run_case() ? runs->case_work() > kOperationsOfLarge : runs->case_is_beyond_limits();
}

Result<std::vector<ProofSize>> find_proof_sizes(const EvaluationRequest& request) {
  Result<SizeRuns> runs = SizeRuns::make(request);
  if (!runs) return runs.error();
  std::vector<SizeNumber> numbers = size_numbers(request, runs->files());
  std::optional<std::string> known = request.cache.find("proof_sizes", runs->cache_key());
  Result<std::vector<SizeValues>> values = parse_lines(known.value_or(""), numbers.size());
  if (values->empty()) values = search_sizes(request, numbers, *runs);
  if (!values) return numbers.empty() ? no_numbers(runs->files()) : values.error();
  request.cache.store("proof_sizes", runs->cache_key(), lines_of(*values));
  std::vector<ProofSize> sizes;
  for (const SizeValues& each : *values) sizes.push_back(with_values(request.configuration, numbers, each));
  return sizes;
}

Result<ProofSize> parse_proof_size(const std::string& text, const EvaluationRequest& request) {
  Result<SizeRuns> runs = SizeRuns::make(request);
  if (!runs) return runs.error();
  std::vector<SizeNumber> numbers = all_numbers(request, runs->files());
  SizeValues values = values_of(numbers);
  std::map<std::string, int64_t> given;
  std::istringstream words(replace_all(text, ",", " "));
  for (std::string word; words >> word;) {
    Result<std::pair<std::string, int64_t>> said = parse_word(word);
    if (!said) return said.error();
    auto [known, is_new] = given.insert(*said);
    if (!is_new && known->second != said->second)
      return Error{concat("--proof: ", said->first, " is given as ", known->second, " and as ", said->second)};
    Result<size_t> number = find_number(numbers, said->first);
    if (!number) return number.error();
    if (said->second > numbers[*number].value)
      return Error{concat("--proof: ", said->first, "=", said->second, " is larger than the case, which has ",
                          numbers[*number].value)};
    values[*number] = said->second;
  }
  if (given.empty()) return Error{"--proof: names no number, as in \"HIDDEN=512 TOKENS=256\""};
  return with_values(request.configuration, numbers, values);
}

Status check_proof_sizes(const EvaluationRequest& request, const std::vector<ProofSize>& sizes) {
  Result<SizeRuns> runs = SizeRuns::make(request);
  if (!runs) return runs.error();
  std::vector<SizeNumber> numbers = size_numbers(request, runs->files());
  if (Status ran = run_case_or_stand_in(request, numbers, *runs); !ran) return ran;
  for (const ProofSize& size : sizes) {
    TriedSize tried = runs->try_size(size, PathRule::Holds);
    if (runs->broken()) return *runs->broken();
    if (!tried.fault.empty())
      return Error{concat("--proof: at ", size.shrunk.empty() ? "the case" : size.shrunk,
                          " the original does not do what it does at its own size: ", tried.fault)};
  }
  return Done{};
}

Result<std::vector<ProofSize>> variants_of(const ProofSize& size, const EvaluationRequest& request, uint32_t count) {
  Result<SizeRuns> runs = SizeRuns::make(request);
  if (!runs) return runs.error();
  std::vector<SizeNumber> numbers = size_numbers(request, runs->files());
  if (Status ran = run_case_or_stand_in(request, numbers, *runs); !ran) return ran.error();
  std::vector<size_t> scaling;
  for (size_t i = 0; i < numbers.size(); i++)
    if (numbers[i].sizes) scaling.push_back(i);
  std::vector<ProofSize> found;
  for (const std::vector<SizeValues>& kind : sizes_around(values_at(size, numbers), scaling))
    for (const SizeValues& values : kind) {
      ProofSize other = with_values(request.configuration, numbers, values);
      if (found.size() < count && runs->try_size(other, PathRule::Holds).fault.empty()) found.push_back(other);
      if (runs->broken()) return *runs->broken();
    }
  return found;
}

}  // namespace cuco::evaluate
