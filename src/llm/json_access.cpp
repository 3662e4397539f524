#include "llm/json_access.h"

#include <nlohmann/json.hpp>

namespace cuco::llm {

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

const Json* find(const Json& value, const char* pointer) {
  Json::json_pointer path(pointer);
  return value.contains(path) ? &value.at(path) : nullptr;
}

std::string text_at(const Json& value, const char* pointer) {
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

uint64_t count_at(const Json& value, const char* pointer) {
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace cuco::llm
