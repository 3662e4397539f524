#include "store/schema.h"

#include "base/text.h"

namespace cuco::store {

namespace {

// Tells a store from other databases: "cuco".
constexpr int64_t kApplicationId = 0x6375636f;

// Texts of files are kept once, however many candidates share them. Ids of candidates and numbers of steps have no
// gaps; rows of a table lie in the order of their steps. One judgement of a candidate is the closest: a full one before
// others, then the last. The large column of a table is its last, so that listing does not read it.
constexpr const char* kVersion1 = R"(
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  configuration TEXT NOT NULL,
  command TEXT NOT NULL,
  options TEXT NOT NULL
) STRICT;

CREATE TABLE step (
  number INTEGER PRIMARY KEY,
  state TEXT NOT NULL
) STRICT;

CREATE TABLE candidate (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES step (number),
  parent INTEGER REFERENCES candidate (id),
  other_parent INTEGER REFERENCES candidate (id),
  island INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  proposer TEXT NOT NULL,
  cost_usd REAL NOT NULL,
  intent TEXT NOT NULL,
  plan TEXT NOT NULL,
  inferred_plan TEXT NOT NULL,
  prompt TEXT NOT NULL,
  reply TEXT NOT NULL,
  failure TEXT NOT NULL
) STRICT;
CREATE INDEX candidate_by_cost ON candidate (cost_usd) WHERE cost_usd > 0;

CREATE TABLE inspiration (
  candidate INTEGER NOT NULL REFERENCES candidate (id),
  position INTEGER NOT NULL,
  source INTEGER NOT NULL REFERENCES candidate (id),
  PRIMARY KEY (candidate, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE file (
  candidate INTEGER NOT NULL REFERENCES candidate (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  content INTEGER NOT NULL REFERENCES content (id),
  PRIMARY KEY (candidate, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE judgement (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES step (number),
  candidate INTEGER NOT NULL REFERENCES candidate (id),
  depth TEXT NOT NULL,
  level TEXT NOT NULL,
  passed INTEGER NOT NULL,
  time_us REAL,
  bound_us REAL,
  hidden REAL,
  score REAL NOT NULL,
  schedules INTEGER NOT NULL,
  closest INTEGER NOT NULL,
  verdict TEXT NOT NULL
) STRICT;
CREATE INDEX judgement_by_candidate ON judgement (candidate);
CREATE UNIQUE INDEX closest_judgement ON judgement (candidate) WHERE closest;
CREATE INDEX closest_by_score ON judgement (passed, score DESC, candidate, depth) WHERE closest;

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES step (number),
  kind TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_kind ON event (kind);

CREATE TABLE lesson (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES step (number),
  author TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
)";

constexpr const char* kVersion2 = R"(
ALTER TABLE event ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
)";

Result<int64_t> pragma(const Database& database, const char* sql) {
  Query query(database, sql);
  int64_t value = query.next() ? query.integer(0) : 0;
  CUCO_CHECK(query.status());
  return value;
}

}  // namespace

const Migrations& migrations() {
  static const Migrations all = {kVersion1, kVersion2};
  return all;
}

Result<uint32_t> schema_version(const Database& database) {
  CUCO_TRY(int64_t version, pragma(database, "PRAGMA user_version"));
  return static_cast<uint32_t>(version);
}

Status check_identity(const Database& database, const Migrations& known) {
  CUCO_TRY(int64_t application, pragma(database, "PRAGMA application_id"));
  std::string file = database.file().string();
  if (application != kApplicationId) return Error{concat(file, ": is not a store of cuco")};
  CUCO_TRY(uint32_t version, schema_version(database));
  if (version > known.size())
    return Error{concat(file, ": was written by a later cuco (version ", version,
                        " of the store; this one reads up to ", known.size(), "); use that one")};
  return Done{};
}

Status migrate(const Database& database, const Migrations& known) {
  Transaction transaction(database, Transaction::Kind::Write);
  if (!transaction.begun()) return transaction.begun();
  CUCO_TRY(uint32_t version, schema_version(database));
  if (version >= known.size()) return Done{};
  for (size_t i = version; i < known.size(); ++i) CUCO_CHECK(database.run_script(known[i]));
  std::string stamp = concat("PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", known.size());
  CUCO_CHECK(database.run_script(stamp));
  return transaction.commit();
}

}  // namespace cuco::store
