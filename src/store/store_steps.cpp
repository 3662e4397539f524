// Whole histories: all steps as they were committed, and the canonical copy.
#include <unistd.h>

#include "base/text.h"
#include "store/connection.h"
#include "store/schema.h"

namespace cuco::store {

namespace fs = std::filesystem;

namespace {

// Fills steps from tables whose rows lie in the order of their steps.
class StepReader {
 public:
  explicit StepReader(const Database& database) : database_(database) {}

  Result<std::vector<Step>> read() {
    using Part = Status (StepReader::*)();
    for (Part part : {&StepReader::read_states, &StepReader::read_candidates, &StepReader::read_inspirations,
                      &StepReader::read_files, &StepReader::read_judgements, &StepReader::read_notes})
      CUCO_CHECK((this->*part)());
    if (dangling_)
      return Error{
          concat(database_.file().string(), ": is damaged: rows refer to steps or candidates that are not there")};
    return std::move(steps_);
  }

 private:
  template <typename Visit>
  Status each_row(const std::string& sql, Visit visit) {
    Query query(database_, sql.c_str());
    while (query.next()) visit(query);
    return query.status();
  }

  // A file that somebody else wrote to may hold any number.
  template <typename Item>
  Item& item(std::vector<Item>& items, int64_t number, Item& stray) {
    bool there = number >= 1 && static_cast<uint64_t>(number) <= items.size();
    dangling_ = dangling_ || !there;
    return there ? items[static_cast<size_t>(number) - 1] : stray;
  }
  Step& step(int64_t number) { return item(steps_, number, stray_step_); }

  Candidate& candidate(Id id) {
    Place none;
    const Place& place = item(places_, id, none);
    std::vector<Candidate>& candidates = step(place.step).candidates;
    return item(candidates, place.position, stray_candidate_);
  }

  Status read_states() {
    return each_row("SELECT number, state FROM step ORDER BY number", [this](const Query& row) {
      Step& added = steps_.emplace_back();
      added.number = static_cast<uint64_t>(row.integer(0));
      added.state = row.text(1);
    });
  }

  Status read_candidates() {
    return each_row(concat("SELECT ", kCandidateColumns, " FROM candidate ORDER BY id"), [this](const Query& row) {
      Step& owner = step(row.integer(1));
      owner.candidates.push_back(candidate_of(row));
      places_.push_back({row.integer(1), static_cast<int64_t>(owner.candidates.size())});
    });
  }

  Status read_inspirations() {
    return each_row("SELECT candidate, source FROM inspiration ORDER BY candidate, position",
                    [this](const Query& row) { candidate(row.integer(0)).inspirations.push_back(row.integer(1)); });
  }

  Status read_files() {
    return each_row(
        "SELECT candidate, name, text FROM file JOIN content ON content.id = file.content ORDER BY candidate, position",
        [this](const Query& row) {
          candidate(row.integer(0)).files.push_back({row.text(1), row.text(2)});
        });
  }

  Status read_judgements() {
    return each_row(concat("SELECT ", kJudgementColumns, " FROM judgement ORDER BY id"), [this](const Query& row) {
      Step& owner = step(row.integer(0));
      owner.judgements.push_back(judgement_of(row, 1));
      owner.judgements.back().verdict = row.text(10);
    });
  }

  Status read_notes() {
    Status events = each_row("SELECT step, kind, text, cost_usd FROM event ORDER BY id", [this](const Query& row) {
      step(row.integer(0)).events.push_back({row.text(1), row.text(2), row.real(3)});
    });
    if (!events) return events;
    return each_row("SELECT step, author, text FROM lesson ORDER BY id", [this](const Query& row) {
      step(row.integer(0)).lessons.push_back({row.text(1), row.text(2)});
    });
  }

  struct Place {
    int64_t step = 0, position = 0;  // Both from 1.
  };

  const Database& database_;
  std::vector<Step> steps_;
  std::vector<Place> places_;  // Of candidates, in the order of their ids.
  bool dangling_ = false;
  Step stray_step_;
  Candidate stray_candidate_;
};

// In an order that satisfies references.
constexpr const char* kCopyRows = R"(
BEGIN;
INSERT INTO main.campaign SELECT * FROM source.campaign;
INSERT INTO main.step SELECT * FROM source.step ORDER BY number;
INSERT INTO main.candidate SELECT * FROM source.candidate ORDER BY id;
INSERT INTO main.inspiration SELECT * FROM source.inspiration ORDER BY candidate, position;
INSERT INTO main.content SELECT * FROM source.content ORDER BY id;
INSERT INTO main.file SELECT * FROM source.file ORDER BY candidate, position;
INSERT INTO main.judgement SELECT * FROM source.judgement ORDER BY id;
INSERT INTO main.event SELECT * FROM source.event ORDER BY id;
INSERT INTO main.lesson SELECT * FROM source.lesson ORDER BY id;
COMMIT;
DETACH source;
)";

// The same statements on an empty file give the same bytes, whatever the source went through.
Status copy_rows(const fs::path& source, const fs::path& target) {
  CUCO_TRY(Database database, Database::open(target, Access::Create));
  CUCO_CHECK(migrate(database));
  CUCO_CHECK(run(database, "ATTACH ? AS source", source.string()));
  return database.run_script(kCopyRows);
}

}  // namespace

Result<std::vector<Step>> Store::steps() const {
  const Database& database = connection_->database;
  Transaction moment(database, Transaction::Kind::Read);
  if (!moment.begun()) return moment.begun().error();
  return StepReader(database).read();
}

Status Store::write_canonical(const fs::path& file) const {
  fs::path partial = file;
  partial += concat(".partial.", getpid());
  std::error_code failure;
  fs::remove(partial, failure);
  Status copied = copy_rows(connection_->database.file(), partial);
  if (copied) fs::rename(partial, file, failure);
  if (copied && !failure) return Done{};
  std::error_code ignored;
  fs::remove(partial, ignored);
  return copied ? Error{concat(file.string(), ": cannot be written: ", failure.message())} : copied;
}

}  // namespace cuco::store
