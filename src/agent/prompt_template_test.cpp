#include "agent/prompt_template.h"

#include <gtest/gtest.h>

namespace cuco::agent {
namespace {

std::string error_of(const std::string& text) {
  Result<PromptTemplate> prompt = PromptTemplate::parse("p.txt", text, {"a", "b"});
  return prompt ? "no error" : prompt.error().message;
}

TEST(PromptTemplate, PlaceholdersAreFilledOnce) {
  Result<PromptTemplate> prompt =
      PromptTemplate::parse("p.txt", "## system\nrole {{a}}\n\n## user\n{{b}} and {{a}}\n", {"a", "b"});
  ASSERT_TRUE(prompt.ok()) << prompt.error().message;
  FilledPrompt filled = prompt->fill({{"a", "{{b}}"}, {"b", "int x[] = {{1}};"}});
  EXPECT_EQ(filled.system, "role {{b}}");
  EXPECT_EQ(filled.user, "int x[] = {{1}}; and {{b}}");
}

TEST(PromptTemplate, NamesAreChecked) {
  EXPECT_EQ(error_of("## system\n{{a}}\n## user\n{{b}}\n{{c}}\n"), "p.txt:5: unknown placeholder {{c}}; known: a, b");
  EXPECT_EQ(error_of("## system\n{{a}}\n## user\nhello\n"), "p.txt: the placeholder {{b}} is used nowhere; add it");
  EXPECT_EQ(error_of("{{a}} {{b}}"), "p.txt:1: a prompt begins with the line `## system` and has a line `## user`");
}

}  // namespace
}  // namespace cuco::agent
