// A value, or the reason why a request cannot be served. The message is for the user: it starts with file:line:col:
// where there is one, names the offending text and says what would be right. Bugs in cuco are CUCO_ASSERT instead.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace cuco {

struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    CUCO_ASSERT(ok());
    return std::get<T>(state_);
  }
  T& value() & {
    CUCO_ASSERT(ok());
    return std::get<T>(state_);
  }
  T&& value() && {
    CUCO_ASSERT(ok());
    return std::get<T>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    CUCO_ASSERT(!ok());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// For requests whose success carries no value.
struct Done {};
using Status = Result<Done>;

}  // namespace cuco

// CUCO_TRY(Hosts hosts, read_hosts(file)); declares `hosts` with what a Result holds, or returns its error from the
// function, whose own result may be of another type. A type with a comma in it is `auto`.
#define CUCO_TRY(declaration, ...) CUCO_TRY_AS(CUCO_TRY_NAME(__LINE__), declaration, __VA_ARGS__)
// Likewise for a Status, of which only the error is of interest.
#define CUCO_CHECK(...) \
  if (::cuco::Status checked = (__VA_ARGS__); !checked) return checked.error()

#define CUCO_TRY_NAME(line) CUCO_TRY_JOIN(tried_, line)
#define CUCO_TRY_JOIN(prefix, line) prefix##line
#define CUCO_TRY_AS(tried, declaration, ...) \
  auto tried = (__VA_ARGS__);                \
  if (!tried) return tried.error();          \
  declaration = *std::move(tried)
