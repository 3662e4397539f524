#include "evaluate/judging/communication.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

using model::Carrier;
using model::RankPair;
using model::Traffic;
using model::Transfer;

bool by_nccl(const Transfer& transfer) { return model::is_nccl(transfer.carrier); }
bool around_nccl(const Transfer& transfer) { return !by_nccl(transfer); }

Finding finding_of(const char* kind, int rank, std::string text) {
  Finding finding;
  finding.kind = kind;
  finding.rank = rank;
  finding.text = std::move(text);
  return finding;
}

// The first transfer of the pair that counts; there is one.
const Transfer& example(const Traffic& traffic, RankPair pair, bool (*counts)(const Transfer&)) {
  return *std::find_if(traffic.transfers.begin(), traffic.transfers.end(),
                       [&](const Transfer& each) { return RankPair(each.from, each.to) == pair && counts(each); });
}

// What the baseline moves between the two in as many calls as the candidate was run with.
uint64_t baseline_bytes(const Traffic& baseline, const Traffic& candidate, RankPair pair,
                        bool (*counts)(const Transfer&)) {
  return model::bytes_between(baseline, pair, counts) * candidate.calls / std::max(baseline.calls, 1u);
}

std::set<RankPair> connected(const Traffic& baseline, const Traffic& candidate) {
  std::set<RankPair> pairs = model::pairs_of(candidate, by_nccl);
  std::erase_if(pairs, [&](RankPair pair) {
    uint64_t wanted = baseline_bytes(baseline, candidate, pair, by_nccl);
    uint64_t flags = std::max(kFlagBytesMax * candidate.calls, wanted / kFlagShare);
    return model::bytes_between(candidate, pair, by_nccl) < (wanted == 0 ? flags : std::min(wanted, flags));
  });
  return model::with_relays(std::move(pairs));
}

std::string missing_text(const Traffic& baseline, int to, const std::vector<std::string>& peers, int first) {
  return concat("rank ", to, " gets no data of rank", peers.size() > 1 ? "s " : " ", join(peers, ", "),
                " in the region, neither by NCCL's host calls nor from kernels; the baseline gives it ",
                model::bytes_between(baseline, {first, to}, by_nccl), " bytes of rank ", first, " (",
                model::mover_text(example(baseline, {first, to}, by_nccl)), ")");
}

}  // namespace

std::vector<Finding> find_missing_data(const Traffic& baseline, const Traffic& candidate) {
  std::set<RankPair> seen = connected(baseline, candidate);
  std::map<int, std::vector<int>> missing;  // Peers, by the rank that does not hear of them.
  for (const auto& [from, to] : model::pairs_of(baseline, by_nccl))
    if (!seen.contains({from, to})) missing[to].push_back(from);
  std::vector<Finding> findings;
  for (const auto& [to, peers] : missing) {
    std::vector<std::string> names;
    for (int peer : peers) names.push_back(std::to_string(peer));
    findings.push_back(finding_of("not_communicated", to, missing_text(baseline, to, names, peers.front())));
  }
  return findings;
}

std::vector<Finding> find_ways_around(const Traffic& baseline, const Traffic& candidate) {
  std::vector<Finding> findings;
  for (RankPair pair : model::pairs_of(candidate, around_nccl)) {
    uint64_t bytes = model::bytes_between(candidate, pair, around_nccl);
    if (bytes <= baseline_bytes(baseline, candidate, pair, around_nccl) + kSetupBytesMax) continue;
    findings.push_back(
        finding_of("host_channel", pair.second,
                   concat("rank ", pair.second, " gets ", bytes, " bytes of rank ", pair.first,
                          " in the region around NCCL (", model::mover_text(example(candidate, pair, around_nccl)),
                          "); data of the region must go by NCCL, from the host or from kernels")));
  }
  return findings;
}

}  // namespace cuco::evaluate
