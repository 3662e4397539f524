#include "report/timeline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cuco::report {

namespace {

using Json = nlohmann::json;
using Tracks = std::map<std::pair<int, uint64_t>, Track>;

constexpr uint64_t kFirstLink = 100'000, kFirstBlock = 200'000;

void add_event(const Json& event, double begin_us, double end_us, Tracks& tracks) {
  std::string phase = event.value("ph", "");
  std::pair<int, uint64_t> place{event.value("pid", 0), event.value("tid", uint64_t{0})};
  if (place.second >= kFirstBlock) return;
  if (phase == "M" && event.value("name", "") == "thread_name") tracks[place].name = event["args"].value("name", "");
  if (phase != "X") return;
  double begin = event.value("ts", 0.0), end = begin + event.value("dur", 0.0);
  if (end <= begin_us || begin >= end_us) return;
  begin = std::max(begin, begin_us);
  end = std::min(end, end_us);
  tracks[place].slices.push_back({begin - begin_us, end - begin_us, event.value("name", "")});
}

}  // namespace

Result<Timeline> read_timeline(const std::string& trace, double begin_us, double end_us) {
  Json json = Json::parse(trace, nullptr, false);
  if (!json.is_object() || !json.contains("traceEvents")) return Error{"the trace is not one"};
  Tracks tracks;
  try {
    for (const Json& event : json["traceEvents"]) add_event(event, begin_us, end_us, tracks);
  } catch (const Json::exception& damage) {
    return Error{concat("the trace is damaged: ", damage.what())};
  }
  Timeline timeline;
  timeline.length_us = end_us - begin_us;
  for (auto& [place, track] : tracks) {
    if (track.slices.empty()) continue;
    track.rank = place.first;
    track.number = place.second;
    track.is_link = place.second >= kFirstLink;
    std::sort(track.slices.begin(), track.slices.end(),
              [](const Slice& a, const Slice& b) { return a.begin_us < b.begin_us; });
    timeline.tracks.push_back(std::move(track));
  }
  return timeline;
}

}  // namespace cuco::report
