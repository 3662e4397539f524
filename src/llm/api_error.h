// What providers say when they do not answer, and whether asking again can help.
#pragma once

#include <string_view>

#include "llm/http.h"
#include "llm/json_access.h"
#include "llm/provider.h"

namespace cuco::llm {

Failure failure_of_response(const HttpResponse& response);
// An error object inside a stream or a body of status 200: {"error": {"type": ..., "message": ...}}.
Failure failure_of_object(const Json& object);

// The first bytes of a text on one line, for messages.
std::string excerpt(std::string_view text);

}  // namespace cuco::llm
