#include "llm/model_spec.h"

#include <array>
#include <optional>
#include <vector>

#include "base/text.h"

namespace cuco::llm {

namespace {

struct KindForm {
  ProviderKind kind;
  std::string_view name;
  std::string_view form;
};

constexpr std::array<KindForm, 7> kForms = {{
    {ProviderKind::Anthropic, "anthropic", "anthropic:NAME"},
    {ProviderKind::OpenAi, "openai", "openai:NAME"},
    {ProviderKind::OpenAiCompatible, "openai-compatible", "openai-compatible:NAME@BASE_URL"},
    {ProviderKind::Bedrock, "bedrock", "bedrock:NAME@REGION"},
    {ProviderKind::Azure, "azure", "azure:DEPLOYMENT@ENDPOINT"},
    {ProviderKind::Command, "command", "command:PROGRAM ARGUMENTS"},
    {ProviderKind::Mailbox, "mailbox", "mailbox:FOLDER"},
}};

const KindForm& form_of(ProviderKind kind) { return kForms[static_cast<size_t>(kind)]; }

Error unfit(std::string_view text, const KindForm& form, std::string_view what) {
  return Error{concat("model `", text, "` ", what, "; write it as ", form.form)};
}

Result<KindForm> find_form(std::string_view text) {
  std::string_view word = text.substr(0, text.find(':'));
  std::vector<std::string> names;
  for (const KindForm& form : kForms) {
    if (form.name == word && word.size() < text.size()) return form;
    names.emplace_back(form.name);
  }
  std::string meant = closest(word, names);
  std::string advice =
      meant.empty() ? concat("known providers: ", join(names, ", ")) : concat("did you mean ", meant, ":?");
  return Error{concat("model `", text, "` names no provider; ", advice)};
}

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

// A password in a URL would end up in transcripts and messages.
bool holds_credentials(std::string_view url) {
  std::string_view rest = url.substr(url.find("//") + 2);
  return rest.substr(0, rest.find('/')).find('@') != std::string_view::npos;
}

std::optional<std::string> check_url(std::string_view url) {
  if (!is_url(url)) return concat("has `", url, "` where a URL with http:// or https:// must stand");
  if (holds_credentials(url)) return std::string("has a name or password in its URL: keys come from the environment");
  return std::nullopt;
}

// The last @ that can begin `where`: names may hold one, URLs hold none before their host.
void split_at_sign(std::string_view rest, bool url, ModelSpec& spec) {
  size_t at = url ? rest.find("@http") : rest.rfind('@');
  if (at == std::string_view::npos && url) at = rest.find('@');
  spec.name = rest.substr(0, at);
  if (at != std::string_view::npos) spec.where = rest.substr(at + 1);
}

void split_key_variable(ModelSpec& spec) {
  size_t hash = spec.where.find('#');
  if (hash == std::string::npos) return;
  spec.key_variable = spec.where.substr(hash + 1);
  spec.where.resize(hash);
}

std::optional<std::string> check_place(ModelSpec& spec) {
  if (spec.kind == ProviderKind::OpenAiCompatible) {
    if (spec.where.empty()) return std::string("lacks @ and the URL of its endpoint");
    split_key_variable(spec);
  }
  bool url = spec.kind == ProviderKind::OpenAiCompatible || spec.kind == ProviderKind::Azure;
  if (url && !spec.where.empty()) {
    if (auto wrong = check_url(spec.where)) return wrong;
    while (spec.where.ends_with('/')) spec.where.pop_back();
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(ProviderKind kind) { return form_of(kind).name; }

std::string to_text(const ModelSpec& spec) {
  std::string text = concat(name_of(spec.kind), ":", spec.name);
  if (!spec.where.empty()) text += concat("@", spec.where);
  if (!spec.key_variable.empty()) text += concat("#", spec.key_variable);
  return text;
}

Result<ModelSpec> parse_model_spec(std::string_view text) {
  CUCO_TRY(KindForm form, find_form(text));
  std::string_view rest = trim(text.substr(form.name.size() + 1));
  ModelSpec spec;
  spec.kind = form.kind;
  switch (spec.kind) {
    case ProviderKind::OpenAiCompatible:
    case ProviderKind::Azure:
      split_at_sign(rest, true, spec);
      break;
    case ProviderKind::Bedrock:
      split_at_sign(rest, false, spec);
      break;
    default:
      spec.name = rest;
  }
  if (spec.name.empty()) return unfit(text, form, "names nothing after the colon");
  if (auto wrong = check_place(spec)) return unfit(text, form, *wrong);
  return spec;
}

}  // namespace cuco::llm
