// Runs the programs of workloads/ on the virtual cluster and compares what they compute with plain loops in double
// precision over the same inputs, in both grades.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "../device/cuco/element.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco {
namespace {

using Values = std::vector<double>;
using Parameters = std::map<std::string, int64_t>;
constexpr int kTimeoutMs = 300'000;

// What two roundings of sums in the grade's precision may differ by.
double tolerance_of(bool tensor) { return tensor ? 3e-2 : 1e-4; }
Element element_of(bool tensor) { return tensor ? Element::BFloat16 : Element::Float32; }
int small_tile_of(bool tensor) { return tensor ? 32 : 16; }

class CapturedRun {
 public:
  CapturedRun(const std::string& workload, int ranks, const Parameters& parameters,
              const std::vector<std::string>& flags = {}) {
    std::string folder = concat("CAPTURE_FOLDER=\"", folder_.path().string(), "\"");
    std::vector<std::string> command = {CUCO_BINARY, "simulate",
                                        path_of(concat("workloads/", workload, "/program.cu"))};
    command.push_back(path_of("tests/workloads/capture.cpp"));
    command.insert(command.end(), {"-I", path_of("device"), "-D", "CUCO_HARNESS", "-D", folder});
    command.insert(command.end(), {"-n", std::to_string(ranks)});
    command.insert(command.end(), flags.begin(), flags.end());
    command.push_back("--");
    for (const auto& [name, value] : parameters) command.push_back(concat(name, "=", value));
    Result<ProcessOutput> run = RealProcessRunner().run(command, kTimeoutMs);
    EXPECT_TRUE(run.ok() && run->exit_code == 0) << (run.ok() ? run->text : run.error().message);
  }

  Values read(int rank, const std::string& name, Element element) const {
    Result<std::string> bytes = read_file(folder_.path() / concat(rank, ".", name));
    EXPECT_TRUE(bytes.ok()) << bytes.error().message;
    if (!bytes.ok()) return {};
    Values values(bytes->size() / bytes_of(element));
    for (size_t i = 0; i < values.size(); i++) values[i] = load_element(element, bytes->data(), i);
    return values;
  }

 private:
  static std::string path_of(const std::string& file) { return concat(CUCO_SOURCE_DIR, "/", file); }

