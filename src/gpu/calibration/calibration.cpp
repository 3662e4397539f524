#include "gpu/calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/median.h"
#include "base/text.h"
#include "gpu/calibration/datasheet.h"

namespace cuco::gpu {

namespace {

constexpr double kShortSpin = 20'000, kLongSpin = 40'000;  // As in device/calibrate/measure.h.
constexpr double kSpreadMax = 0.15;                        // Of a median; a wider one is a doubt.

// Four digits are more than a measurement is worth, and keep the file readable.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  double scale = std::pow(10, 3 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

std::string samples_text(const Measurement& measured) {
  return concat(rounded(measured.least_us), " to ", rounded(measured.most_us), " us in ", measured.sample_count,
                " samples");
}

// Turns measurements into fields one after the other. The first that is missing or makes no sense ends it.
class Fitting {
 public:
  Fitting(const Measurements& measurements, const std::optional<model::HardwareProfile>& base)
      : from_(measurements), base_(base) {}

  Result<Calibration> run(const std::string& name) {
    result_.profile.name = name;
    fit_machine();
    fit_latencies();
    fit_rates();
    fit_topology();
    fit_collectives();
    describe();
    if (failure_) return *failure_;
    return std::move(result_);
  }

 private:
  void fail(const Error& error) {
    if (!failure_) failure_ = error;
  }

  double fact(const std::string& key) {
    Result<double> number = from_.number(key);
    if (!number) fail(number.error());
    return number ? *number : 1;
  }
  std::string fact_text(const std::string& key) {
    Result<std::string> text = from_.text(key);
    if (!text) fail(text.error());
    return text ? *text : "";
  }
  Measurement get(std::string_view name, double size = 0) {
    Result<Measurement> measured = from_.get(name, size);
    if (!measured) fail(measured.error());
    return measured ? *measured : Measurement{std::string(name), false, size, 1, 1, 1, 1, 1};
  }

  void set(double& field, const std::string& key, double value, const std::string& source) {
    if (!std::isfinite(value) || value <= 0)
      fail(Error{concat(key, " comes out as ", value, " (", source, "); it must be above 0: measure again on an idle ",
                        "machine")});
    field = rounded(value);
    result_.sources[key] = source;
  }
  void set(uint32_t& field, const std::string& key, double value, const std::string& source) {
    field = static_cast<uint32_t>(std::lround(value));
    result_.sources[key] = source;
  }

  void note_spread(const std::string& key, const Measurement& measured) {
    double spread = (measured.most_us - measured.least_us) / measured.median_us;
    if (spread > kSpreadMax)
      result_.doubts.push_back(concat(key, ": samples spread over ", std::lround(100 * spread), " % of their median, ",
                                      samples_text(measured)));
  }

  void fit_machine();
  void fit_rate(double& field, const std::string& key, const char* name, double unit, const std::string& what,
                double whole_gpu);
  void fit_rates();
  double rate_of(const Measurement& measured, double us) const;
  double rate_of(const Measurement& measured) const { return rate_of(measured, measured.median_us); }
  double without_kernel(const char* name);
  void fit_difference(double& field, const std::string& key, const char* name, double less, const std::string& what);
  void fit_latencies();
  void fit_call(std::optional<double>& field, const std::string& key, const char* name);
  void fit_flag_hop();
  double collective_us(const Measurement& measured);
  void fit_collective_latency();
  void fit_topology();
  void fit_inside();
  void fit_block_rate(model::Link& link, const std::vector<Measurement>& stores);
  void fit_between();
  void fit_between_by_puts(model::Link& link);
  void fit_messages(model::Link& link, const std::string& key, const std::optional<model::Link>& base);
  void fit_collectives();
  void fit_curve(model::Collective collective, bool windows);
  void describe();

