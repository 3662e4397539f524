// The tables of a store, and how those of an older version become those of this one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "store/database.h"

namespace cuco::store {

// Entry i brings a database of version i to version i + 1.
using Migrations = std::vector<const char*>;
const Migrations& migrations();

// Fails for what is no store of cuco, and for one that is of a later version than `known`.
Status check_identity(const Database& database, const Migrations& known = migrations());

// 0 for an empty database.
Result<uint32_t> schema_version(const Database& database);

// Whole or not at all. Does nothing when the database is up to date.
Status migrate(const Database& database, const Migrations& known = migrations());

}  // namespace cuco::store
