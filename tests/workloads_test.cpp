// Runs the programs of workloads/ on the virtual cluster and compares what they compute with plain loops in double
// precision over the same inputs, in both grades.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "cuco/draw.h"
#include "lowering/lower.h"
#include "testing/scratch_folder.h"
#include "vcluster/input_keys.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

using Values = std::vector<double>;
using Parameters = std::map<std::string, int64_t>;

constexpr const char* kRunKey = "7";
constexpr uint32_t kLastIteration = 1;  // After one of warm-up.

// What two roundings of sums in the grade's precision may differ by.
double tolerance_of(bool tensor) { return tensor ? 3e-2 : 1e-4; }
Element element_of(bool tensor) { return tensor ? Element::BFloat16 : Element::Float32; }
int small_tile_of(bool tensor) { return tensor ? 32 : 16; }

// A workload's program, built with checks.
struct Built {
  testing::ScratchFolder scratch;
  vcluster::SimulationRequest request;
  vcluster::Image image;

  explicit Built(const std::string& workload) {
    const std::filesystem::path source = CUCO_SOURCE_DIR;
    request.build.files = {(source / "workloads" / workload / "program.cu").string()};
    request.build.share = source;
    request.build.folder = scratch.path();
    request.build.harness = true;
    request.build.cost_plugin = vcluster::default_cost_plugin().value();
    request.build.check_plugin = vcluster::default_check_plugin().value();
    request.profile = source / "profiles" / "a100x4-nvlink.toml";
    request.runner = vcluster::default_runner().value();
    request.harness.capture = scratch.path() / "capture";
    request.harness.run_key = kRunKey;
    request.harness.warmups = request.harness.iterations = 1;
    RealProcessRunner processes;
    Result<vcluster::Image> built = vcluster::build_image(request.build, lowering::lower_to_cpp, processes);
    EXPECT_TRUE(built.ok()) << built.error().message;
    if (built.ok()) image = *built;
  }
};

// Every program is built once for all tests.
Built& built(const std::string& workload) {
  static std::map<std::string, std::unique_ptr<Built>> programs;
  std::unique_ptr<Built>& program = programs[workload];
  if (!program) program = std::make_unique<Built>(workload);
  return *program;
}

vcluster::RunReport run_program(const std::string& workload, uint32_t ranks, const Parameters& parameters,
                                uint64_t schedule_seed) {
  Built& program = built(workload);
  program.request.rank_count = ranks;
  program.request.arguments.clear();
  for (const auto& [name, value] : parameters) program.request.arguments.push_back(concat(name, "=", value));
  std::filesystem::remove(program.request.harness.capture);
  RealProcessRunner processes;
  return vcluster::run_schedule(program.request, program.image, schedule_seed, processes).value().report;
}

// One of the buffers that a program names as its inputs, in their order.
struct Input {
  uint32_t index;
  Distribution distribution;
  Element element;
  size_t count;
};

// What the harness put into it before the last iteration.
Values drawn(uint32_t rank, const Input& input) {
  std::vector<char> bytes(input.count * bytes_of(input.element));
  DrawKey key = {vcluster::rank_key_of(kRunKey, rank), kLastIteration, input.index};
  draw_all(input.element, input.distribution, key, bytes.data(), input.count);
  Values values(input.count);
  for (size_t i = 0; i < values.size(); i++) values[i] = load_element(input.element, bytes.data(), i);
  return values;
}

Distribution unit_normal() { return normal(0, 1); }
Distribution weights_of(size_t depth) { return normal(0, 1 / std::sqrt(static_cast<double>(depth))); }

// A run under watch in which nothing may be found.
class CapturedRun {
 public:
  CapturedRun(const std::string& workload, uint32_t ranks, const Parameters& parameters, uint64_t schedule_seed = 1) {
    vcluster::RunReport report = run_program(workload, ranks, parameters, schedule_seed);
    EXPECT_EQ(report.verdict, "ok");
    EXPECT_EQ(report.exit_code, 0);
    for (const vcluster::RunFinding& finding : report.findings) ADD_FAILURE() << finding.kind << ": " << finding.text;
    Result<vcluster::Capture> capture = vcluster::read_capture(built(workload).request.harness.capture);
    EXPECT_TRUE(capture.ok()) << capture.error().message;
    if (capture.ok()) capture_ = std::move(*capture);
  }

