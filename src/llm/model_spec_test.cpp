#include "llm/model_spec.h"

#include <gtest/gtest.h>

namespace cuco::llm {
namespace {

std::string error_of(std::string_view text) {
  Result<ModelSpec> spec = parse_model_spec(text);
  return spec ? "no error" : spec.error().message;
}

TEST(ModelSpec, EveryFormIsReadAndWrittenBack) {
  for (const char* text : {"anthropic:claude-x", "openai:gpt-x", "openai-compatible:org/model@http://localhost:8000/v1",
                           "openai-compatible:m@https://host/v1#HOST_KEY", "bedrock:vendor.model-v1:0@eu-central-1",
                           "bedrock:vendor.model", "azure:deployment@https://resource.openai.azure.com",
                           "azure:deployment", "command:python3 answer.py --fast", "mailbox:/tmp/letters"}) {
    Result<ModelSpec> spec = parse_model_spec(text);
    ASSERT_TRUE(spec.ok()) << text << ": " << spec.error().message;
    EXPECT_EQ(to_text(*spec), text);
  }
}

TEST(ModelSpec, PartsAreToldApart) {
  Result<ModelSpec> spec = parse_model_spec("openai-compatible:a@b@http://host/v1/#KEY");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(*spec, (ModelSpec{ProviderKind::OpenAiCompatible, "a@b", "http://host/v1", "KEY"}));
  EXPECT_EQ(parse_model_spec("bedrock:vendor.model-v1:0@us-east-1")->name, "vendor.model-v1:0");
}

TEST(ModelSpec, AMistypedProviderIsGuessed) {
  EXPECT_EQ(error_of("antropic:x"), "model `antropic:x` names no provider; did you mean anthropic:?");
  EXPECT_EQ(error_of("anthropic"), "model `anthropic` names no provider; did you mean anthropic:?");
  EXPECT_EQ(error_of("zzz:x"),
            "model `zzz:x` names no provider; known providers: anthropic, openai, openai-compatible, bedrock, azure, "
            "command, mailbox");
}

TEST(ModelSpec, AnEndpointMustBeAUrlWithoutPassword) {
  EXPECT_EQ(error_of("openai-compatible:m"),
            "model `openai-compatible:m` lacks @ and the URL of its endpoint; write it as "
            "openai-compatible:NAME@BASE_URL");
  EXPECT_EQ(error_of("openai-compatible:m@localhost:8000"),
            "model `openai-compatible:m@localhost:8000` has `localhost:8000` where a URL with http:// or https:// must "
            "stand; write it as openai-compatible:NAME@BASE_URL");
  EXPECT_NE(error_of("azure:m@https://me:secret@host").find("keys come from the environment"), std::string::npos);
}

TEST(ModelSpec, ANameIsNeeded) {
  EXPECT_EQ(error_of("openai: "), "model `openai: ` names nothing after the colon; write it as openai:NAME");
}

}  // namespace
}  // namespace cuco::llm
