#include "vcluster/input_keys.h"

#include "base/sha256.h"
#include "base/text.h"

namespace cuco::vcluster {

namespace {

uint64_t word_at(const std::string& bytes, size_t at) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; i++) word = word << 8 | static_cast<uint8_t>(bytes[at + i]);
  return word;
}

}  // namespace

RankKey rank_key_of(const std::string& run_key, uint32_t rank) {
  std::string bytes = hmac_sha256(run_key, concat("rank ", rank));
  return {word_at(bytes, 0), word_at(bytes, 8)};
}

uint64_t keyed_seed(const std::string& run_key, std::string_view purpose) {
  return word_at(hmac_sha256(run_key, purpose), 0);
}

}  // namespace cuco::vcluster
