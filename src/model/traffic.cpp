#include "model/traffic.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"

namespace cuco::model {

namespace {

constexpr std::string_view kCarriers[] = {"host", "lsa", "gin", "copy", "mpi"};

using Json = nlohmann::json;

bool is_same_mover(const Transfer& a, const Transfer& b) {
  return a.carrier == b.carrier && a.what == b.what && a.place == b.place;
}

nlohmann::ordered_json mover_json(std::span<const Transfer> transfers) {
  const Transfer& first = transfers.front();
  nlohmann::ordered_json json = {{"by", name_of(first.carrier)}, {"what", first.what}, {"place", first.place}};
  for (const Transfer& each : transfers) json["bytes"].push_back({each.from, each.to, each.bytes});
  return json;
}

void read_mover(const Json& json, std::vector<Transfer>& transfers) {
  std::optional<Carrier> carrier = find_carrier(json.value("by", ""));
  if (!carrier) return;
  for (const Json& each : json.value("bytes", Json::array()))
    transfers.push_back(
        {each.at(0), each.at(1), *carrier, json.value("what", ""), json.value("place", ""), each.at(2)});
}

std::string at_place(const std::string& place) { return place.empty() ? "" : concat(" at ", place); }

}  // namespace

std::string_view name_of(Carrier carrier) { return kCarriers[static_cast<size_t>(carrier)]; }

std::optional<Carrier> find_carrier(std::string_view name) {
  const auto* found = std::find(std::begin(kCarriers), std::end(kCarriers), name);
  if (found == std::end(kCarriers)) return std::nullopt;
  return static_cast<Carrier>(found - std::begin(kCarriers));
}

std::string mover_text(const Transfer& transfer) {
  if (is_device_initiated(transfer.carrier))
    return concat("kernel ", transfer.what, " launched", at_place(transfer.place));
  return concat(transfer.what, at_place(transfer.place));
}

uint64_t bytes_between(const Traffic& traffic, RankPair pair, const IsCounted& counts) {
  uint64_t bytes = 0;
  for (const Transfer& each : traffic.transfers)
    if (RankPair(each.from, each.to) == pair && counts(each)) bytes += each.bytes;
  return bytes;
}

std::set<RankPair> pairs_of(const Traffic& traffic, const IsCounted& counts) {
  std::set<RankPair> pairs;
  for (const Transfer& each : traffic.transfers)
    if (each.bytes > 0 && counts(each)) pairs.insert({each.from, each.to});
  return pairs;
}

std::set<RankPair> with_relays(std::set<RankPair> pairs) {
  std::set<int> ranks;
  for (const auto& [from, to] : pairs) ranks.insert({from, to});
  for (int by : ranks)
    for (int from : ranks)
      for (int to : ranks)
        if (pairs.contains({from, by}) && pairs.contains({by, to})) pairs.insert({from, to});
  return pairs;
}

std::string to_json(const Traffic& traffic) {
  nlohmann::ordered_json json = {{"calls", traffic.calls}, {"moved", nlohmann::ordered_json::array()}};
  const std::vector<Transfer>& all = traffic.transfers;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && is_same_mover(all[begin], all[end])) end++;
    json["moved"].push_back(mover_json({all.data() + begin, end - begin}));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Traffic traffic_from_json(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  try {
    Traffic traffic{json.value("calls", 1u), {}};
    for (const Json& mover : json.value("moved", Json::array())) read_mover(mover, traffic.transfers);
    return traffic;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace cuco::model
