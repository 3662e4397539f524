#include "llm/open_model.h"

#include "base/text.h"
#include "llm/command_provider.h"
#include "llm/http_provider.h"
#include "llm/mailbox_provider.h"
#include "llm/model_spec.h"
#include "llm/transcript.h"
#include "llm/wire_format.h"

namespace cuco::llm {

namespace {

FormatResult make_format(const ModelSpec& spec, ModelWorld world) {
  switch (spec.kind) {
    case ProviderKind::Anthropic:
      return make_anthropic_format(spec, world.environment);
    case ProviderKind::Bedrock:
      return make_converse_format(spec, world.environment, world.clock);
    default:
      return make_chat_format(spec, world.environment);
  }
}

Result<std::unique_ptr<Provider>> make_provider(const ModelSpec& spec, const ModelOptions& options, ModelWorld world) {
  if (spec.kind == ProviderKind::Command)
    return std::unique_ptr<Provider>(std::make_unique<CommandProvider>(spec.name, options.command_timeout_ms));
  if (spec.kind == ProviderKind::Mailbox)
    return std::unique_ptr<Provider>(
        std::make_unique<MailboxProvider>(spec.name, options.mailbox_timeout_ms, world.clock));
  FormatResult format = make_format(spec, world);
  if (!format) return format.error();
  // Proxies that open TLS have certificates of their own; curl's library, unlike its program, does not look for them.
  HttpSettings settings{options.timeouts, variable_or(world.environment, "SSL_CERT_FILE", "")};
  return std::unique_ptr<Provider>(std::make_unique<HttpProvider>(*std::move(format), std::move(settings)));
}

}  // namespace

Result<std::unique_ptr<Model>> open_model(const std::string& spec_text, const ModelOptions& options, ModelWorld world) {
  CUCO_TRY(ModelSpec spec, parse_model_spec(spec_text));
  if (options.replay) return ReplayModel::open(to_text(spec), *options.replay);
  CUCO_TRY(std::unique_ptr<Provider> provider, make_provider(spec, options, world));
  CallTerms terms{to_text(spec), world.prices.find(spec), options.retry};
  std::unique_ptr<Model> model =
      std::make_unique<RetryingModel>(std::move(provider), std::move(terms), world.budget, world.clock);
  if (!options.record) return model;
  return RecordingModel::open(std::move(model), to_text(spec), *options.record, world.clock);
}

}  // namespace cuco::llm
