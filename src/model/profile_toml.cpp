#include "model/profile_toml.h"

#include <limits>
#include <sstream>

#include "base/json.h"
#include "model/profile_fields.h"

namespace cuco::model {

namespace {

// Strings, numbers and booleans are written alike in JSON and TOML, except that TOML tells 1 from 1.0; readers of a
// profile accept both.
class TomlLines {
 public:
  TomlLines() { out_.precision(std::numeric_limits<double>::max_digits10); }

  void operator()(const char* key, const std::string& text) { out_ << key << " = " << json_quoted(text) << "\n"; }
  void operator()(const char* key, bool truth) { out_ << key << " = " << (truth ? "true" : "false") << "\n"; }
  void operator()(const char* key, uint32_t number) { out_ << key << " = " << number << "\n"; }
  void operator()(const char* key, double number) { out_ << key << " = " << number << "\n"; }

  void operator()(const char* key, const std::optional<double>& number) {
    if (number) (*this)(key, *number);
  }
  void operator()(const char* key, const std::vector<double>& numbers) {
    out_ << key << " = [";
    for (size_t i = 0; i < numbers.size(); i++) out_ << (i > 0 ? ", " : "") << numbers[i];
    out_ << "]\n";
  }

  void table(const char* title) { out_ << "\n[" << title << "]\n"; }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

void write_link(TomlLines& lines, const char* title, const std::optional<Link>& link) {
  if (!link) return;
  lines.table(title);
  visit_link(*link, lines);
  if (link->blocks.empty()) return;
  lines("blocks", link->blocks);
  lines("blocks_gb_per_s", link->blocks_gb_per_s);
}

void write_curve(TomlLines& lines, const CollectiveCurve& curve) {
  lines.table("[collectives]");
  lines("name", std::string(callee_of(curve.collective)));
  lines("windows", curve.windows);
  lines("bytes", curve.bytes);
  lines("us", curve.us);
}

}  // namespace

std::string to_toml(const HardwareProfile& profile) {
  TomlLines lines;
  lines("description", profile.description);
  lines.table("gpu");
  visit_gpu(profile.gpu, lines);
  lines.table("latencies");
  visit_latencies(profile.latencies, lines);
  lines.table("host");
  visit_host(profile.host, lines);
  lines.table("topology");
  visit_topology(profile.topology, lines);
  write_link(lines, "topology.inside", profile.topology.inside);
  write_link(lines, "topology.between", profile.topology.between);
  for (const CollectiveCurve& curve : profile.collectives) write_curve(lines, curve);
  return lines.text();
}

}  // namespace cuco::model
