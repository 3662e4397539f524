// One HTTP POST over libcurl. Redirects are not followed: they would carry a key to another host. Proxies come from the
// environment, as curl reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/provider.h"

namespace cuco::llm {

struct Timeouts {
  int64_t connect_ms = 15'000;
  int64_t first_byte_ms = 600'000;  // A reply that is not streamed comes only when it is whole.
  int64_t idle_ms = 90'000;         // Between bytes.
};

struct HttpSettings {
  Timeouts timeouts = {};
  std::string ca_file;  // Certificates to trust instead of the system's; empty for those.
};

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "name: value"
  std::string body;
};

struct HttpResponse {
  long status = 0;
  std::string content_type;
  std::optional<int64_t> retry_after_ms;
  std::string body;  // Of responses that are no event stream of success.
};

struct HttpObserver {
  // Bytes of an event stream that a 2xx status announced. False ends the transfer without failure.
  std::function<bool(std::string_view)> on_stream;
  std::function<bool()> cancelled;
};

struct HttpOutcome {
  HttpResponse response;
  std::optional<Failure> failure;  // Unset when the response is whole, whatever its status.
};

HttpOutcome http_post(const HttpRequest& request, const HttpSettings& settings, const HttpObserver& observer);

}  // namespace cuco::llm
