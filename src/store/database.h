// SQLite without its codes: a connection, statements that end with it, transactions. Only this folder includes it.
// A failure is remembered by the statement it happened in and told once, by status(), in words for the user that begin
// with the file.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cuco::store {

enum class Access : uint8_t { Read, Write, Create };

class Database {
 public:
  // Create makes the file when it is missing; the others do not.
  static Result<Database> open(const std::filesystem::path& file, Access access);

  const std::filesystem::path& file() const { return file_; }
  // Several statements that give no rows.
  Status run_script(const std::string& sql) const;
  // Why the last call failed.
  Error failure() const;

 private:
  friend class Query;
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  Database(std::filesystem::path file, sqlite3* connection) : file_(std::move(file)), connection_(connection) {}

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// One statement with its values. The database must outlive it.
class Query {
 public:
  Query(const Database& database, const char* sql);
  template <typename... Values>
  Query(const Database& database, const char* sql, const Values&... values) : Query(database, sql) {
    bind_all(values...);
  }

  // Takes other values and starts over.
  template <typename... Values>
  void restart(const Values&... values) {
    reset();
    bind_all(values...);
  }

  // False behind the last row, and after a failure.
  bool next();
  Status status() const;
  // For statements that give no rows.
  Status finish();

  // Columns count from 0.
  bool is_null(int column) const;
  int64_t integer(int column) const;
  uint32_t natural(int column) const { return static_cast<uint32_t>(integer(column)); }
  double real(int column) const;
  std::string text(int column) const;
  std::optional<double> optional_real(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  template <typename... Values>
  void bind_all(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
  }
  void bind(int index, const std::string& value);
  void bind(int index, double value);
  template <std::integral Integer>
  void bind(int index, Integer value) {
    bind_integer(index, static_cast<int64_t>(value));
  }
  template <typename Value>
  void bind(int index, const std::optional<Value>& value) {
    if (value) bind(index, *value);
  }
  void bind_integer(int index, int64_t value);
  void reset();
  void check(int code);

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::optional<Error> error_;
};

template <typename... Values>
Status run(const Database& database, const char* sql, const Values&... values) {
  return Query(database, sql, values...).finish();
}

// Undone unless committed.
class Transaction {
 public:
  enum class Kind : uint8_t {
    Read,   // Everything that is read inside is of one moment.
    Write,  // Nobody else writes meanwhile.
  };
  Transaction(const Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const Status& begun() const { return begun_; }
  Status commit();

 private:
  const Database* database_;
  Status begun_;
  bool open_;
};

}  // namespace cuco::store
