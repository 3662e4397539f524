#include "store/store.h"

#include "base/sha256.h"
#include "base/text.h"
#include "store/connection.h"
#include "store/schema.h"

namespace cuco::store {

namespace fs = std::filesystem;

namespace {

Status insert_campaign(const Database& database, const Campaign& campaign) {
  return run(database, "INSERT INTO campaign VALUES (1, ?, ?, ?, ?)", campaign.name, campaign.configuration,
             campaign.command, campaign.options);
}

// Under another name until it is whole, so that a process that is killed meanwhile leaves no store without a campaign.
Status write_first(const fs::path& file, const Campaign& campaign) {
  fs::path partial = file;
  partial += ".partial";
  std::error_code failure;
  fs::remove(partial, failure);
  {
    CUCO_TRY(Database database, Database::open(partial, Access::Create));
    CUCO_CHECK(migrate(database));
    CUCO_CHECK(insert_campaign(database, campaign));
  }
  fs::rename(partial, file, failure);
  if (failure) return Error{concat(file.string(), ": cannot be made: ", failure.message())};
  return Done{};
}

Status check_pages(const Database& database) {
  Query query(database, "PRAGMA quick_check(1)");
  std::string answer = query.next() ? query.text(0) : "";
  CUCO_CHECK(query.status());
  if (answer == "ok") return Done{};
  return Error{concat(database.file().string(), ": is damaged: ", squeeze(answer))};
}

// A process that was killed while it changed the journal's mode leaves what only a connection that may write can undo.
// Where it cannot be undone, reading says so.
void finish_interrupted_change(const fs::path& file) {
  fs::path journal = file;
  journal += "-journal";
  std::error_code ignored;
  if (!fs::exists(journal, ignored)) return;
  if (Result<Database> database = Database::open(file, Access::Write)) (void)schema_version(*database);
}

// Syncing at checkpoints only: what a dying machine loses is made again from the log.
Status prepare_for_writing(const Database& database) {
  for (const char* sql : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON"})
    CUCO_CHECK(run(database, sql));
  return migrate(database);
}

std::optional<int64_t> reference(Id id) {
  if (id == kNoId) return std::nullopt;
  return id;
}

Result<int64_t> largest(const Database& database, const char* sql) {
  Query query(database, sql);
  int64_t value = query.next() ? query.integer(0) : 0;
  CUCO_CHECK(query.status());
  return value;
}

Result<int64_t> content_of(const Database& database, const std::string& text) {
  std::string digest = sha256(text);
  Query known(database, "SELECT id FROM content WHERE digest = ?", digest);
  if (known.next()) return known.integer(0);
  CUCO_CHECK(known.status());
  Query added(database, "INSERT INTO content (digest, text) VALUES (?, ?) RETURNING id", digest, text);
  int64_t id = added.next() ? added.integer(0) : 0;
  CUCO_CHECK(added.finish());
  return id;
}

Status insert_files(const Database& database, const Candidate& candidate) {
  for (size_t i = 0; i < candidate.files.size(); ++i) {
    CUCO_TRY(int64_t content, content_of(database, candidate.files[i].text));
    Status status =
        run(database, "INSERT INTO file VALUES (?, ?, ?, ?)", candidate.id, i, candidate.files[i].name, content);
    if (!status) return status;
  }
  return Done{};
}

Status insert_inspirations(const Database& database, const Candidate& candidate) {
  for (size_t i = 0; i < candidate.inspirations.size(); ++i) {
    Status status =
        run(database, "INSERT INTO inspiration VALUES (?, ?, ?)", candidate.id, i, candidate.inspirations[i]);
    if (!status) return status;
  }
  return Done{};
}

Status insert_candidate(const Database& database, uint64_t step, const Candidate& each) {
  Status status =
      run(database, "INSERT INTO candidate VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", each.id, step,
          reference(each.parent), reference(each.other_parent), each.island, each.generation, each.proposer,
          each.cost_usd, each.intent, each.plan, each.inferred_plan, each.prompt, each.reply, each.failure);
  if (!status) return status;
  if (status = insert_inspirations(database, each); !status) return status;
  return insert_files(database, each);
}

Status insert_candidates(const Database& database, const Step& step) {
  Result<int64_t> last = largest(database, "SELECT coalesce(max(id), 0) FROM candidate");
  if (!last) return last.error();
  for (const Candidate& candidate : step.candidates) {
    if (candidate.id != *last + 1)
      return Error{concat(database.file().string(), ": candidate ", candidate.id, " does not follow ", *last)};
    CUCO_CHECK(insert_candidate(database, step.number, candidate));
    *last = candidate.id;
  }
  return Done{};
}

Status insert_judgement(const Database& database, uint64_t step, const Judgement& each) {
  Status yielded = run(
      database, "UPDATE judgement SET closest = 0 WHERE candidate = ? AND closest AND (? = 'full' OR depth <> 'full')",
      each.candidate, each.depth);
  if (!yielded) return yielded;
  return run(database,
             "INSERT INTO judgement VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
             "NOT EXISTS (SELECT 1 FROM judgement WHERE candidate = ?2 AND closest), ?11)",
             step, each.candidate, each.depth, each.level, each.passed, each.time_us, each.bound_us, each.hidden,
             each.score, each.schedules, each.verdict);
}

Status insert_judgements(const Database& database, const Step& step) {
  for (const Judgement& each : step.judgements) CUCO_CHECK(insert_judgement(database, step.number, each));
  return Done{};
}

Status insert_notes(const Database& database, const Step& step) {
  for (const Event& event : step.events)
    if (Status status = run(database, "INSERT INTO event VALUES (NULL, ?, ?, ?, ?)", step.number, event.kind,
                            event.text, event.cost_usd);
        !status)
      return status;
  for (const Lesson& lesson : step.lessons)
    if (Status status =
            run(database, "INSERT INTO lesson VALUES (NULL, ?, ?, ?)", step.number, lesson.author, lesson.text);
        !status)
      return status;
  return Done{};
}

Status insert_step(const Database& database, const Step& step) {
  CUCO_TRY(int64_t last, largest(database, "SELECT coalesce(max(number), 0) FROM step"));
  if (step.number != static_cast<uint64_t>(last) + 1)
    return Error{concat(database.file().string(), ": step ", step.number, " does not follow ", last)};
  CUCO_CHECK(run(database, "INSERT INTO step VALUES (?, ?)", step.number, step.state));
  CUCO_CHECK(insert_candidates(database, step));
  CUCO_CHECK(insert_judgements(database, step));
  return insert_notes(database, step);
}

// A database at rest is one file that can be read from anywhere, also from a folder that is read-only. A reader keeps
// that from happening; then the next one who writes does it.
void fold_log_into_file(const Database& database) {
  (void)run(database, "PRAGMA busy_timeout = 0");
  (void)run(database, "PRAGMA journal_mode = DELETE");
}

}  // namespace

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store::~Store() {
  if (connection_ && connection_->writable) fold_log_into_file(connection_->database);
}

Result<Store> Store::create(const fs::path& file, const Campaign& campaign) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return Error{concat(file.string(), ": is there already")};
  CUCO_CHECK(write_first(file, campaign));
  return open(file);
}

Result<Store> Store::open(const fs::path& file) {
  CUCO_TRY(Database database, Database::open(file, Access::Write));
  CUCO_CHECK(check_identity(database));
  CUCO_CHECK(check_pages(database));
  CUCO_CHECK(prepare_for_writing(database));
  return Store(std::make_unique<Connection>(Connection{std::move(database), true}));
}

Result<Store> Store::open_read_only(const fs::path& file) {
  finish_interrupted_change(file);
  CUCO_TRY(Database database, Database::open(file, Access::Read));
  CUCO_CHECK(check_identity(database));
  CUCO_TRY(uint32_t version, schema_version(database));
  if (version < migrations().size())
    return Error{concat(file.string(), ": is of version ", version,
                        " of the store; resume the run once to bring it to ", migrations().size())};
  return Store(std::make_unique<Connection>(Connection{std::move(database), false}));
}

Status Store::commit(const Step& step) {
  const Database& database = connection_->database;
  Transaction transaction(database, Transaction::Kind::Write);
  if (!transaction.begun()) return transaction.begun();
  CUCO_CHECK(insert_step(database, step));
  return transaction.commit();
}

}  // namespace cuco::store
