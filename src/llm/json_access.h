// Reading JSON that may be anything: what is missing or of another type reads as empty, never as an exception.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cuco::llm {

using Json = nlohmann::json;

// "discarded" when the text is no JSON.
Json parse_json(std::string_view text);
// By JSON pointer: "/error/message".
const Json* find(const Json& value, const char* pointer);
std::string text_at(const Json& value, const char* pointer);
uint64_t count_at(const Json& value, const char* pointer);
// One line; bytes that are not UTF-8 become the replacement character.
std::string dump(const Json& value);

}  // namespace cuco::llm
