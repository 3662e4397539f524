// What models cost, read from TOML files that users extend:
//   [[model]]
//   provider = "anthropic"         # As in a model's spec; "*" for every provider.
//   name = "claude-example-1*"     # A trailing * stands for any rest: dated snapshots, aliases.
//   input_usd_per_mtok = 3         # Per million tokens; 0 is free.
//   output_usd_per_mtok = 15
//   source = "where and when it was read"
// Models that charge a whole call more when its prompt is long add three keys:
//   long_above_tokens = 200000     # Of input.
//   long_input_usd_per_mtok = 6
//   long_output_usd_per_mtok = 22.5
// A later file wins over an earlier one; within a file the longest match wins. Discounts for cached input are not
// modelled; where writing to a cache costs extra and cannot be declined, that is the price of input.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/model.h"
#include "llm/model_spec.h"

namespace cuco::llm {

struct Rate {
  double input_usd_per_mtok = 0;
  double output_usd_per_mtok = 0;
};

struct LongRate {
  uint64_t above_tokens = 0;  // Of input.
  Rate rate;
};

struct Price {
  Rate rate;
  std::optional<LongRate> long_rate = std::nullopt;

  double cost_usd(const Usage& usage) const;
};

class PriceList {
 public:
  // Errors name the file and line and say what would be right.
  Status add(const std::string& path, const std::string& toml_text);
  std::optional<Price> find(const ModelSpec& spec) const;

 private:
  struct Entry {
    std::string provider;
    std::string name;
    Price price;
    size_t file = 0;

    bool matches(const ModelSpec& spec) const;
  };
  std::vector<Entry> entries_;
  size_t file_count_ = 0;
};

// What ships with cuco (share/prices/models.toml), then the user's file when there is one.
Result<PriceList> load_prices(const std::filesystem::path& share, const std::optional<std::filesystem::path>& user);

}  // namespace cuco::llm
