// Models opened as the command line opens them, with a local server for a provider.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "http_server.h"
#include "llm/open_model.h"
#include "testing/fake_clock.h"
#include "testing/fake_environment.h"
#include "testing/scratch_folder.h"

namespace cuco::testing {

class NotingProgress : public llm::Progress {
 public:
  std::string text;
  std::vector<uint64_t> token_counts;
  std::vector<std::string> retries;
  std::vector<int64_t> waits_ms;
  bool cancel_at_text = false;

  void on_text(std::string_view piece, uint64_t output_tokens) override {
    text += piece;
    token_counts.push_back(output_tokens);
  }
  void on_retry(const std::string& reason, int64_t wait_ms) override {
    retries.push_back(reason);
    waits_ms.push_back(wait_ms);
  }
  bool cancelled() const override { return cancel_at_text && !text.empty(); }
};

class ModelFixture : public ::testing::Test {
 protected:
  static constexpr const char* kKey = "key-that-nobody-may-see";

  ModelFixture() {
    environment.variables = {{"ANTHROPIC_API_KEY", kKey},     {"ANTHROPIC_BASE_URL", server.url()},
                             {"OPENAI_API_KEY", kKey},        {"OPENAI_BASE_URL", server.url() + "/v1"},
                             {"AZURE_OPENAI_API_KEY", kKey},  {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                             {"AWS_SECRET_ACCESS_KEY", kKey}, {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url()}};
    options.timeouts = {.connect_ms = 5'000, .first_byte_ms = 20'000, .idle_ms = 20'000};
  }

  Result<llm::Reply> complete(const std::string& spec) {
    Result<std::unique_ptr<llm::Model>> model = llm::open_model(spec, options, {environment, clock, budget, prices});
    if (!model) return model.error();
    return (*model)->complete(prompt, progress);
  }
  // The message of the error; a reply fails the test.
  std::string error_of(const std::string& spec) {
    Result<llm::Reply> reply = complete(spec);
    EXPECT_FALSE(reply.ok());
    return reply.ok() ? "" : reply.error().message;
  }
  std::string compatible() const { return "openai-compatible:m@" + server.url() + "/v1"; }

  HttpServer server;
  FakeEnvironment environment;
  FakeClock clock;
  llm::Budget budget{llm::BudgetCaps{}};
  llm::PriceList prices;
  llm::ModelOptions options;
  NotingProgress progress;
  llm::Prompt prompt{"be brief", {{llm::Role::User, "say \"hello\""}}, 500, 0.5};
  ScratchFolder scratch;
};

}  // namespace cuco::testing
