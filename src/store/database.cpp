#include "store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace cuco::store {

namespace {

// Longer than a step of another process takes to be written, shorter than a person waits without asking why.
constexpr int kBusyMs = 10'000;

bool is_full(int system_error) { return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG; }

std::string describe(int code, int system_error, const char* message) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "cannot be written: the disk is full";
    case SQLITE_NOTADB:
      return "is not a store of cuco: it is no database, or its first page is damaged";
    case SQLITE_CORRUPT:
      return concat("is damaged: ", message);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot be written: it, or its folder, is read-only";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is in use by another process";
    case SQLITE_CANTOPEN:
      return concat("cannot be opened: ", system_error != 0 ? std::strerror(system_error) : message);
    case SQLITE_IOERR:
      if (is_full(system_error)) return concat("cannot be written: ", std::strerror(system_error));
      if (system_error != 0) return concat("cannot be read or written: ", std::strerror(system_error));
      // For some files SQLite does not keep the system's reason.
      if (code == SQLITE_IOERR_WRITE) return "cannot be written: an error of the disk, or a limit on the size of files";
      return concat("cannot be read or written: ", message);
    default:
      return message;
  }
}

// SQLite would not say why a file cannot be made.
Status make_empty(const std::filesystem::path& file) {
  int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return Error{concat(file.string(), ": cannot be made: ", std::strerror(errno))};
  close(descriptor);
  return Done{};
}

int flags_of(Access access) {
  switch (access) {
    case Access::Read:
      return SQLITE_OPEN_READONLY;
    case Access::Write:
      return SQLITE_OPEN_READWRITE;
    case Access::Create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  std::error_code ignored;
  if (access == Access::Create) {
    CUCO_CHECK(make_empty(file));
  } else if (!std::filesystem::exists(file, ignored)) {
    return Error{concat(file.string(), ": no such file")};
  }
  sqlite3* connection = nullptr;
  // One thread at a time uses a connection, so SQLite need not guard it.
  int code = sqlite3_open_v2(file.c_str(), &connection, flags_of(access) | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(file, connection);
  if (code != SQLITE_OK) return database.failure();
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMs);
  return database;
}

Error Database::failure() const {
  int code = sqlite3_extended_errcode(connection_.get());
  int system_error = sqlite3_system_errno(connection_.get());
  return Error{concat(file_.string(), ": ", describe(code, system_error, sqlite3_errmsg(connection_.get())))};
}

Status Database::run_script(const std::string& sql) const {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
  return Done{};
}

void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Query::Query(const Database& database, const char* sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database.connection_.get(), sql, -1, &statement, nullptr));
  statement_.reset(statement);
}

void Query::check(int code) {
  if (code != SQLITE_OK && !error_) error_ = database_->failure();
}

void Query::reset() {
  if (error_) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool Query::next() {
  if (error_) return false;
  int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) check(code);
  return code == SQLITE_ROW;
}

Status Query::status() const {
  if (error_) return *error_;
  return Done{};
}

Status Query::finish() {
  while (next()) continue;
  return status();
}

void Query::bind(int index, const std::string& value) {
  if (error_) return;
  check(sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Query::bind(int index, double value) {
  if (!error_) check(sqlite3_bind_double(statement_.get(), index, value));
}

void Query::bind_integer(int index, int64_t value) {
  if (!error_) check(sqlite3_bind_int64(statement_.get(), index, value));
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Query::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Query::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::optional<double> Query::optional_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return real(column);
}

Transaction::Transaction(const Database& database, Kind kind)
    : database_(&database), begun_(run(database, kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN")), open_(begun_) {}

Transaction::~Transaction() {
  // A failed statement may have ended the transaction already; then there is nothing to undo.
  if (open_ && !sqlite3_get_autocommit(database_->connection_.get())) (void)run(*database_, "ROLLBACK");
}

Status Transaction::commit() {
  Status status = run(*database_, "COMMIT");
  if (status) open_ = false;
  return status;
}

}  // namespace cuco::store
