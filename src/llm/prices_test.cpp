#include "llm/prices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace cuco::llm {
namespace {

std::string entry(const std::string& provider, const std::string& name, double input, double output) {
  return concat("[[model]]\nprovider = \"", provider, "\"\nname = \"", name, "\"\ninput_usd_per_mtok = ", input,
                "\noutput_usd_per_mtok = ", output, "\n");
}

ModelSpec openai(const std::string& name) { return {ProviderKind::OpenAi, name, "", ""}; }

TEST(Prices, CostIsPerMillionTokens) { EXPECT_DOUBLE_EQ((Price{{3, 15}}).cost_usd({2'000'000, 100'000, false}), 7.5); }

TEST(Prices, ALongPromptCostsMoreForTheWholeCall) {
  PriceList prices;
  std::string text = entry("openai", "m", 2, 10) +
                     "long_above_tokens = 1000\nlong_input_usd_per_mtok = 4\nlong_output_usd_per_mtok = 15\n";
  ASSERT_TRUE(prices.add("p.toml", text).ok());
  std::optional<Price> price = prices.find(openai("m"));
  ASSERT_TRUE(price.has_value());
  EXPECT_DOUBLE_EQ(price->cost_usd({1000, 100, false}), 0.003);
  EXPECT_DOUBLE_EQ(price->cost_usd({1001, 100, false}), 0.005504);
  EXPECT_EQ(prices.add("p.toml", entry("openai", "m", 2, 10) + "long_above_tokens = 1000\n").error().message,
            "p.toml:1: [[model]] lacks long_input_usd_per_mtok; add it as a number");
}

TEST(Prices, LongestMatchWins) {
  PriceList prices;
  ASSERT_TRUE(prices.add("p.toml", entry("openai", "fast*", 1, 1) + entry("openai", "fast-mini*", 2, 2)).ok());
  EXPECT_EQ(prices.find(openai("fast-mini-2026"))->rate.input_usd_per_mtok, 2);
  EXPECT_EQ(prices.find(openai("fast-2026"))->rate.input_usd_per_mtok, 1);
}

TEST(Prices, AnotherProvidersModelOfTheSameNameHasNoPrice) {
  PriceList prices;
  ASSERT_TRUE(prices.add("p.toml", entry("anthropic", "m", 1, 1)).ok());
  EXPECT_FALSE(prices.find(openai("m")).has_value());
  ASSERT_TRUE(prices.add("q.toml", entry("*", "m", 4, 4)).ok());
  EXPECT_EQ(prices.find(openai("m"))->rate.input_usd_per_mtok, 4);
}

TEST(Prices, TheUsersFileWinsOverALongerMatchOfTheShippedOne) {
  PriceList prices;
  ASSERT_TRUE(prices.add("shipped.toml", entry("openai", "fast-mini", 2, 2)).ok());
  ASSERT_TRUE(prices.add("user.toml", entry("openai", "fast*", 9, 9)).ok());
  EXPECT_EQ(prices.find(openai("fast-mini"))->rate.input_usd_per_mtok, 9);
}

TEST(Prices, ComplaintsNameTheLine) {
  PriceList prices;
  EXPECT_EQ(prices.add("p.toml", entry("openai", "m", -1, 1)).error().message,
            "p.toml:4: input_usd_per_mtok must be a number, 0 or more");
  EXPECT_EQ(prices.add("p.toml", "[[model]]\nprovider = \"openai\"\n").error().message,
            "p.toml:1: [[model]] lacks name; add it as text in quotes");
  EXPECT_EQ(prices.add("p.toml", "[[model]]\nprize = 1\n").error().message,
            "p.toml:2: unknown key prize; known keys: provider, name, input_usd_per_mtok, output_usd_per_mtok, "
            "long_above_tokens, long_input_usd_per_mtok, long_output_usd_per_mtok, source");
  EXPECT_EQ(prices.add("p.toml", "models = 1\n").error().message,
            "p.toml:1: a price file is a list of [[model]] tables and nothing else");
}

TEST(Prices, ShippedPricesLoadAndEachNamesItsSource) {
  Result<PriceList> prices = load_prices(CUCO_SOURCE_DIR, std::nullopt);
  ASSERT_TRUE(prices.ok()) << prices.error().message;
  EXPECT_TRUE(prices->find({ProviderKind::Mailbox, "/tmp/anywhere", "", ""}).has_value());
  std::string text = *read_file(CUCO_SOURCE_DIR "/prices/models.toml");
  auto lines_with = [&](std::string_view start) {
    std::vector<std::string> lines = split(text, '\n');
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); });
  };
  EXPECT_GT(lines_with("[[model]]"), 0);
  EXPECT_EQ(lines_with("[[model]]"), lines_with("source = \""));
}

}  // namespace
}  // namespace cuco::llm
