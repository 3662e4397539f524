// NVTX's C++ interface: objects that a tool would see. Here they are empty.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "nvtx3/nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct rgb {
  std::uint8_t red, green, blue;
  constexpr rgb(std::uint8_t r, std::uint8_t g, std::uint8_t b) : red(r), green(g), blue(b) {}
};
struct argb : rgb {
  std::uint8_t alpha;
  constexpr argb(std::uint8_t a, std::uint8_t r, std::uint8_t g, std::uint8_t b) : rgb(r, g, b), alpha(a) {}
};
class color {
 public:
  using value_type = std::uint32_t;
  constexpr explicit color(value_type code) : code_(code) {}
  constexpr color(rgb c) : code_(0xff000000u | c.red << 16 | c.green << 8 | c.blue) {}
  constexpr color(argb c) : code_((value_type)c.alpha << 24 | c.red << 16 | c.green << 8 | c.blue) {}
  constexpr value_type get_value() const { return code_; }

 private:
  value_type code_;
};

struct domain {
  struct global { static constexpr const char* name = nullptr; };
  template <class Name = global>
  static const domain& get() {
    static const domain one;
    return one;
  }
  operator nvtxDomainHandle_t() const { return nullptr; }
};

class category {
 public:
  using id_type = std::uint32_t;
  constexpr explicit category(id_type id) : id_(id) {}
  constexpr id_type get_id() const { return id_; }

 private:
  id_type id_;
};
template <class Domain = domain::global>
class named_category_in : public category {
 public:
  named_category_in(id_type id, const char*) : category(id) {}
  template <class Name>
  static const named_category_in& get() {
    static const named_category_in one(Name::id, Name::name);
    return one;
  }
};
using named_category = named_category_in<>;

template <class Domain = domain::global>
class registered_string_in {
 public:
  explicit registered_string_in(const char*) {}
  explicit registered_string_in(const std::string&) {}
  template <class Message>
  static const registered_string_in& get() {
    static const registered_string_in one(Message::message);
    return one;
  }
};
using registered_string = registered_string_in<>;

struct message {
  message(const char*) {}
  message(const wchar_t*) {}
  message(const std::string&) {}
  template <class Domain>
  message(const registered_string_in<Domain>&) {}
};
struct payload {
  template <class Number>
  explicit constexpr payload(Number) {}
};

class event_attributes {
 public:
  using value_type = nvtxEventAttributes_t;
  template <class... Parts>
  explicit event_attributes(const Parts&...) {}
  const value_type* get() const { return &attributes_; }

 private:
  value_type attributes_ = {};
};

template <class Domain = domain::global>
class scoped_range_in {
 public:
  template <class... Parts>
  explicit scoped_range_in(const Parts&...) {}
  scoped_range_in(const scoped_range_in&) = delete;
  scoped_range_in& operator=(const scoped_range_in&) = delete;
  ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<>;
using thread_range = scoped_range;

template <class Domain = domain::global>
class unique_range_in {
 public:
  template <class... Parts>
  explicit unique_range_in(const Parts&...) {}
  unique_range_in(unique_range_in&&) = default;
  unique_range_in& operator=(unique_range_in&&) = default;
  ~unique_range_in() {}
};
using unique_range = unique_range_in<>;
using process_range = unique_range;

struct range_handle {
  using value_type = nvtxRangeId_t;
  value_type id = 0;
  constexpr value_type get_value() const { return id; }
};
template <class Domain = domain::global, class... Parts>
range_handle start_range_in(const Parts&...) { return {}; }
template <class... Parts>
range_handle start_range(const Parts&...) { return {}; }
template <class Domain = domain::global>
void end_range_in(range_handle) {}
inline void end_range(range_handle) {}
template <class Domain = domain::global, class... Parts>
void mark_in(const Parts&...) {}
template <class... Parts>
void mark(const Parts&...) {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range cuco_nvtx_range(__func__)
#define NVTX3_FUNC_RANGE_IN(D) ::nvtx3::scoped_range_in<D> cuco_nvtx_range(__func__)
#define NVTX3_FUNC_RANGE_IF(C) ::nvtx3::scoped_range cuco_nvtx_range((C) ? __func__ : "")
#define NVTX3_V1_FUNC_RANGE NVTX3_FUNC_RANGE
