#include "base/text.h"
#include "store/connection.h"

namespace cuco::store {

namespace {

constexpr const char* kSummaryColumns =
    "candidate.id, coalesce(parent, 0), coalesce(other_parent, 0), island, generation, cost_usd, proposer, intent, "
    "plan, failure, judgement.id, judgement.candidate, depth, level, passed, time_us, bound_us, hidden, score, "
    "schedules";

CandidateSummary summary_of(const Query& row) {
  CandidateSummary summary;
  summary.id = row.integer(0);
  summary.parent = row.integer(1);
  summary.other_parent = row.integer(2);
  summary.island = row.natural(3);
  summary.generation = row.natural(4);
  summary.cost_usd = row.real(5);
  summary.proposer = row.text(6);
  summary.intent = row.text(7);
  summary.plan = row.text(8);
  summary.failure = row.text(9);
  if (!row.is_null(10)) summary.judgement = judgement_of(row, 11);
  return summary;
}

Result<std::vector<CandidateSummary>> read_summaries(const Database& database, const std::string& rows) {
  std::vector<CandidateSummary> summaries;
  Query query(database, concat("SELECT ", kSummaryColumns, " FROM ", rows).c_str());
  while (query.next()) summaries.push_back(summary_of(query));
  CUCO_CHECK(query.status());
  return summaries;
}

Status read_counts(const Database& database, Overview& overview) {
  Query query(database,
              "SELECT (SELECT coalesce(max(number), 0) FROM step), (SELECT coalesce(max(id), 0) FROM candidate), "
              "(SELECT coalesce(sum(cost_usd), 0.0) FROM candidate WHERE cost_usd > 0) + "
              "(SELECT coalesce(sum(cost_usd), 0.0) FROM event WHERE kind = 'lesson'), "
              "EXISTS (SELECT 1 FROM event WHERE kind = 'end'), "
              "(SELECT text FROM event WHERE kind = 'stop' ORDER BY id DESC LIMIT 1)");
  if (!query.next()) return query.status();
  overview.steps = static_cast<uint64_t>(query.integer(0));
  overview.candidates = query.integer(1);
  overview.cost_usd = query.real(2);
  overview.finished = query.integer(3) != 0;
  if (!query.is_null(4)) overview.stop_reason = query.text(4);
  return Done{};
}

Status read_evaluations(const Database& database, Overview& overview) {
  // Apart, so that each is counted in the index alone.
  Query query(database,
              "SELECT (SELECT count(*) FROM judgement WHERE closest AND passed = 1), "
              "(SELECT count(*) FROM judgement WHERE closest AND passed = 0)");
  if (!query.next()) return query.status();
  overview.rejected = static_cast<uint64_t>(query.integer(1));
  overview.evaluations = static_cast<uint64_t>(query.integer(0)) + overview.rejected;
  return Done{};
}

// The candidate that comes first among those whose closest look passed.
Result<std::optional<CandidateSummary>> read_passed(const Database& database, const char* condition) {
  Result<std::vector<CandidateSummary>> found = read_summaries(
      database, concat("judgement JOIN candidate ON candidate.id = judgement.candidate WHERE closest AND passed = 1 ",
                       condition, " ORDER BY score DESC, judgement.candidate LIMIT 1"));
  if (!found) return found.error();
  if (found->empty()) return std::optional<CandidateSummary>();
  return std::optional(std::move(found->front()));
}

// The program as it is, and what the first step tried beside it as a baseline. Ids grow with steps, so that both
// selections end early.
constexpr const char* kIsBaseline =
    "(judgement.candidate = 1 OR judgement.candidate IN (SELECT id FROM candidate WHERE proposer = 'baseline' AND "
    "id < coalesce((SELECT min(id) FROM candidate WHERE step > 1), 1 << 62)))";

Status read_best(const Database& database, Overview& overview) {
  Result<std::optional<CandidateSummary>> baseline = read_passed(database, concat("AND ", kIsBaseline).c_str());
  if (!baseline) return baseline.error();
  overview.baseline = *std::move(baseline);
  std::string counts = overview.finished ? concat("AND (depth = 'full' OR ", kIsBaseline, ")") : "";
  Result<std::optional<CandidateSummary>> best = read_passed(database, counts.c_str());
  if (!best) return best.error();
  overview.best = *std::move(best);
  return Done{};
}

Error no_such_candidate(const Database& database, Id id, Id last) {
  std::string there = last == 0 ? "it has none yet" : concat("it has 1 to ", last);
  return Error{concat(database.file().string(), ": no candidate ", id, "; ", there)};
}

Result<std::vector<Id>> read_inspirations(const Database& database, Id candidate) {
  std::vector<Id> sources;
  Query query(database, "SELECT source FROM inspiration WHERE candidate = ? ORDER BY position", candidate);
  while (query.next()) sources.push_back(query.integer(0));
  CUCO_CHECK(query.status());
  return sources;
}

Result<std::vector<SourceFile>> read_files(const Database& database, Id candidate) {
  std::vector<SourceFile> files;
  Query query(database,
              "SELECT name, text FROM file JOIN content ON content.id = file.content WHERE candidate = ? "
              "ORDER BY position",
              candidate);
  while (query.next()) files.push_back({query.text(0), query.text(1)});
  CUCO_CHECK(query.status());
  return files;
}

Result<Candidate> read_candidate(const Database& database, Id id) {
  Query query(database, concat("SELECT ", kCandidateColumns, " FROM candidate WHERE id = ?").c_str(), id);
  if (!query.next()) {
    CUCO_CHECK(query.status());
    Query last(database, "SELECT coalesce(max(id), 0) FROM candidate");
    Id count = last.next() ? last.integer(0) : 0;
    return no_such_candidate(database, id, count);
  }
  Candidate candidate = candidate_of(query);
  Result<std::vector<Id>> inspirations = read_inspirations(database, id);
  if (!inspirations) return inspirations.error();
  Result<std::vector<SourceFile>> files = read_files(database, id);
  if (!files) return files.error();
  candidate.inspirations = *std::move(inspirations);
  candidate.files = *std::move(files);
  return candidate;
}

}  // namespace

Candidate candidate_of(const Query& row) {
  Candidate candidate;
  candidate.id = row.integer(0);
  candidate.parent = row.integer(2);
  candidate.other_parent = row.integer(3);
  candidate.island = row.natural(4);
  candidate.generation = row.natural(5);
  candidate.proposer = row.text(6);
  candidate.cost_usd = row.real(7);
  candidate.intent = row.text(8);
  candidate.plan = row.text(9);
  candidate.inferred_plan = row.text(10);
  candidate.prompt = row.text(11);
  candidate.reply = row.text(12);
  candidate.failure = row.text(13);
  return candidate;
}

Judgement judgement_of(const Query& row, int first) {
  Judgement judgement;
  judgement.candidate = row.integer(first);
  judgement.depth = row.text(first + 1);
  judgement.level = row.text(first + 2);
  judgement.passed = row.integer(first + 3) != 0;
  judgement.time_us = row.optional_real(first + 4);
  judgement.bound_us = row.optional_real(first + 5);
  judgement.hidden = row.optional_real(first + 6);
  judgement.score = row.real(first + 7);
  judgement.schedules = row.natural(first + 8);
  return judgement;
}

Result<Campaign> Store::campaign() const {
  Query query(connection_->database, "SELECT name, configuration, command, options FROM campaign");
  if (query.next()) return Campaign{query.text(0), query.text(1), query.text(2), query.text(3)};
  CUCO_CHECK(query.status());
  return Error{concat(connection_->database.file().string(), ": is damaged: it holds no campaign")};
}

Result<uint64_t> Store::last_step() const {
  Query query(connection_->database, "SELECT coalesce(max(number), 0) FROM step");
  uint64_t number = query.next() ? static_cast<uint64_t>(query.integer(0)) : 0;
  CUCO_CHECK(query.status());
  return number;
}

Result<std::string> Store::state() const {
  Query query(connection_->database, "SELECT state FROM step ORDER BY number DESC LIMIT 1");
  std::string state = query.next() ? query.text(0) : "";
  CUCO_CHECK(query.status());
  return state;
}

Result<std::vector<CandidateSummary>> Store::summaries() const {
  return read_summaries(
      connection_->database,
      "candidate LEFT JOIN judgement ON judgement.candidate = candidate.id AND closest ORDER BY candidate.id");
}

Result<Overview> Store::overview() const {
  const Database& database = connection_->database;
  Transaction moment(database, Transaction::Kind::Read);
  if (!moment.begun()) return moment.begun().error();
  Overview overview;
  CUCO_CHECK(read_counts(database, overview));
  CUCO_CHECK(read_evaluations(database, overview));
  CUCO_CHECK(read_best(database, overview));
  return overview;
}

Result<Candidate> Store::candidate(Id id) const {
  const Database& database = connection_->database;
  Transaction moment(database, Transaction::Kind::Read);
  if (!moment.begun()) return moment.begun().error();
  return read_candidate(database, id);
}

Result<std::vector<Judgement>> Store::judgements(Id id) const {
  std::vector<Judgement> judgements;
  std::string sql = concat("SELECT ", kJudgementColumns, " FROM judgement WHERE candidate = ? ORDER BY id");
  Query query(connection_->database, sql.c_str(), id);
  while (query.next()) {
    judgements.push_back(judgement_of(query, 1));
    judgements.back().verdict = query.text(10);
  }
  CUCO_CHECK(query.status());
  return judgements;
}

Result<std::vector<Event>> Store::events() const {
  std::vector<Event> events;
  Query query(connection_->database, "SELECT kind, text, cost_usd FROM event ORDER BY id");
  while (query.next()) events.push_back({query.text(0), query.text(1), query.real(2)});
  CUCO_CHECK(query.status());
  return events;
}

Result<std::vector<Lesson>> Store::lessons() const {
  std::vector<Lesson> lessons;
  Query query(connection_->database, "SELECT author, text FROM lesson ORDER BY id");
  while (query.next()) lessons.push_back({query.text(0), query.text(1)});
  CUCO_CHECK(query.status());
  return lessons;
}

}  // namespace cuco::store
