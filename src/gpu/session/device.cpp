#include "gpu/session/device.h"

#include <cstdlib>

#include "base/text.h"

namespace cuco::gpu {

namespace {

constexpr int kQueryMsMax = 20'000;  // Without a persistence daemon the driver is loaded first, which takes seconds.

// One thing to ask for, by the names that versions of nvidia-smi have for it.
using Names = std::vector<std::string>;

struct Table {
  std::vector<std::vector<std::string>> rows;  // A value per question; empty when there is none.
};

std::string first_line(const std::string& text) { return std::string(trim(split(trim(text), '\n')[0])); }

// "[N/A]", "[Not Supported]", "[Unknown Error]", "N/A".
std::string cleaned(std::string_view cell) {
  cell = trim(cell);
  return cell.starts_with("[") || cell == "N/A" ? std::string() : std::string(cell);
}

// The name in: Field "clocks_event_reasons.active" is not a valid field to query.
std::string unknown_field(const std::string& text) {
  size_t begin = text.find("Field \"");
  if (begin == std::string::npos || text.find("not a valid field") == std::string::npos) return {};
  begin += 7;
  return text.substr(begin, text.find('"', begin) - begin);
}

class Query {
 public:
  Query(std::vector<std::string> prefix, std::string kind, std::vector<Names> questions)
      : prefix_(std::move(prefix)), kind_(std::move(kind)), questions_(std::move(questions)) {
    prefix_.push_back("nvidia-smi");
  }

  void about(const Device& device) { selection_ = {"-i", device.uuid}; }

  Result<Table> ask(ProcessRunner& processes) {
    while (true) {
      Result<ProcessOutput> run = processes.run(command(), kQueryMsMax);
      if (!run) return Error{concat("there is no NVIDIA driver: ", run.error().message)};
      if (run->exit_code == 0) return table_of(run->text);
      if (!forget(unknown_field(run->text)))
        return Error{concat("nvidia-smi fails with exit code ", run->exit_code, ": ", first_line(run->text))};
    }
  }

 private:
  std::vector<std::string> command() const {
    std::vector<std::string> words = prefix_, names;
    for (const Names& question : questions_)
      if (!question.empty()) names.push_back(question[0]);
    words.push_back(concat("--query-", kind_, "=", join(names, ",")));
    words.push_back("--format=csv,noheader,nounits");
    words.insert(words.end(), selection_.begin(), selection_.end());
    return words;
  }

  // Asks by the next name, or not at all; false when that name was not asked for.
  bool forget(const std::string& name) {
    for (Names& question : questions_)
      if (!question.empty() && question[0] == name) {
        question.erase(question.begin());
        return true;
      }
    return false;
  }

  Table table_of(const std::string& text) const {
    Table table;
    for (const std::string& line : split(text, '\n')) {
      if (trim(line).empty()) continue;
      std::vector<std::string> cells = split(line, ','), row;
      size_t next = 0;
      for (const Names& question : questions_)
        row.push_back(question.empty() || next >= cells.size() ? "" : cleaned(cells[next++]));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  std::vector<std::string> prefix_;
  std::string kind_;
  std::vector<Names> questions_;
  std::vector<std::string> selection_;
};

uint32_t whole(const std::string& text) { return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10)); }

Device device_of(const std::vector<std::string>& row) {
  Device device;
  device.index = whole(row[0]);
  device.uuid = row[1];
  device.name = row[2];
  if (!row[3].empty()) device.architecture = concat("sm_", replace_all(row[3], ".", ""));
  device.memory_bytes = std::strtoull(row[4].c_str(), nullptr, 10) << 20;
  device.driver = row[5];
  device.compute_mode = row[6];
  return device;
}

// An idle GPU and clocks that somebody set are as they were asked for: no bits of theirs here.
std::string reasons_in(const std::string& mask) {
  static const std::vector<std::pair<uint64_t, const char*>> bits = {
      {0x004, "power cap"},         {0x008, "hardware slowdown"}, {0x010, "sync boost"},
      {0x020, "thermal, software"}, {0x040, "thermal, hardware"}, {0x080, "power brake"},
  };
  uint64_t active = std::strtoull(mask.c_str(), nullptr, 16);
  std::vector<std::string> reasons;
  for (const auto& [bit, name] : bits)
    if ((active & bit) != 0) reasons.emplace_back(name);
  return join(reasons, "; ");
}

}  // namespace

Result<std::vector<Device>> find_devices(ProcessRunner& processes, const std::vector<std::string>& prefix) {
  Query query(prefix, "gpu",
              {{"index"}, {"uuid"}, {"name"}, {"compute_cap"}, {"memory.total"}, {"driver_version"}, {"compute_mode"}});
  CUCO_TRY(Table table, query.ask(processes));
  std::vector<Device> devices;
  for (const std::vector<std::string>& row : table.rows)
    if (row[1].starts_with("GPU-")) devices.push_back(device_of(row));
  if (devices.empty()) return Error{"nvidia-smi lists no GPU"};
  return devices;
}

Result<DeviceState> state_of(const Device& device, ProcessRunner& processes) {
  Query query({}, "gpu",
              {{"clocks.sm"},
               {"clocks.mem"},
               {"temperature.gpu"},
               {"power.draw"},
               {"clocks_event_reasons.active", "clocks_throttle_reasons.active"}});
  query.about(device);
  Result<Table> table = query.ask(processes);
  if (!table) return table.error();
  if (table->rows.empty()) return Error{concat("nvidia-smi says nothing of ", device.uuid)};
  const std::vector<std::string>& row = table->rows[0];
  return DeviceState{whole(row[0]), whole(row[1]), whole(row[2]), std::strtod(row[3].c_str(), nullptr),
                     reasons_in(row[4])};
}

Result<std::vector<ComputeProcess>> compute_processes(const Device& device, ProcessRunner& processes) {
  Query query({}, "compute-apps", {{"pid"}, {"process_name", "name"}});
  query.about(device);
  CUCO_TRY(Table table, query.ask(processes));
  std::vector<ComputeProcess> found;
  for (const std::vector<std::string>& row : table.rows)
    if (whole(row[0]) != 0) found.push_back({whole(row[0]), row[1]});
  return found;
}

}  // namespace cuco::gpu
