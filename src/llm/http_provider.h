// A provider that is an HTTP endpoint: sends a prompt in its wire format and gathers the reply as it streams in.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "llm/http.h"
#include "llm/provider.h"
#include "llm/wire_format.h"

namespace cuco::llm {

class HttpProvider : public Provider {
 public:
  HttpProvider(std::unique_ptr<WireFormat> format, Timeouts timeouts)
      : format_(std::move(format)), timeouts_(timeouts) {}

  Attempt attempt(const Prompt& prompt, Progress& progress) override;

 private:
  Attempt send(const Prompt& prompt, Progress& progress);
  bool omit_refused(const HttpResponse& response, const Omitted& omitted);
  Failure explain(const HttpResponse& response) const;
  Attempt without_secrets(Attempt attempt) const;

  std::unique_ptr<WireFormat> format_;
  Timeouts timeouts_;
  std::atomic<bool> omit_temperature_ = false;
  std::atomic<bool> omit_stream_options_ = false;
};

}  // namespace cuco::llm
