#include "rewrite/text/comm_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

constexpr std::string_view kPrefix = "cuco::comm::";
constexpr std::array<std::string_view, 3> kKernels = {"exchange_for<", "reduce_for<", "reduce_written_for<"};

uint32_t number_at(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string digits_at(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size())));
}

// What a call asks for, by the functions that say it: {"blocks", "4"}, {"by_message", ""}.
using Asked = std::map<std::string, std::string, std::less<>>;

Asked read_asked(std::string_view chain) {
  Asked asked;
  for (size_t at = chain.find('.'); at != chain.npos; at = chain.find('.', at + 1)) {
    size_t end = at + 1;
    while (end < chain.size() && is_word(chain[end])) end++;
    size_t open = chain.find('(', end);
    if (open == chain.npos) break;
    asked[std::string(chain.substr(at + 1, end - at - 1))] = chain.substr(open + 1, chain.find(')', open) - open - 1);
  }
  return asked;
}

// Up to the comma that ends the first argument of a call, which no bracket encloses.
std::string_view first_argument(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (depth == 0 && (text[i] == ',' || text[i] == ')')) return text.substr(0, i);
    depth += text[i] == '(' || text[i] == '<' ? 1 : text[i] == ')' || text[i] == '>' ? -1 : 0;
  }
  return text;
}

std::optional<space::Backend> backend_at(std::string_view text) {
  if (text.starts_with("lsa<")) return space::Backend::Lsa;
  if (text.starts_with("gin<")) return space::Backend::Gin;
  if (text.starts_with("hybrid<")) return space::Backend::Hybrid;
  return std::nullopt;
}

void read_placement(const Asked& asked, space::Directive& directive) {
  using space::Placement;
  bool network = directive.backend != space::Backend::Lsa;
  if (asked.contains("split")) directive.placement = Placement::Split;
  if (asked.contains("on_stream")) directive.placement = Placement::Stream;
  if (asked.contains("by_message")) directive.sync = network ? space::SyncScope::PeerSignal : space::SyncScope::Flag;
  // Parts that the kernel sends which writes them, by each of its blocks or by some that do nothing else.
  if (asked.contains("fused") || asked.contains("sent_by_writers")) directive.placement = Placement::TileFused;
  if (asked.contains("specialised")) directive.placement = Placement::Specialised;
  if (directive.placement == Placement::TileFused || directive.placement == Placement::Specialised)
    directive.sync = network ? space::SyncScope::ChunkSignal : space::SyncScope::Flag;
}

std::optional<CommCall> read_route(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  std::optional<space::Backend> backend = backend_at(text);
  if (!backend) return std::nullopt;
  Asked asked = read_asked(text);
  CommCall call;
  call.site = concat("s", digits_at(text.substr(text.find('<') + 1)));
  if (auto blocks = asked.find("blocks"); blocks != asked.end()) call.blocks = number_at(blocks->second);
  call.directive = {*backend, space::Placement::Deferred, space::SyncScope::Barrier,
                    call.blocks > 1 ? space::Issuer::MultiCta : space::Issuer::Cta, space::kWholeMessage};
  if (asked.contains("by_thread")) call.directive.issuer = space::Issuer::Thread;
  if (asked.contains("by_warp")) call.directive.issuer = space::Issuer::Warp;
  read_placement(asked, call.directive);
  for (const char* on : {"on_stream", "split"})
    if (auto stream = asked.find(on); stream != asked.end() && !stream->second.empty())
      call.streams = number_at(stream->second) + 1;
  return call;
}

}  // namespace

std::vector<CommCall> read_comm_calls(std::string_view text) {
  std::vector<CommCall> calls;
  for (size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix, at + 1)) {
    size_t end = at + kPrefix.size();
    while (end < text.size() && is_word(text[end])) end++;
    if (end >= text.size() || text[end] != '(') continue;
    if (auto route = read_route(first_argument(text.substr(end + 1)))) calls.push_back(*route);
  }
  return calls;
}

std::string site_of_kernel(std::string_view kernel) {
  for (std::string_view begin : kKernels)
    if (kernel.starts_with(begin)) return concat("s", digits_at(kernel.substr(begin.size())));
  return {};
}

std::string kernel_key(std::string_view kernel) {
  std::string site = site_of_kernel(kernel);
  std::string name(kernel.substr(0, kernel.find('<')));
  return site.empty() ? name : concat(name, "<", site.substr(1));
}

space::WorkOrder read_loop_order(std::string_view text) {
  if (text.find("cuco::comm::Order::RemoteFirst)") != text.npos) return space::WorkOrder::RemoteFirst;
  if (text.find("cuco::comm::Order::LocalFirst)") != text.npos) return space::WorkOrder::LocalFirst;
  if (text.find(" = cuco::comm::side_stream(") != text.npos) return space::WorkOrder::SideBySide;
  return space::WorkOrder::AsWritten;
}

space::Waits read_waits(std::string_view text) {
  bool blocks = text.find(" = cuco::comm::before_blocks(") != text.npos;
  return blocks ? space::Waits::Blocks : space::Waits::Stream;
}

}  // namespace cuco::rewrite
