#include "rewrite/section_calls.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "rewrite/source_scan.h"

namespace cuco::rewrite {

namespace {

constexpr std::string_view kPrefix = "device_comm::";

// "{a, {b, c}, d}" as its parts.
std::vector<std::string> parts_of(std::string_view braced) {
  braced = trim(braced);
  if (!braced.starts_with("{") || !braced.ends_with("}")) return {};
  auto call = read_call(concat("f(", braced.substr(1, braced.size() - 2), ")"), 0, "f");
  return call ? call->arguments : std::vector<std::string>();
}

// "Gin" of "device_comm::Reach::Gin".
std::string last_word(const std::string& qualified) {
  size_t colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

std::optional<uint32_t> number_of(const std::string& text) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

space::Backend backend_of(const std::string& reach) {
  return reach == "Gin" ? space::Backend::Gin : reach == "Hybrid" ? space::Backend::Hybrid : space::Backend::Lsa;
}

void read_course(const std::vector<std::string>& course, SectionCall& call) {
  if (course.empty()) return;
  std::string placement = last_word(course[0]);
  if (placement == "Specialised") call.directive.placement = space::Placement::Specialised;
  if (course.size() < 3) return;
  if (placement == "Split") call.directive.placement = space::Placement::Split;
  if (placement == "Stream") call.directive.placement = space::Placement::Stream;
  if (auto lane = number_of(course[1])) call.lanes = *lane + 1;
  if (course[2] != "true") return;
  bool network = call.directive.backend != space::Backend::Lsa;
  call.directive.sync = network ? space::SyncScope::PeerSignal : space::SyncScope::Flag;
  if (placement != "Deferred") return;
  // Messages of a call that runs where it stands are told apart only by kernels that send them.
  call.directive.placement = space::Placement::TileFused;
  if (network) call.directive.sync = space::SyncScope::ChunkSignal;
}

// Parts that the kernel sends which writes them, by each of its blocks or by some that do nothing else.
void read_parts(const std::vector<std::string>& parts, SectionCall& call) {
  if (parts.size() < 3 || parts[2] != "true") return;
  if (call.directive.placement != space::Placement::Specialised) call.directive.placement = space::Placement::TileFused;
  bool network = call.directive.backend != space::Backend::Lsa;
  call.directive.sync = network ? space::SyncScope::ChunkSignal : space::SyncScope::Flag;
}

std::optional<SectionCall> read_way(const std::string& text) {
  std::vector<std::string> parts = parts_of(text);
  if (parts.size() < 3 || !parts[2].starts_with(concat(kPrefix, "Reach::"))) return std::nullopt;
  SectionCall call;
  call.kernel = parts[0].ends_with("_for") ? parts[0].substr(0, parts[0].size() - 4) : parts[0];
  call.blocks = number_of(parts[1]).value_or(1);
  call.directive = {backend_of(last_word(parts[2])), space::Placement::Deferred, space::SyncScope::Barrier,
                    call.blocks > 1 ? space::Issuer::MultiCta : space::Issuer::Cta, space::kWholeMessage};
  if (parts.size() > 3) read_course(parts_of(parts[3]), call);
  std::string issue = parts.size() > 4 ? last_word(parts[4]) : "";
  if (issue == "Thread") call.directive.issuer = space::Issuer::Thread;
  if (issue == "Warp") call.directive.issuer = space::Issuer::Warp;
  // Reductions have no issuer before their parts.
  for (size_t i = 4; i < std::min<size_t>(parts.size(), 6); i++) read_parts(parts_of(parts[i]), call);
  return call;
}

}  // namespace

std::vector<SectionCall> read_section_calls(std::string_view text) {
  std::vector<SectionCall> calls;
  for (size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix, at + 1)) {
    size_t end = at + kPrefix.size();
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) end++;
    if (text.substr(end, 2) != "({") continue;
    auto call = read_call(text, static_cast<uint32_t>(at), text.substr(at, end - at));
    if (!call) continue;
    if (auto way = read_way(call->arguments[0])) calls.push_back(*way);
  }
  return calls;
}

space::WorkOrder read_loop_order(std::string_view text) {
  if (text.find("device_comm::Order::RemoteFirst)") != text.npos) return space::WorkOrder::RemoteFirst;
  if (text.find("device_comm::Order::LocalFirst)") != text.npos) return space::WorkOrder::LocalFirst;
  if (text.find(" = device_comm::beside(") != text.npos) return space::WorkOrder::SideBySide;
  return space::WorkOrder::AsWritten;
}

space::Waits read_waits(std::string_view text) {
  bool blocks = text.find(" = device_comm::before_blocks(") != text.npos;
  return blocks ? space::Waits::Blocks : space::Waits::Stream;
}

}  // namespace cuco::rewrite
