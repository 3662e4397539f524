#include "nic/settings.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

extern char** environ;

namespace cuco::nic {
namespace {

constexpr std::string_view kPrefix = "CUCO_NIC_";

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr std::array<Unit, 4> kDurations = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr std::array<Unit, 4> kRates = {{{"GB/s", 1}, {"MB/s", 1e-3}, {"Gb/s", 0.125}, {"Mb/s", 0.125e-3}}};

// The number in front and the factor of the unit behind it; a negative value when the text has another form.
template <size_t N>
double parse_quantity(std::string_view text, const std::array<Unit, N>& units) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number)) return -1;
  const std::string_view suffix(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units)
    if (unit.suffix == suffix) return number * unit.factor;
  return -1;
}

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

// Launchers name their job in one of these; without any, all jobs of a user share a session, which is harmless
// because processes only talk to those whose handles they were given.
std::string job_name(const Variables& variables) {
  for (const char* name : {"CUCO_NIC_SESSION", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID",
                           "TORCHELASTIC_RUN_ID"})
    if (const std::string value = value_of(variables, name); !value.empty()) return value;
  return "default";
}

std::string node_name(const Variables& variables) {
  if (std::string id = value_of(variables, "NCCL_HOSTID"); !id.empty()) return id;
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

Result<bool> read_sharing(const std::string& value, Settings& settings) {
  if (value != "rank" && value != "node") return Error{concat("CUCO_NIC_SHARED='", value, "': write rank or node")};
  settings.sharing = value == "node" ? Sharing::Node : Sharing::Rank;
  return true;
}

Result<bool> read_engine(const std::string& value, Settings& settings) {
  constexpr std::array<std::string_view, 3> names = {"kernel", "apart", "copies"};
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != value) continue;
    settings.engine = static_cast<EngineKind>(i);
    return true;
  }
  return Error{concat("CUCO_NIC_ENGINE='", value, "': write kernel, apart or copies")};
}

Result<bool> read_bandwidth(const std::string& value, Settings& settings) {
  const Result<double> rate = parse_bytes_per_ns(value);
  if (!rate) return Error{concat("CUCO_NIC_BANDWIDTH=", rate.error().message)};
  settings.link.bytes_per_ns = *rate;
  return true;
}

Result<bool> read_duration(const std::string& name, const std::string& value, int64_t& into) {
  const Result<int64_t> duration = parse_duration_ns(value);
  if (!duration) return Error{name + "=" + duration.error().message};
  into = *duration;
  return true;
}

Result<bool> read_late_share(const std::string& value, Settings& settings) {
  constexpr std::array<Unit, 1> percent = {{{"%", 0.01}}};
  const double share = parse_quantity(value, percent);
  if (share < 0 || share > 1) return Error{concat("CUCO_NIC_LATE_SHARE='", value, "': write a share such as 5%")};
  settings.late_share_max = share;
  return true;
}

Result<bool> read_faults(const std::string& value, Settings& settings) {
  Result<FaultSettings> faults = parse_faults(value);
  if (!faults) return faults.error();
  settings.faults = *faults;
  return true;
}

Result<bool> read_variable(const std::string& name, const std::string& value, Settings& settings) {
  const std::string_view key = std::string_view(name).substr(kPrefix.size());
  if (key == "BANDWIDTH") return read_bandwidth(value, settings);
  if (key == "LATENCY") return read_duration(name, value, settings.link.latency_ns);
  if (key == "GAP") return read_duration(name, value, settings.link.gap_ns);
  if (key == "NOTICE") return read_duration(name, value, settings.notice_ns);
  if (key == "LINGER") return read_duration(name, value, settings.linger_ns);
  if (key == "LATE") return read_duration(name, value, settings.late_ns);
  if (key == "LATE_SHARE") return read_late_share(value, settings);
  if (key == "SHARED") return read_sharing(value, settings);
  if (key == "ENGINE") return read_engine(value, settings);
  if (key == "FAULTS") return read_faults(value, settings);
  if (key == "STATS") settings.stats_file = value;
  if (key == "STATS" || key == "SESSION") return true;
  return Error{concat(name,
                      ": there is no such setting; there are BANDWIDTH, LATENCY, GAP, SHARED, STATS, FAULTS, SESSION, "
                      "ENGINE, NOTICE, LINGER, LATE and LATE_SHARE, each after CUCO_NIC_")};
}

}  // namespace

Variables environment() {
  Variables variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Result<int64_t> parse_duration_ns(std::string_view text) {
  const double ns = parse_quantity(text, kDurations);
  if (ns < 0 || ns > 1e12) return Error{concat("'", text, "': write a duration such as 10us")};
  return std::llround(ns);
}

Result<double> parse_bytes_per_ns(std::string_view text) {
  const double rate = parse_quantity(text, kRates);
  if (rate <= 0) return Error{concat("'", text, "': write a bandwidth such as 12.5GB/s or 100Gb/s")};
  return rate;
}

Result<Settings> read_settings(const Variables& variables) {
  Settings settings;
  for (auto entry = variables.lower_bound(std::string(kPrefix)); entry != variables.end(); ++entry) {
    if (entry->first.compare(0, kPrefix.size(), kPrefix) != 0) break;
    const Result<bool> read = read_variable(entry->first, entry->second, settings);
    if (!read) return read.error();
  }
  settings.session = job_name(variables);
  settings.node = node_name(variables);
  settings.host_puts = value_of(variables, "NCCL_RMA_DISABLE") != "1";
  return settings;
}

}  // namespace cuco::nic
