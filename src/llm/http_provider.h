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
  HttpProvider(std::unique_ptr<WireFormat> format, HttpSettings settings)
      : format_(std::move(format)), settings_(std::move(settings)) {}

  Attempt attempt(const Prompt& prompt, Progress& progress) override;

 private:
  Attempt send(const Prompt& prompt, Progress& progress);
  bool concede(const HttpResponse& response, const Concessions& made);
  Failure explain(const HttpResponse& response) const;
  Attempt without_secrets(Attempt attempt) const;

  std::unique_ptr<WireFormat> format_;
  HttpSettings settings_;
  std::atomic<bool> no_temperature_ = false;
  std::atomic<bool> no_stream_options_ = false;
  std::atomic<bool> other_limit_name_ = false;
};

}  // namespace cuco::llm