  // What the last iteration put out.
  Values output(uint32_t rank, const std::string& name) const {
    Values values;
    for (const vcluster::CapturedOutput& output : capture_) {
      if (output.rank != rank || output.name != name || output.iteration != kLastIteration) continue;
      values.resize(output.count);
      for (size_t i = 0; i < values.size(); i++)
        values[i] = load_element(static_cast<Element>(output.element), output.bytes.data(), i);
    }
    return values;
  }

 private:
  vcluster::Capture capture_;
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
    Values a = drawn(rank, {0, unit_normal(), element(), kRows * kK});
    Values b = drawn(rank, {1, weights_of(kK), element(), kK * kN});
    Values rows = product({a.data(), kRows, kK}, {b.data(), kK, kN});
    wanted.insert(wanted.end(), rows.begin(), rows.end());
  }
  for (size_t rank = 0; rank < kRanks; rank++)
    expect_near(run.output(rank, "gathered"), wanted, tolerance(), "gathered");
}

TEST_P(Grade, LargeTilesGiveTheSameProduct) {
  const size_t tile = tensor() ? 128 : 64, k = 64;
  CapturedRun run("gemm_allgather", 1, {{"m", tile}, {"n", 2 * tile}, {"k", k}, {"tensor", tensor()}});
  Values a = drawn(0, {0, unit_normal(), element(), tile * k});
  Values b = drawn(0, {1, weights_of(k), element(), k * 2 * tile});
  Values wanted = product({a.data(), tile, k}, {b.data(), k, 2 * tile});
  expect_near(run.output(0, "gathered"), wanted, tolerance(), "gathered");
}

TEST_P(Grade, ReduceScatterAddsTheResidualToItsRowsOfTheSum) {
  constexpr size_t kRanks = 2, kM = 64, kN = 32, kK = 64, kShard = kM * kN / kRanks;
  CapturedRun run("gemm_reduce_scatter", kRanks, with_tile({{"m", kM}, {"n", kN}, {"k", kRanks * kK}}));
  Values sum(kM * kN);
  for (size_t rank = 0; rank < kRanks; rank++) {
    Values a = drawn(rank, {0, unit_normal(), element(), kM * kK});
    Values b = drawn(rank, {1, weights_of(kRanks * kK), element(), kK * kN});
    add_to(sum, product({a.data(), kM, kK}, {b.data(), kK, kN}));
  }
  for (size_t rank = 0; rank < kRanks; rank++) {
    Values wanted = drawn(rank, {2, unit_normal(), element(), kShard});
    add_to(wanted, {sum.begin() + rank * kShard, sum.begin() + (rank + 1) * kShard});
    expect_near(run.output(rank, "out"), wanted, tolerance(), "out");
  }
}

TEST_P(Grade, DecodeRankHasTheCacheOfItsPrefillRank) {
  constexpr size_t kTokens = 64, kKv = 32, kHidden = 64, kLayers = 3;
  CapturedRun run("kv_transfer", 4, with_tile({{"s", kTokens}, {"kv", kKv}, {"hidden", kHidden}, {"layers", kLayers}}));
  for (uint32_t prefill : {0u, 2u}) {
    Values hidden = drawn(prefill, {0, unit_normal(), element(), kLayers * kTokens * kHidden});
    Values weights = drawn(prefill, {1, weights_of(kHidden), element(), 2 * kLayers * kHidden * kKv});
    Values wanted;
    for (size_t part = 0; part < 2 * kLayers; part++) {
      Values cache = product({hidden.data() + part / 2 * kTokens * kHidden, kTokens, kHidden},
                             {weights.data() + part * kHidden * kKv, kHidden, kKv});
      wanted.insert(wanted.end(), cache.begin(), cache.end());
    }
    expect_near(run.output(prefill + 1, "cache"), wanted, tolerance(), "cache");
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
  for (size_t rank = 0; rank < kRanks; rank++)
    add_to(residual, drawn(rank, {0, unit_normal(), element(), residual.size()}));
  for (size_t layer = 0; layer < shape.layers; layer++) {
    Values normed = normalised(residual, shape.hidden);
    for (size_t rank = 0; rank < kRanks; rank++) {
      Values up = drawn(rank, {1, weights_of(shape.hidden), element(), shape.layers * weight_count});
      Values down = drawn(rank, {2, weights_of(kRanks * shape.inner), element(), shape.layers * weight_count});
      add_to(residual, mlp_part(shape, normed, &up[layer * weight_count], &down[layer * weight_count]));
    }
  }
  for (size_t rank = 0; rank < kRanks; rank++) {
    expect_near(run.output(rank, "residual"), residual, tolerance(), "residual");
    expect_near(run.output(rank, "normed"), normalised(residual, shape.hidden), tolerance(), "normed");
  }
}

struct Attention {
  size_t ranks, tokens, heads, dim;  // tokens: of one rank.
  bool causal;

  size_t size() const { return heads * tokens * dim; }  // Of one rank's queries.
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
    heads.q.push_back(drawn(rank, {0, unit_normal(), element_of(tensor), shape.size()}));
    heads.kv.push_back(drawn(rank, {1, unit_normal(), element_of(tensor), 2 * shape.size()}));
  }
  for (size_t rank = 0; rank < shape.ranks; rank++) {
    Values wanted;
    for (size_t head = 0; head < shape.heads; head++)
      for (size_t token = 0; token < shape.tokens; token++) {
        Values row = attend(shape, heads, head, rank * shape.tokens + token);
        wanted.insert(wanted.end(), row.begin(), row.end());
      }
    expect_near(run.output(rank, "out"), wanted, tolerance_of(tensor), "out");
  }
}

