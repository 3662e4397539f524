#include "llm/api_error.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cuco::llm {

namespace {

constexpr size_t kExcerptBytes = 300;

// Codes that come with status 429 and mean that money ran out: waiting does not bring it back.
constexpr std::array<std::string_view, 5> kMoneyIsOut = {"insufficient_quota", "credit_balance_exhausted",
                                                         "enforced_spend_limit_reached", "billing_hard_limit_reached",
                                                         "billing_error"};

// Error types that pass by themselves; the last ones are OpenAI's and Bedrock's.
constexpr std::array<std::string_view, 8> kPassing = {
    "overloaded_error", "rate_limit_error",    "api_error",           "timeout_error",
    "server_error",     "rate_limit_exceeded", "ThrottlingException", "ServiceUnavailableException"};

template <size_t N>
bool mentions(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Providers differ in where they put the sentence.
std::string message_in(const Json& body) {
  for (const char* pointer : {"/error/message", "/message", "/Message", "/error", "/detail"})
    if (std::string text = text_at(body, pointer); !text.empty()) return text;
  return "";
}

std::string kind_in(const Json& body) {
  for (const char* pointer : {"/error/type", "/error/code", "/__type"})
    if (std::string text = text_at(body, pointer); !text.empty()) return text + ": ";
  return "";
}

bool passes_by_itself(long status) { return status == 408 || status == 409 || status == 429 || status >= 500; }

}  // namespace

std::string excerpt(std::string_view text) {
  std::string line = squeeze(text.substr(0, kExcerptBytes));
  return text.size() > kExcerptBytes ? line + " ..." : line;
}

Failure failure_of_response(const HttpResponse& response) {
  Json body = parse_json(response.body);
  std::string said = message_in(body);
  if (said.empty()) said = response.body.empty() ? "no explanation" : response.body;
  bool retryable = passes_by_itself(response.status) && !mentions(response.body, kMoneyIsOut);
  return Failure{concat("HTTP ", response.status, ": ", kind_in(body), excerpt(said)), retryable,
                 response.retry_after_ms};
}

Failure failure_of_object(const Json& object) {
  std::string all = dump(object);
  std::string said = message_in(object);
  bool retryable = mentions(all, kPassing) && !mentions(all, kMoneyIsOut);
  return Failure{concat(kind_in(object), excerpt(said.empty() ? all : said)), retryable};
}

}  // namespace cuco::llm
