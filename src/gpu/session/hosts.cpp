#include "gpu/session/hosts.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

#include "base/text.h"

namespace cuco::gpu {

namespace {

constexpr uint32_t kSlotsMax = 1024;

Result<uint32_t> parse_slots(const std::string& word) {
  size_t equals = word.find('=');
  std::string key = word.substr(0, equals);
  if (equals == std::string::npos || key != "slots") return Error{concat("'", word, "' is not slots=N")};
  const char* end = word.data() + word.size();
  uint32_t slots = 0;
  auto [stop, failure] = std::from_chars(word.data() + equals + 1, end, slots);
  if (failure != std::errc() || stop != end || slots == 0 || slots > kSlotsMax)
    return Error{concat("'", word, "': slots is a number from 1 to ", kSlotsMax)};
  return slots;
}

Result<Host> parse_host(const std::string& line) {
  std::istringstream words(line);
  Host host;
  words >> host.name;
  if (host.name.find('=') != std::string::npos)
    return Error{concat("'", host.name, "' stands where the name of a host should")};
  if (size_t colon = host.name.find(':'); colon != std::string::npos)
    return Error{concat("'", host.name, "': the form is ", host.name.substr(0, colon), " slots=N")};
  for (std::string word; words >> word;) {
    Result<uint32_t> slots = parse_slots(word);
    if (!slots) return slots.error();
    host.slots = *slots;
  }
  return host;
}

bool has(const std::vector<Host>& hosts, const std::string& name) {
  return std::any_of(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
}

}  // namespace

Result<std::vector<Host>> parse_hosts(std::string_view text, const std::string& file) {
  std::vector<Host> hosts;
  size_t line_number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++line_number;
    std::string content(trim(split(line, '#')[0]));
    if (content.empty()) continue;
    Result<Host> host = parse_host(content);
    if (!host) return Error{concat(file, ":", line_number, ": ", host.error().message)};
    if (has(hosts, host->name)) return Error{concat(file, ":", line_number, ": host ", host->name, " is there twice")};
    hosts.push_back(*host);
  }
  if (hosts.empty()) return Error{concat(file, ": names no host; a line is NAME slots=N")};
  return hosts;
}

Result<std::vector<Host>> read_hosts(const std::filesystem::path& file, const Environment& environment) {
  CUCO_TRY(std::string text, environment.read(file));
  return parse_hosts(text, file.string());
}

Status check_slots(const std::vector<Host>& hosts, uint32_t rank_count, const std::string& file) {
  uint64_t slots = std::accumulate(hosts.begin(), hosts.end(), uint64_t{0},
                                   [](uint64_t sum, const Host& host) { return sum + host.slots; });
  if (slots >= rank_count) return Done{};
  return Error{concat(file, ": ", counted(hosts.size(), "host"), " with ", counted(slots, "slot"), " for ",
                      counted(rank_count, "rank"), "; ranks have a GPU each, so add hosts or ask for fewer ranks")};
}

}  // namespace cuco::gpu
