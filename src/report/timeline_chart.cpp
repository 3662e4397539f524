#include <algorithm>
#include <map>

#include "base/number_text.h"
#include "base/text.h"
#include "report/charts.h"

namespace cuco::report {

namespace {

constexpr double kChartWidth = 860, kNamesWidth = 190, kRow = 16, kBar = 12;
constexpr size_t kSlicesMax = 4000;  // Of one timeline: more would make a page that browsers are slow with.

using Kinds = std::map<std::string, size_t>;

// "gemm" of "kernel gemm<64> launched at a.cu:7": where it is launched and for which types does not make another kind.
std::string kind_of(const Slice& slice) {
  constexpr std::string_view kKernel = "kernel ";
  constexpr std::string_view kArticle = "a ";  // Of "a copy".
  std::string name = slice.name;
  for (std::string_view prefix : {kKernel, kArticle})
    if (name.starts_with(prefix)) name = name.substr(prefix.size());
  size_t end = name.find_first_of("<(, ");
  return end == 0 ? name : name.substr(0, end);
}

Kinds kinds_of(const std::vector<NamedTimeline>& timelines) {
  Kinds kinds;
  for (const NamedTimeline& each : timelines)
    for (const Track& track : each.timeline.tracks) {
      if (track.is_link) continue;
      for (const Slice& slice : track.slices) kinds.try_emplace(kind_of(slice), kinds.size());
    }
  return kinds;
}

std::string class_of(const Kinds& kinds, const Slice& slice) {
  return concat("kind", kinds.at(kind_of(slice)) % kKinds);
}

void write_slice(Html& html, const Slice& slice, double y, double scale, const std::string& kind) {
  html.open("rect", {{"x", rounded_text(kNamesWidth + slice.begin_us * scale)},
                     {"y", rounded_text(y)},
                     {"width", rounded_text(std::max(0.5, (slice.end_us - slice.begin_us) * scale))},
                     {"height", rounded_text(kBar)},
                     {"class", kind}});
  html.element("title", concat(slice.name, ", ", duration(slice.begin_us), " to ", duration(slice.end_us)));
  html.close();
}

// How many slices did not fit.
size_t write_tracks(Html& html, const Timeline& timeline, double scale, const Kinds& kinds) {
  size_t count = 0, left_out = 0;
  double y = 2;
  for (const Track& track : timeline.tracks) {
    html.element("text", concat("rank ", track.rank, " ", track.name),
                 {{"x", rounded_text(kNamesWidth - 6)}, {"y", rounded_text(y + kBar - 2)}, {"class", "end"}});
    for (const Slice& slice : track.slices) {
      if (count++ < kSlicesMax)
        write_slice(html, slice, y, scale, track.is_link ? "link" : class_of(kinds, slice));
      else
        left_out++;
    }
    y += kRow;
  }
  return left_out;
}

void write_one(Html& html, const NamedTimeline& each, double longest_us, const Kinds& kinds) {
  html.element("h3", concat(each.name, ", ", duration(each.timeline.length_us)));
  double height = kRow * static_cast<double>(each.timeline.tracks.size()) + 4;
  html.open("svg", {{"viewBox", concat("0 0 ", kChartWidth, " ", height)}, {"role", "img"}});
  html.element("title", concat("Timeline of ", each.name, " per rank and stream"));
  size_t left_out = write_tracks(html, each.timeline, (kChartWidth - kNamesWidth) / std::max(1e-9, longest_us), kinds);
  html.close();
  if (left_out > 0) html.element("p", concat(left_out, " short pieces of work are not drawn."));
}

void write_legend(Html& html, const Kinds& kinds) {
  html.open("p", {{"class", "legend"}});
  for (const auto& [name, number] : kinds) {
    html.element("span", " ", {{"class", concat("swatch kind", number % kKinds)}});
    html.text(concat(name, "  "));
  }
  html.element("span", " ", {{"class", "swatch link"}}).text("bytes on a link");
  html.close();
}

}  // namespace

void write_timelines(Html& html, const std::vector<NamedTimeline>& timelines) {
  double longest_us = 0;
  for (const NamedTimeline& each : timelines) longest_us = std::max(longest_us, each.timeline.length_us);
  Kinds kinds = kinds_of(timelines);
  for (const NamedTimeline& each : timelines) write_one(html, each, longest_us, kinds);
  write_legend(html, kinds);
}

}  // namespace cuco::report
