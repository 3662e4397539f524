#include "rewrite/proof_traffic.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "rewrite/text/comm_calls.h"

namespace cuco::rewrite {

namespace {

using model::RankPair;
using model::Traffic;
using model::Transfer;

bool by_kernels(const Transfer& transfer) { return model::is_device_initiated(transfer.carrier); }

// Runs name a file as they were given it, the analysis by its path, and with the column.
bool is_at(const std::string& place, const std::string& location) {
  std::string line = location.substr(0, location.rfind(':'));
  return std::filesystem::path(place).filename() == std::filesystem::path(line).filename();
}

std::set<RankPair> pairs_of_site(const ProofInput& input, const model::Site& site) {
  const Operation& call = input.before.operations[site.operations[0]];
  std::string location = model::location_text(input.before, call.range);
  const Traffic& traffic = input.runs.before;
  if (call.callee == "ncclRecv")
    return model::pairs_of(traffic, [](const Transfer& each) { return each.what == "ncclSend"; });
  return model::pairs_of(traffic,
                         [&](const Transfer& each) { return each.what == call.callee && is_at(each.place, location); });
}

Traffic by_some(const Traffic& traffic, const model::IsCounted& counts) {
  Traffic some{traffic.calls, {}};
  std::ranges::copy_if(traffic.transfers, std::back_inserter(some.transfers), counts);
  return some;
}

Traffic moved_for(const ProofInput& input, const model::Site& site) {
  auto kernels = input.inferred.kernels.find(site.name);
  auto stands_for_it = [&](const Transfer& each) {
    return by_kernels(each) && kernels != input.inferred.kernels.end() &&
           std::ranges::any_of(kernels->second,
                               [&](const std::string& kernel) { return kernel_key(kernel) == kernel_key(each.what); });
  };
  Traffic own = by_some(input.runs.after, stands_for_it);
  return own.transfers.empty() ? by_some(input.runs.after, by_kernels) : own;
}

// All bytes are equal, and every rank of the transfers moves some to every other.
bool is_between_all(const std::vector<Transfer>& transfers) {
  std::set<int> ranks;
  for (const Transfer& each : transfers) ranks.insert({each.from, each.to});
  bool equal = std::ranges::all_of(transfers, [&](const Transfer& each) { return each.bytes == transfers[0].bytes; });
  return equal && transfers.size() == ranks.size() * (ranks.size() - 1);
}

// "exchange_for<1>" for any kernel of that call.
std::string shown(const std::string& kernel) {
  return site_of_kernel(kernel).empty() ? kernel : concat(kernel_key(kernel), ">");
}

std::string bytes_text(const std::vector<Transfer>& transfers) {
  if (is_between_all(transfers)) return concat(transfers[0].bytes, " bytes from each rank to each other");
  std::vector<std::string> all;
  for (const Transfer& each : transfers)
    all.push_back(concat(each.bytes, " bytes from rank ", each.from, " to ", each.to));
  return join(all, ", ");
}

}  // namespace

SiteTraffic::SiteTraffic(const ProofInput& input, const model::Site& site)
    : input_(input), pairs_(pairs_of_site(input, site)), moved_(moved_for(input, site)) {}

std::vector<RankPair> SiteTraffic::missing() const {
  std::set<RankPair> seen = model::with_relays(model::pairs_of(input_.runs.after, by_kernels));
  std::vector<RankPair> missing;
  std::ranges::set_difference(pairs_, seen, std::back_inserter(missing));
  return missing;
}

std::vector<std::string> SiteTraffic::movers() const {
  std::vector<std::string> texts;
  const std::vector<Transfer>& all = moved_.transfers;
  for (auto begin = all.begin(), end = begin; begin != all.end(); begin = end) {
    end = std::find_if(begin, all.end(), [&](const Transfer& each) {
      return each.what != begin->what || each.place != begin->place || each.carrier != begin->carrier;
    });
    texts.push_back(
        concat("kernel ", shown(begin->what), ", ", bytes_text({begin, end}), " by ", name_of(begin->carrier)));
  }
  return texts;
}

}  // namespace cuco::rewrite