  testing::ScratchFolder folder_;
};

void expect_near(const Values& seen, const Values& wanted, double tolerance, const std::string& what) {
  ASSERT_EQ(seen.size(), wanted.size()) << what;
  for (size_t i = 0; i < seen.size(); i++)
    ASSERT_LE(std::fabs(seen[i] - wanted[i]), tolerance * (1 + std::fabs(wanted[i])))
        << what << "[" << i << "] is " << seen[i] << " and should be " << wanted[i];
}

// Where a matrix in a larger array begins, and its size.
struct Matrix {
  const double* data;
  size_t rows, columns;
};

Values product(const Matrix& a, const Matrix& b) {
  Values c(a.rows * b.columns);
  for (size_t i = 0; i < a.rows; i++)
    for (size_t d = 0; d < a.columns; d++)
      for (size_t j = 0; j < b.columns; j++)
        c[i * b.columns + j] += a.data[i * a.columns + d] * b.data[d * b.columns + j];
  return c;
}

double silu(double x) { return x / (1 + std::exp(-x)); }

void add_to(Values& sum, const Values& part) {
  for (size_t i = 0; i < sum.size(); i++) sum[i] += part[i];
}

class Grade : public ::testing::TestWithParam<bool> {
 protected:
  bool tensor() const { return GetParam(); }
  Element element() const { return element_of(tensor()); }
  double tolerance() const { return tolerance_of(tensor()); }
  Parameters with_tile(Parameters parameters) const {
    parameters["tensor"] = tensor();
    parameters["tile"] = small_tile_of(tensor());
    return parameters;
  }
};

TEST_P(Grade, AllGatherHasTheRowsOfEveryRank) {
  constexpr size_t kRanks = 4, kRows = 32, kN = 96, kK = 64;
  CapturedRun run("gemm_allgather", kRanks, with_tile({{"m", kRanks * kRows}, {"n", kN}, {"k", kK}}));
  Values wanted;
  for (size_t rank = 0; rank < kRanks; rank++) {
    Values a = run.read(rank, "a", element()), b = run.read(rank, "b", element());
    Values rows = product({a.data(), kRows, kK}, {b.data(), kK, kN});
    wanted.insert(wanted.end(), rows.begin(), rows.end());
  }
  for (size_t rank = 0; rank < kRanks; rank++)
    expect_near(run.read(rank, "gathered", element()), wanted, tolerance(), "gathered");
}

TEST_P(Grade, LargeTilesGiveTheSameProduct) {
  const size_t tile = tensor() ? 128 : 64, k = 64;
  CapturedRun run("gemm_allgather", 1, {{"m", tile}, {"n", 2 * tile}, {"k", k}, {"tensor", tensor()}});
  Values a = run.read(0, "a", element()), b = run.read(0, "b", element());
  Values wanted = product({a.data(), tile, k}, {b.data(), k, 2 * tile});
  expect_near(run.read(0, "gathered", element()), wanted, tolerance(), "gathered");
}

TEST_P(Grade, ReduceScatterAddsTheResidualToItsRowsOfTheSum) {
  constexpr size_t kRanks = 2, kM = 64, kN = 32, kK = 64, kShard = kM * kN / kRanks;
  CapturedRun run("gemm_reduce_scatter", kRanks, with_tile({{"m", kM}, {"n", kN}, {"k", kRanks * kK}}));
  Values sum(kM * kN);
  for (size_t rank = 0; rank < kRanks; rank++) {
    Values a = run.read(rank, "a", element()), b = run.read(rank, "b", element());
    add_to(sum, product({a.data(), kM, kK}, {b.data(), kK, kN}));
  }
  for (size_t rank = 0; rank < kRanks; rank++) {
    Values wanted = run.read(rank, "residual", element());
    add_to(wanted, {sum.begin() + rank * kShard, sum.begin() + (rank + 1) * kShard});
    expect_near(run.read(rank, "out", element()), wanted, tolerance(), "out");
  }
}

TEST_P(Grade, DecodeRankHasTheCacheOfItsPrefillRank) {
  constexpr size_t kTokens = 64, kKv = 32, kHidden = 64, kLayers = 3;
  CapturedRun run("kv_transfer", 4, with_tile({{"s", kTokens}, {"kv", kKv}, {"hidden", kHidden}, {"layers", kLayers}}));
  for (int prefill : {0, 2}) {
    Values hidden = run.read(prefill, "hidden", element()), weights = run.read(prefill, "weights", element());
    Values wanted;
    for (size_t part = 0; part < 2 * kLayers; part++) {
      Values cache = product({hidden.data() + part / 2 * kTokens * kHidden, kTokens, kHidden},
                             {weights.data() + part * kHidden * kKv, kHidden, kKv});
      wanted.insert(wanted.end(), cache.begin(), cache.end());
    }
    expect_near(run.read(prefill + 1, "cache", element()), wanted, tolerance(), "cache");
  }
}

struct Decoder {
  size_t batch, hidden, inner, layers;  // inner: of one rank.
};

// One rank's part of a layer.
Values mlp_part(const Decoder& shape, const Values& normed, const double* up, const double* down) {
  Values activated = product({normed.data(), shape.batch, shape.hidden}, {up, shape.hidden, shape.inner});
  for (double& value : activated) value = silu(value);
  return product({activated.data(), shape.batch, shape.inner}, {down, shape.inner, shape.hidden});
}

Values normalised(const Values& residual, size_t hidden) {
  Values normed = residual;
  for (size_t row = 0; row < residual.size(); row += hidden) {
    double squares = 0;
    for (size_t i = row; i < row + hidden; i++) squares += residual[i] * residual[i];
    for (size_t i = row; i < row + hidden; i++) normed[i] /= std::sqrt(squares / hidden);
  }
  return normed;
}

TEST_P(Grade, DecodingKeepsOneResidualStreamOnAllRanks) {
  constexpr size_t kRanks = 2;
  const Decoder shape = {32, 64, 64, 2};
  const size_t weight_count = shape.hidden * shape.inner;
  CapturedRun run("allreduce_rmsnorm", kRanks,
                  with_tile({{"batch", 32}, {"hidden", 64}, {"inner", kRanks * 64}, {"layers", 2}}));
  Values residual(shape.batch * shape.hidden);
  for (size_t rank = 0; rank < kRanks; rank++) add_to(residual, run.read(rank, "embedded", element()));
  for (size_t layer = 0; layer < shape.layers; layer++) {
    Values normed = normalised(residual, shape.hidden);
    for (size_t rank = 0; rank < kRanks; rank++) {
      Values up = run.read(rank, "up", element()), down = run.read(rank, "down", element());
      add_to(residual, mlp_part(shape, normed, &up[layer * weight_count], &down[layer * weight_count]));
    }
  }
  for (size_t rank = 0; rank < kRanks; rank++) {
    expect_near(run.read(rank, "residual", Element::Float32), residual, tolerance(), "residual");
    expect_near(run.read(rank, "normed", element()), normalised(residual, shape.hidden), tolerance(), "normed");
  }
}

struct Attention {
  size_t ranks, tokens, heads, dim;  // tokens: of one rank.
  bool causal;
};

// q, k and v of all ranks, by rank, head and token.
struct Heads {
  std::vector<Values> q, kv;
};

const double* key_of(const Attention& shape, const Heads& heads, size_t head, size_t position) {
  size_t row = head * shape.tokens + position % shape.tokens;
  return &heads.kv[position / shape.tokens][row * shape.dim];
}

Values attend(const Attention& shape, const Heads& heads, size_t head, size_t position) {
  const double* query = &heads.q[position / shape.tokens][(head * shape.tokens + position % shape.tokens) * shape.dim];
  const size_t visible = shape.causal ? position + 1 : shape.ranks * shape.tokens;
  Values out(shape.dim);
  double sum = 0;
  for (size_t other = 0; other < visible; other++) {
    const double* key = key_of(shape, heads, head, other);
    const double* value = key + shape.heads * shape.tokens * shape.dim;
    double score = 0;
    for (size_t d = 0; d < shape.dim; d++) score += query[d] * key[d];
    const double weight = std::exp(score / std::sqrt(shape.dim));
    sum += weight;
    for (size_t d = 0; d < shape.dim; d++) out[d] += weight * value[d];
  }
  for (double& value : out) value /= sum;
  return out;
}

void expect_attention(const Attention& shape, bool tensor) {
  CapturedRun run("flash_cp", shape.ranks,
                  {{"seq", shape.ranks * shape.tokens},
                   {"heads", shape.heads},
                   {"head_dim", shape.dim},
                   {"causal", shape.causal},
                   {"tensor", tensor}});
  Heads heads;
  for (size_t rank = 0; rank < shape.ranks; rank++) {
    heads.q.push_back(run.read(rank, "q", element_of(tensor)));
    heads.kv.push_back(run.read(rank, "kv", element_of(tensor)));
  }
  for (size_t rank = 0; rank < shape.ranks; rank++) {
    Values wanted;
    for (size_t head = 0; head < shape.heads; head++)
      for (size_t token = 0; token < shape.tokens; token++) {
        Values row = attend(shape, heads, head, rank * shape.tokens + token);
        wanted.insert(wanted.end(), row.begin(), row.end());
      }
    expect_near(run.read(rank, "out", element_of(tensor)), wanted, tolerance_of(tensor), "out");
  }
}

TEST_P(Grade, AttentionSeesTheWholeSequence) { expect_attention({4, 64, 2, 32, false}, tensor()); }
TEST_P(Grade, CausalAttentionSeesWhatCameBefore) { expect_attention({3, 64, 2, 64, true}, tensor()); }
TEST_P(Grade, WidestHeadsAttend) { expect_attention({2, 32, 1, 128, false}, tensor()); }

struct Experts {
  size_t ranks, tokens, top, hidden, inner, scale_block;
  int skew;
};

Values expert(const Experts& shape, const double* token, const Values& gate_up, const Values& down) {
  Values both = product({token, 1, shape.hidden}, {gate_up.data(), shape.hidden, 2 * shape.inner});
  for (size_t i = 0; i < shape.inner; i++) both[i] = silu(both[i]) * both[shape.inner + i];
  return product({both.data(), 1, shape.inner}, {down.data(), shape.inner, shape.hidden});
}

Values dequantised(const Experts& shape, const CapturedRun& run, int rank) {
  Values tokens = run.read(rank, "tokens", Element::Float8E4M3), scales = run.read(rank, "scales", Element::Float32);
  for (size_t i = 0; i < tokens.size(); i++) tokens[i] *= scales[i / shape.scale_block];
  return tokens;
}

Values expected_tokens(const Experts& shape, const CapturedRun& run, int rank, bool tensor) {
  Values tokens = dequantised(shape, run, rank), draws = run.read(rank, "draws", Element::Int32);
  Values weights = run.read(rank, "weights", Element::Float32), wanted(tokens.size());
  std::vector<Values> gate_up, down;
  for (size_t peer = 0; peer < shape.ranks; peer++) {
    gate_up.push_back(run.read(peer, "gate_up", element_of(tensor)));
    down.push_back(run.read(peer, "down", element_of(tensor)));
  }
  for (size_t choice = 0; choice < draws.size(); choice++) {
    const size_t token = choice / shape.top * shape.hidden;
    const int draw = static_cast<int>(draws[choice]), peer = draw < shape.skew ? 0 : 1 + (draw - shape.skew) / 100;
    Values result = expert(shape, &tokens[token], gate_up[peer], down[peer]);
    for (size_t i = 0; i < shape.hidden; i++) wanted[token + i] += weights[choice] * result[i];
  }
  return wanted;
}

void expect_experts(const Experts& shape, bool tensor) {
  CapturedRun run("moe", shape.ranks,
                  {{"tokens", shape.tokens},
                   {"top", shape.top},
                   {"hidden", shape.hidden},
                   {"inner", shape.inner},
                   {"scale_block", shape.scale_block},
                   {"skew", shape.skew},
                   {"tensor", tensor},
                   {"tile", small_tile_of(tensor)}});
  for (size_t rank = 0; rank < shape.ranks; rank++)
    expect_near(run.read(rank, "out", element_of(tensor)), expected_tokens(shape, run, rank, tensor),
                tolerance_of(tensor), "out");
}

TEST_P(Grade, ExpertsOfTwoRanksSeeSkewedTokens) { expect_experts({2, 96, 1, 64, 32, 16, 300}, tensor()); }
TEST_P(Grade, TokensSumUpTheirChoices) { expect_experts({4, 64, 2, 32, 32, 32, 200}, tensor()); }

TEST_P(Grade, NothingIsFoundUnderWatch) {
  const std::vector<std::string> watch = {"--check", "--schedules", "2"};
  Parameters attention = {{"seq", 128}, {"heads", 1}, {"head_dim", 32}, {"causal", 1}, {"tensor", tensor()}};
  Parameters experts = {{"tokens", 64}, {"hidden", 32}, {"inner", 32}, {"scale_block", 16}};
  Parameters decoder = {{"batch", 32}, {"hidden", 32}, {"inner", 64}, {"layers", 2}};
  CapturedRun("flash_cp", 4, attention, watch);
  CapturedRun("moe", 2, with_tile(experts), watch);
  CapturedRun("kv_transfer", 2, with_tile({{"s", 64}, {"kv", 32}, {"hidden", 32}, {"layers", 2}}), watch);
  CapturedRun("gemm_allgather", 4, with_tile({{"m", 128}, {"n", 32}, {"k", 32}}), watch);
  CapturedRun("gemm_reduce_scatter", 4, with_tile({{"m", 64}, {"n", 32}, {"k", 128}}), watch);
  CapturedRun("allreduce_rmsnorm", 2, with_tile(decoder), watch);
}

TEST_P(Grade, SizesThatDoNotDivideAreRefused) {
  Parameters parameters = with_tile({{"m", 100}, {"n", 64}, {"k", 64}});
  std::vector<std::string> command = {CUCO_BINARY, "simulate",
                                      concat(CUCO_SOURCE_DIR, "/workloads/gemm_allgather/program.cu")};
  command.insert(command.end(), {"-I", concat(CUCO_SOURCE_DIR, "/device"), "-n", "2", "--"});
  for (const auto& [name, value] : parameters) command.push_back(concat(name, "=", value));
  Result<ProcessOutput> run = RealProcessRunner().run(command, kTimeoutMs);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_NE(run->text.find("cannot run: m must be a multiple of ranks x tile"), std::string::npos) << run->text;
}

INSTANTIATE_TEST_SUITE_P(Workloads, Grade, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? "Tensor" : "Fp32"; });

}  // namespace
}  // namespace cuco
