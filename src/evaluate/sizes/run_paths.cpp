#include "evaluate/sizes/run_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

using vcluster::LaunchReport;
using vcluster::RunReport;

std::string text_of(const LaunchReport& launch) { return concat("kernel ", launch.kernel, " at ", launch.place); }

const LaunchReport* find_launch(const RunReport& report, const LaunchReport& wanted) {
  auto found = std::ranges::find_if(report.launches, [&](const LaunchReport& each) {
    return each.kernel == wanted.kernel && each.place == wanted.place;
  });
  return found == report.launches.end() ? nullptr : &*found;
}

std::set<std::string> calls_of(const RunReport& report) {
  std::set<std::string> calls;
  for (const model::Transfer& transfer : report.traffic.transfers)
    if (model::is_nccl(transfer.carrier)) calls.insert(model::mover_text(transfer));
  return calls;
}

std::string ending_of(const RunReport& report) {
  if (report.verdict == "ok" && report.exit_code == 0) return "";
  if (report.verdict == "ok" || report.verdict == "exit") return concat("it ends with code ", report.exit_code);
  std::string why = report.findings.empty() ? "" : concat(": ", split(report.findings.front().text, '\n')[0]);
  return concat("it ends with ", report.verdict.empty() ? "a crash" : report.verdict, why);
}

std::string shape_difference(const LaunchReport& of_case, const LaunchReport& smaller) {
  if (of_case.block != smaller.block) return concat(text_of(smaller), " has other threads a block");
  for (size_t i = 0; i < of_case.grid.size(); i++)
    if (of_case.grid[i] > 1 && smaller.grid[i] < 2)
      return concat(text_of(smaller), " has one block along ", "xyz"[i], ", of ", of_case.grid[i]);
  return "";
}

// Of what `holder` does and `other` does not.
std::string missing_in(const RunReport& other, const RunReport& holder) {
  for (const LaunchReport& launch : holder.launches)
    if (!find_launch(other, launch)) return text_of(launch);
  std::set<std::string> calls = calls_of(other);
  for (const std::string& call : calls_of(holder))
    if (!calls.contains(call)) return call;
  return "";
}

// What a pair of ranks moves by one call, in all.
using CallBytes = std::map<std::tuple<std::string, int, int>, uint64_t>;
CallBytes bytes_of_calls(const RunReport& report) {
  CallBytes bytes;
  for (const model::Transfer& each : report.traffic.transfers)
    if (model::is_nccl(each.carrier)) bytes[{model::mover_text(each), each.from, each.to}] += each.bytes;
  return bytes;
}

// Where no kernel keeps a size from becoming tiny: messages of a few bytes show nothing of how long ones are moved.
std::string message_difference(const RunReport& of_case, const RunReport& smaller) {
  constexpr uint64_t kLongBytes = 64 << 10;
  if (!of_case.launches.empty()) return "";
  CallBytes bytes = bytes_of_calls(smaller);
  for (const auto& [call, of_call] : bytes_of_calls(of_case))
    if (auto found = bytes.find(call); of_call >= kLongBytes && found != bytes.end() && found->second < kLongBytes)
      return concat(std::get<0>(call), " moves ", found->second, " bytes, of ", of_call);
  return "";
}

bool came_to_its_end(const RunReport& report) { return report.verdict == "ok" || report.verdict == "exit"; }

}  // namespace

std::string path_difference(const RunReport& of_case, const RunReport& smaller, PathRule rule) {
  std::string ending = ending_of(smaller);
  if (!ending.empty() && (rule == PathRule::Same || !came_to_its_end(smaller))) return ending;
  if (std::string missing = missing_in(smaller, of_case); !missing.empty())
    return concat("it does not come to ", missing, ending.empty() ? "" : concat("; ", ending));
  for (const LaunchReport& launch : of_case.launches)
    if (std::string other = shape_difference(launch, *find_launch(smaller, launch)); !other.empty()) return other;
  if (std::string less = message_difference(of_case, smaller); !less.empty()) return less;
  std::string added = rule == PathRule::Same ? missing_in(of_case, smaller) : "";
  return added.empty() ? "" : concat("it comes to ", added, ", which it does not at the case");
}

}  // namespace cuco::evaluate