  const Measurements& from_;
  const std::optional<model::HardwareProfile>& base_;
  Calibration result_;
  std::optional<Error> failure_;
};

void Fitting::fit_machine() {
  model::GpuProfile& gpu = result_.profile.gpu;
  double sharing = fact("ranks_per_gpu");
  std::string share = sharing > 1 ? concat(", divided by ", sharing, " ranks") : "";
  gpu.name = fact_text("gpu") + (sharing > 1 ? concat(" (1/", sharing, ")") : "");
  gpu.architecture = fact_text("architecture");
  result_.sources["gpu.architecture"] = "cudaDeviceProp";
  set(gpu.sm_count, "gpu.sm_count", fact("sm_count"), "cudaDevAttrMultiProcessorCount of a rank");
  set(gpu.hbm_gib, "gpu.hbm_gib", fact("memory_bytes") / sharing / (1u << 30), "cudaDeviceProp" + share);
  set(gpu.l2_mib, "gpu.l2_mib", fact("l2_bytes") / sharing / (1u << 20), "cudaDeviceProp" + share);
  set(gpu.shared_kib_per_sm, "gpu.shared_kib_per_sm", fact("shared_bytes_per_sm") / 1024, "cudaDeviceProp");
  set(gpu.registers_per_sm, "gpu.registers_per_sm", fact("registers_per_sm"), "cudaDeviceProp");
  set(gpu.threads_per_sm_max, "gpu.threads_per_sm_max", fact("threads_per_sm"), "cudaDeviceProp");
  set(gpu.blocks_per_sm_max, "gpu.blocks_per_sm_max", fact("blocks_per_sm"), "cudaDeviceProp");
  double clocks_us = get("queued_kernel", kLongSpin).median_us - get("queued_kernel", kShortSpin).median_us;
  set(gpu.clock_ghz, "gpu.clock_ghz", (kLongSpin - kShortSpin) / clocks_us / 1e3,
      "measured: clocks that kernels count, by how much longer they take for more of them");
}

// `unit` is what one of the field's unit is in work per microsecond; `whole_gpu` is the datasheet's, 0 where it is
// unknown.
void Fitting::fit_rate(double& field, const std::string& key, const char* name, double unit, const std::string& what,
                       double whole_gpu) {
  Measurement all = get(name);
  const Measurement* alone = from_.find(name, 0, true);
  double rate = rate_of(all) / unit, together = rate * fact("ranks_per_gpu");
  std::string source = concat("measured: ", what, ", all ranks at once; ", rounded(rate_of(all, all.most_us) / unit),
                              " to ", rounded(rate_of(all, all.least_us) / unit), " in ", all.sample_count, " samples",
                              alone ? concat("; a rank alone ", rounded(rate_of(*alone) / unit)) : "");
  if (whole_gpu > 0 && together > 2 * whole_gpu)
    fail(Error{concat(key, " comes out as ", rounded(rate), " a rank, ", rounded(together),
                      " for the GPU, more than twice the ", whole_gpu, " of its datasheet; the measurement is wrong")});
  note_spread(key, all);
  set(field, key, rate, source);
}

void Fitting::fit_rates() {
  model::GpuProfile& gpu = result_.profile.gpu;
  constexpr double kTera = 1e6, kGigabytes = 1e3;
  const Datasheet* sheet = find_datasheet(gpu.name);
  fit_rate(gpu.fp32_tflops, "gpu.fp32_tflops", "fp32", kTera, "chains of fused multiply-adds",
           sheet ? sheet->fp32_tflops : 0);
  fit_rate(gpu.tensor_bf16_tflops, "gpu.tensor_bf16_tflops", "tensor_bf16", kTera, "wmma on registers",
           sheet ? sheet->tensor_bf16_tflops : 0);
  fit_rate(gpu.hbm_gb_per_s, "gpu.hbm_gb_per_s", "hbm_copy", kGigabytes, "a kernel that copies, bytes read and written",
           sheet ? sheet->hbm_gb_per_s : 0);
  fit_rate(gpu.l2_gb_per_s, "gpu.l2_gb_per_s", "l2_read", kGigabytes, "reading what fits the L2 again and again", 0);
  if (!sheet) result_.doubts.push_back(concat(gpu.name, ": no datasheet is known to hold its rates against"));
  gpu.efficiency = gpu.tensor_efficiency = gpu.memory_efficiency = 1;
  result_.sources["gpu.efficiency"] = result_.sources["gpu.tensor_efficiency"] = "not held against the virtual clock";
  result_.sources["gpu.memory_efficiency"] = "the bandwidths above are what kernels reach";
}

// Work per microsecond of a kernel that was queued behind its like, without the gap between them.
double Fitting::rate_of(const Measurement& measured, double us) const {
  return measured.work / (us - result_.profile.latencies.kernel_gap_us);
}

// With a kernel of S and of 2 S clocks: twice the first less the second has no kernel in it.
double Fitting::without_kernel(const char* name) {
  return 2 * get(name, kShortSpin).median_us - get(name, kLongSpin).median_us;
}

void Fitting::fit_difference(double& field, const std::string& key, const char* name, double less,
                             const std::string& what) {
  Measurement measured = get(name, kShortSpin);
  const Measurement* alone_short = from_.find(name, kShortSpin, true);
  const Measurement* alone_long = from_.find(name, kLongSpin, true);
  std::string source =
      concat("measured: ", what, "; with a kernel of ", kShortSpin, " clocks ", samples_text(measured));
  if (alone_short && alone_long)
    source += concat("; a rank alone ", rounded(2 * alone_short->median_us - alone_long->median_us - less));
  set(field, key, without_kernel(name) - less, source);
}

void Fitting::fit_latencies() {
  model::Latencies& latencies = result_.profile.latencies;
  Measurement launch = get("launch_to_flag"), round_trip = get("host_round_trip");
  set(latencies.launch_us, "latencies.launch_us", launch.median_us - round_trip.median_us / 2,
      concat("measured: launch until the host sees the kernel's flag ", rounded(launch.median_us), " (",
             samples_text(launch), "), less half a round trip of ", rounded(round_trip.median_us)));
  fit_difference(latencies.kernel_gap_us, "latencies.kernel_gap_us", "queued_kernel", 0, "between queued kernels");
  fit_difference(latencies.stream_sync_us, "latencies.stream_sync_us", "launch_and_sync", latencies.launch_us,
                 "launch and cudaStreamSynchronize, less launch_us");
  fit_difference(latencies.event_us, "latencies.event_us", "event_hop", 0, "from a stream to another and back");
  fit_flag_hop();
  set(latencies.poll_us.emplace(), "latencies.poll_us", latencies.flag_hop_us, "measured: as flag_hop_us");
  fit_collective_latency();
  fit_call(latencies.launch_call_us, "latencies.launch_call_us", "host_launch_call");
  fit_call(latencies.collective_call_us, "latencies.collective_call_us", "host_collective_call");
}

// Recordings may lack it.
void Fitting::fit_call(std::optional<double>& field, const std::string& key, const char* name) {
  const Measurement* measured = from_.find(name);
  if (!measured) return;
  set(field.emplace(), key, measured->median_us,
      concat("measured: the host's time in a call that enqueues; ", samples_text(*measured)));
}

void Fitting::fit_flag_hop() {
  double& field = result_.profile.latencies.flag_hop_us;
  const Measurement* hop = from_.find("flag_hop");
  if (hop) {
    set(field, "latencies.flag_hop_us", hop->median_us,
        concat("measured: a flag back and forth between two ranks' windows, all pairs at once; ", samples_text(*hop)));
  } else if (base_) {
    set(field, "latencies.flag_hop_us", base_->latencies.flag_hop_us, concat("not measured; from ", base_->name));
  } else if (Result<std::string> reached = from_.text("lsa_ranks"); !reached) {
    fail(reached.error());
  } else {
    fail(Error{"no rank reaches another's memory, so flag_hop_us cannot be measured; give a profile with --base"});
  }
}

// A queued pair is a kernel and the collective, with the gap before each.
double Fitting::collective_us(const Measurement& measured) {
  return measured.median_us - get("spin", kShortSpin).median_us - result_.profile.latencies.kernel_gap_us;
}

// The clock adds a hop for every rank beyond two.
void Fitting::fit_collective_latency() {
  Measurement least = get("all_gather");
  double hops = fact("ranks") - 2, hop_us = result_.profile.latencies.flag_hop_us;
  set(result_.profile.latencies.collective_us, "latencies.collective_us", collective_us(least) - hops * hop_us,
      concat("measured: all-gather of ", least.size, " bytes takes ", rounded(collective_us(least)), " between ",
             fact("ranks"), " ranks, less ", hops, " hops"));
}

void Fitting::fit_topology() {
  model::Topology& topology = result_.profile.topology;
  set(topology.ranks_per_node, "topology.ranks_per_node", fact("ranks_per_node"), "");
  set(topology.nodes, "topology.nodes", fact("ranks") / fact("ranks_per_node"), "");
  set(topology.ranks_per_gpu, "topology.ranks_per_gpu", fact("ranks_per_gpu"), "");
  if (topology.ranks_per_gpu > 1)
    result_.sources["topology.multimem"] = "NCCL excludes NVLS for ranks that share a GPU";
  else if (base_)
    topology.multimem = base_->topology.multimem, result_.sources["topology.multimem"] = "from " + base_->name;
  else
    result_.sources["topology.multimem"] = "not measured; true where NCCL reports NVLS";
  if (topology.ranks_per_node > 1) fit_inside();
  if (topology.nodes > 1) fit_between();
}

void Fitting::fit_inside() {
  model::Link& link = result_.profile.topology.inside.emplace();
  std::vector<Measurement> stores = from_.curve("lsa_store");
  if (stores.empty()) stores = {get("lsa_store")};
  auto slower = [this](const Measurement& a, const Measurement& b) { return rate_of(a) < rate_of(b); };
  Measurement best = *std::max_element(stores.begin(), stores.end(), slower);
  bool shares = result_.profile.topology.ranks_per_gpu > 1;
  constexpr double kPcieMax = 64;  // GB/s: version 5, 16 lanes.
  link.kind = shares ? "hbm" : rate_of(best) / 1e3 > kPcieMax ? "nvlink" : "pcie";
  set(link.latency_us, "topology.inside.latency_us", result_.profile.latencies.flag_hop_us, "measured: as flag_hop_us");
  set(link.gb_per_s, "topology.inside.gb_per_s", rate_of(best) / 1e3,
      concat("measured: stores to the next rank's window, all ranks at once, best with ", best.size, " blocks; ",
             samples_text(best)));
  fit_block_rate(link, stores);
  fit_messages(link, "topology.inside.messages_m_per_s", base_ ? base_->topology.inside : std::nullopt);
}

// What a block reaches falls with their number; the one rate for all is the middle one of the counts up to one block a
// multiprocessor.
void Fitting::fit_block_rate(model::Link& link, const std::vector<Measurement>& stores) {
  std::vector<double> rates;
  for (const Measurement& each : stores)
    if (each.size <= result_.profile.gpu.sm_count) rates.push_back(rate_of(each) / 1e3 / each.size);
  if (rates.empty()) return;
  for (const Measurement& each : stores) {
    double rate = rounded(rate_of(each) / 1e3);
    if (!link.blocks.empty() && (each.size <= link.blocks.back() || rate <= link.blocks_gb_per_s.back())) continue;
    link.blocks.push_back(each.size);
    link.blocks_gb_per_s.push_back(rate);
  }
  std::sort(rates.begin(), rates.end());
  set(link.block_gb_per_s.emplace(), "topology.inside.block_gb_per_s", rates[rates.size() / 2],
      concat("measured: the same by blocks of ", model::kBlockThreads, " threads, the middle one of the counts below"));
}

// Puts of kernels are what a program sees of a network; without GIN, host sends stand in.
void Fitting::fit_between() {
  model::Link& link = result_.profile.topology.between.emplace();
  if (from_.curve("gin_stream").size() >= 3) return fit_between_by_puts(link);
  std::vector<Measurement> sends = from_.curve("send_between");
  if (sends.empty()) sends = {get("send_between")};
  const Measurement &least = sends.front(), &most = sends.back();
  bool has_base = base_ && base_->topology.between;
  link.kind = has_base ? base_->topology.between->kind : "roce";
  set(link.latency_us, "topology.between.latency_us", collective_us(least) / 2,
      concat("derived: half of a host send of ", least.size, " bytes to the next node"));
  set(link.gb_per_s, "topology.between.gb_per_s", (most.size - least.size) / (most.median_us - least.median_us) / 1e3,
      concat("measured: host sends of ", most.size, " bytes to the next node, all ranks at once; ",
             samples_text(most)));
  fit_messages(link, "topology.between.messages_m_per_s", has_base ? base_->topology.between : std::nullopt);
}

void Fitting::fit_between_by_puts(model::Link& link) {
  std::vector<Measurement> streams = from_.curve("gin_stream");
  const Measurement &small = streams.front(), &less = streams[streams.size() - 2], &more = streams.back();
  std::vector<Measurement> hops = from_.curve("gin_latency", true);
  Measurement hop = hops.empty() ? get("gin_latency") : hops.front();
  bool is_emulated = result_.profile.topology.ranks_per_gpu > 1;
  link.kind = is_emulated                        ? model::kEmulatedLink
              : base_ && base_->topology.between ? base_->topology.between->kind
                                                 : "roce";
  set(link.latency_us, "topology.between.latency_us", hop.median_us,
      concat("measured: puts of ", hop.size, " bytes with a signal back and forth, one way; ", samples_text(hop)));
  set(link.gb_per_s, "topology.between.gb_per_s", (more.work - less.work) / (more.median_us - less.median_us) / 1e3,
      concat("measured: puts of ", more.size, " bytes to the next node, all ranks at once; ", samples_text(more)));
  set(link.messages_m_per_s, "topology.between.messages_m_per_s", small.work / small.size / small.median_us,
      concat("measured: puts of ", small.size, " bytes, one after the other; ", samples_text(small)));
}

void Fitting::fit_messages(model::Link& link, const std::string& key, const std::optional<model::Link>& base) {
  if (base)
    set(link.messages_m_per_s, key, base->messages_m_per_s, "not measured; from " + base_->name);
  else
    set(link.messages_m_per_s, key, result_.profile.gpu.sm_count / link.latency_us,
        "estimate: one message an SM in flight");
}

void Fitting::fit_curve(model::Collective collective, bool windows) {
  model::CollectiveCurve curve{collective, windows, {}, {}};
  // All ranks send and receive at once.
  std::string name = collective == model::Collective::Send ? "send_receive" : std::string(model::name_of(collective));
  std::string spreads;
  for (const Measurement& point : from_.curve(concat(name, windows ? "_window" : ""))) {
    double us = rounded(collective_us(point));
    // A curve must rise; among small sizes noise may say otherwise.
    if (us <= (curve.us.empty() ? 0 : curve.us.back())) continue;
    curve.bytes.push_back(point.size);
    curve.us.push_back(us);
    double spread = (point.most_us - point.least_us) / point.median_us;
    spreads += concat(spreads.empty() ? "" : ", ", std::lround(100 * spread));
  }
  if (curve.bytes.empty()) return;
  result_.sources[concat("collectives.", model::callee_of(collective), windows ? ".windows" : "")] =
      concat("measured: queued after a kernel, all ranks; spreads in % of the medians: ", spreads);
  result_.profile.collectives.push_back(std::move(curve));
}

void Fitting::fit_collectives() {
  using enum model::Collective;
  for (model::Collective collective : {AllGather, AllReduce, ReduceScatter, Broadcast, Send})
    for (bool windows : {false, true}) fit_curve(collective, windows);
}

void Fitting::describe() {
  const model::Topology& topology = result_.profile.topology;
  std::string gpus =
      topology.ranks_per_gpu > 1
          ? concat(topology.rank_count(), " ranks sharing one ", fact_text("gpu"), " under MPS")
          : concat(topology.rank_count(), " x ", fact_text("gpu"), " on ", counted(topology.nodes, "node"));
  result_.profile.description = concat(gpus, ", ", result_.profile.gpu.sm_count, " SMs each, measured");
}

struct Reached {
  double share = 1;  // The middle one: a shape that the clock misjudges should not decide.
  std::string text;
};

// Over the products that both have.
Result<Reached> reached_by(const char* name, const Measurements& measurements, const Measurements& simulated) {
  Reached reached;
  std::vector<double> shares;
  for (const Measurement& virtual_time : simulated.curve(name)) {
    const Measurement* real = measurements.find(name, virtual_time.size);
    if (!real) continue;
    shares.push_back(virtual_time.median_us / real->median_us);
    reached.text +=
        concat(reached.text.empty() ? "" : ", ", rounded(shares.back()), " with tiles of ", virtual_time.size);
  }
  if (shares.empty()) return Error{concat("there is no ", name, " that was measured and simulated alike")};
  reached.share = rounded(median(std::move(shares)));
  return reached;
}

}  // namespace

Status fit_efficiency(Calibration& calibration, const Measurements& measurements, const Measurements& simulated) {
  model::GpuProfile& gpu = calibration.profile.gpu;
  for (auto [key, name, field] : {std::tuple("gpu.efficiency", "product_fp32", &gpu.efficiency),
                                  std::tuple("gpu.tensor_efficiency", "product_bf16", &gpu.tensor_efficiency)}) {
    CUCO_TRY(Reached reached, reached_by(name, measurements, simulated));
    *field = reached.share;
    calibration.sources[key] = concat(
        "measured: the virtual clock's time of a matrix product at efficiency 1, by the real one: ", reached.text);
  }
  return Done{};
}

Result<Calibration> fit(const std::string& name, const Measurements& measurements,
                        const std::optional<model::HardwareProfile>& base) {
  return Fitting(measurements, base).run(name);
}

}  // namespace cuco::gpu
