// The profile file that a calibration writes.
#include "base/text.h"

#include <iomanip>
#include <sstream>

#include "base/json.h"
#include "gpu/calibration/calibration.h"
#include "model/profile_fields.h"

namespace cuco::gpu {

namespace {

constexpr int kValueWidth = 30;  // Of "key = value", so that sources stand in a column.

class SourcedLines {
 public:
  explicit SourcedLines(const std::map<std::string, std::string>& sources) : sources_(sources) { out_.precision(10); }

  void comment(const std::string& text) { out_ << "# " << text << "\n"; }
  void section(const std::string& title) {
    title_ = title;
    out_ << "\n[" << title << "]\n";
  }

  void operator()(const char* key, const std::string& text) { line(key, json_quoted(text)); }
  void operator()(const char* key, bool truth) { line(key, truth ? "true" : "false"); }
  void operator()(const char* key, uint32_t number) { line(key, concat(number)); }
  void operator()(const char* key, double number) { line(key, number_text(number)); }
  void operator()(const char* key, const std::optional<double>& number) {
    if (number) (*this)(key, *number);
  }

  void curve(const model::CollectiveCurve& curve) {
    auto source =
        sources_.find(concat("collectives.", model::callee_of(curve.collective), curve.windows ? ".windows" : ""));
    out_ << "\n[[collectives]]";
    if (source != sources_.end()) out_ << "  # " << source->second;
    out_ << "\nname = " << json_quoted(model::callee_of(curve.collective))
         << "\nwindows = " << (curve.windows ? "true" : "false") << "\nbytes = " << list(curve.bytes)
         << "\nus = " << list(curve.us) << "\n";
  }

  void rates(const std::vector<double>& blocks, const std::vector<double>& gb_per_s) {
    if (!blocks.empty()) out_ << "blocks = " << list(blocks) << "\nblocks_gb_per_s = " << list(gb_per_s) << "\n";
  }

  std::string text() const { return out_.str(); }

 private:
  static std::string number_text(double number) {
    std::ostringstream out;
    out.precision(10);
    out << number;
    return out.str();
  }
  static std::string list(const std::vector<double>& numbers) {
    std::vector<std::string> texts;
    for (double number : numbers) texts.push_back(number_text(number));
    return concat("[", join(texts, ", "), "]");
  }

  void line(const char* key, const std::string& value) {
    auto source = sources_.find(title_.empty() ? key : concat(title_, ".", key));
    std::string assignment = concat(key, " = ", value);
    if (source == sources_.end() || source->second.empty())
      out_ << assignment << "\n";
    else
      out_ << std::left << std::setw(kValueWidth) << assignment << "# " << source->second << "\n";
  }

  const std::map<std::string, std::string>& sources_;
  std::string title_;
  std::ostringstream out_;
};

// "2.30.7" of 23007.
std::string nccl_text(const std::string& code) {
  int number = std::atoi(code.c_str());
  return concat(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

// "13.0" of 13000.
std::string cuda_text(const std::string& code) {
  int number = std::atoi(code.c_str());
  return concat(number / 1000, ".", number % 1000 / 10);
}

void write_head(SourcedLines& lines, const Calibration& calibration, const Measurements& measurements) {
  auto fact = [&](const char* key) {
    return measurements.text(key) ? *measurements.text(key) : std::string("unknown");
  };
  lines.comment(concat("Written by cuco calibrate, measured ", fact("date"), " on ", fact("gpu"), ", driver ",
                       fact("driver"), ", CUDA ", cuda_text(fact("cuda_runtime")), ", NCCL ", nccl_text(fact("nccl")),
                       "."));
  lines.comment(concat("Ranks: ", fact("ranks"), " by ", fact("executor"), "; set for them: ", fact("variables"), "."));
  lines.comment(concat("Before: ", fact("state_before"), ". After: ", fact("state_after"), "."));
  for (const std::string& doubt : calibration.doubts) lines.comment("Doubt: " + doubt);
}

}  // namespace

std::string profile_text(const Calibration& calibration, const Measurements& measurements) {
  const model::HardwareProfile& profile = calibration.profile;
  SourcedLines lines(calibration.sources);
  write_head(lines, calibration, measurements);
  lines("description", profile.description);
  lines.section("gpu");
  model::visit_gpu(profile.gpu, lines);
  lines.section("latencies");
  model::visit_latencies(profile.latencies, lines);
  lines.section("topology");
  model::visit_topology(profile.topology, lines);
  for (const auto& [title, link] : {std::pair("topology.inside", &profile.topology.inside),
                                    std::pair("topology.between", &profile.topology.between)}) {
    if (!*link) continue;
    lines.section(title);
    model::visit_link(**link, lines);
    lines.rates((*link)->blocks, (*link)->blocks_gb_per_s);
  }
  for (const model::CollectiveCurve& curve : profile.collectives) lines.curve(curve);
  return lines.text();
}

}  // namespace cuco::gpu