TEST_P(Grade, AttentionSeesTheWholeSequence) { expect_attention({4, 64, 2, 32, false}, tensor()); }
TEST_P(Grade, CausalAttentionSeesWhatCameBefore) { expect_attention({3, 64, 2, 64, true}, tensor()); }
TEST_P(Grade, WidestHeadsAttend) { expect_attention({2, 32, 1, 128, false}, tensor()); }

struct Experts {
  size_t ranks, tokens, top, hidden, inner, scale_block;
  int skew;

  int last_draw() const { return skew + 100 * (static_cast<int>(ranks) - 1) - 1; }
};

Values expert(const Experts& shape, const double* token, const Values& gate_up, const Values& down) {
  Values both = product({token, 1, shape.hidden}, {gate_up.data(), shape.hidden, 2 * shape.inner});
  for (size_t i = 0; i < shape.inner; i++) both[i] = silu(both[i]) * both[shape.inner + i];
  return product({both.data(), 1, shape.inner}, {down.data(), shape.inner, shape.hidden});
}

Values dequantised(const Experts& shape, uint32_t rank) {
  Values tokens = drawn(rank, {1, unit_normal(), Element::Float8E4M3, shape.tokens * shape.hidden});
  Values scales = drawn(rank, {2, uniform(0.5, 1.5), Element::Float32, tokens.size() / shape.scale_block});
  for (size_t i = 0; i < tokens.size(); i++) tokens[i] *= scales[i / shape.scale_block];
  return tokens;
}

Values expected_tokens(const Experts& shape, uint32_t rank, bool tensor) {
  const size_t choices = shape.tokens * shape.top, weight_count = shape.hidden * shape.inner;
  Values tokens = dequantised(shape, rank), wanted(tokens.size());
  Values draws = drawn(rank, {0, integers(0, shape.last_draw()), Element::Int32, choices});
  Values weights = drawn(rank, {3, uniform(0, 1), Element::Float32, choices});
  std::vector<Values> gate_up, down;
  for (uint32_t peer = 0; peer < shape.ranks; peer++) {
    gate_up.push_back(drawn(peer, {4, weights_of(shape.hidden), element_of(tensor), 2 * weight_count}));
    down.push_back(drawn(peer, {5, weights_of(shape.inner), element_of(tensor), weight_count}));
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
    expect_near(run.output(rank, "out"), expected_tokens(shape, rank, tensor), tolerance_of(tensor), "out");
}

TEST_P(Grade, ExpertsOfTwoRanksSeeSkewedTokens) { expect_experts({2, 96, 1, 64, 32, 16, 300}, tensor()); }
TEST_P(Grade, TokensSumUpTheirChoices) { expect_experts({4, 64, 2, 32, 32, 32, 200}, tensor()); }

TEST_P(Grade, SizesThatDoNotDivideAreRefused) {
  vcluster::RunReport report = run_program("gemm_allgather", 2, with_tile({{"m", 100}, {"n", 64}, {"k", 64}}), 0);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "cannot_run");
  EXPECT_EQ(report.findings[0].text, "m must be a multiple of ranks x tile");
}

INSTANTIATE_TEST_SUITE_P(Workloads, Grade, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? "Tensor" : "Fp32"; });

}  // namespace
}  // namespace cuco
