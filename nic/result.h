// A value or the sentence that says why there is none, for people who set up the emulated NIC.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace cuco::nic {

// GCC 12 warns falsely about literal + std::string&&.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (text.append(parts), ...);
  return text;
}

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() & { return std::get<T>(state_); }
  T operator*() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace cuco::nic
