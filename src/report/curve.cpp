#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "base/text.h"
#include "report/charts.h"

namespace cuco::report {

namespace {

constexpr double kWidth = 860, kHeight = 260, kLeft = 70, kRight = 10, kTop = 12, kBottom = 28;

// From (candidate, time) to a place in the picture.
struct Scale {
  size_t count = 1;
  double least_us = 0, most_us = 1;

  double x(size_t id) const {
    double steps = static_cast<double>(std::max<size_t>(count, 2) - 1);
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(id - 1) / steps;
  }
  double y(double us) const {
    return kTop + (kHeight - kTop - kBottom) * (most_us - us) / std::max(1e-9, most_us - least_us);
  }
};

Scale scale_of(const RunView& view) {
  std::vector<double> times;
  if (std::optional<double> bound = view.bound_us()) times.push_back(*bound);
  // A candidate that is many times slower would flatten the curve; it is drawn at the upper edge.
  double most_us = view.baseline_us().value_or(1) * 1.5;
  for (const Entry& entry : view.entries)
    if (std::optional<double> us = entry.time_us()) times.push_back(std::min(*us, most_us));
  Scale scale{view.entries.size(), 0, 1};
  if (times.empty()) return scale;
  auto [least, most] = std::minmax_element(times.begin(), times.end());
  double margin = std::max(1e-6, (*most - *least) * 0.05);
  scale.least_us = *least - margin;
  scale.most_us = *most + margin;
  return scale;
}

Attributes line(double x1, double y1, double x2, double y2, const char* kind) {
  return {{"x1", rounded_text(x1)},
          {"y1", rounded_text(y1)},
          {"x2", rounded_text(x2)},
          {"y2", rounded_text(y2)},
          {"class", kind}};
}

void write_level(Html& html, const Scale& scale, double us, const std::string& name, const char* kind) {
  html.leaf("line", line(kLeft, scale.y(us), kWidth - kRight, scale.y(us), kind));
  html.element("text", name,
               {{"x", rounded_text(kWidth - kRight)}, {"y", rounded_text(scale.y(us) - 4)}, {"class", "end"}});
}

void write_axes(Html& html, const RunView& view, const Scale& scale) {
  html.leaf("line", line(kLeft, kTop, kLeft, kHeight - kBottom, "axis"));
  html.leaf("line", line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "axis"));
  for (double us : {scale.least_us, (scale.least_us + scale.most_us) / 2, scale.most_us})
    html.element("text", duration(us),
                 {{"x", rounded_text(kLeft - 6)}, {"y", rounded_text(scale.y(us) + 4)}, {"class", "end"}});
  size_t step = std::max<size_t>(1, view.entries.size() / 10);
  for (size_t id = 1; id <= view.entries.size(); id += step)
    html.element("text", concat("#", id),
                 {{"x", rounded_text(scale.x(id))}, {"y", rounded_text(kHeight - 8)}, {"class", "middle"}});
}

void write_point(Html& html, const Scale& scale, const Entry& entry, bool is_best) {
  std::optional<double> us = entry.time_us();
  double y = us ? scale.y(std::min(*us, scale.most_us)) : kHeight - kBottom;
  html.open("circle", {{"cx", rounded_text(scale.x(static_cast<size_t>(entry.candidate.id)))},
                       {"cy", rounded_text(y)},
                       {"r", is_best ? "5" : "3"},
                       {"class", !us       ? "rejected"
                                 : is_best ? "best"
                                           : "point"}});
  html.element("title", concat("#", entry.candidate.id, " ", us ? duration(*us) : std::string("rejected"), ": ",
                               entry.candidate.intent));
  html.close();
}

void write_best_so_far(Html& html, const RunView& view, const Scale& scale) {
  std::string points;
  double best_us = 0, last_y = 0;
  for (const Entry& entry : view.entries) {
    std::optional<double> us = entry.time_us();
    double x = scale.x(static_cast<size_t>(entry.candidate.id));
    if (us && (points.empty() || *us < best_us)) {
      best_us = *us;
      double y = scale.y(std::min(best_us, scale.most_us));
      points += concat(rounded_text(x), ",", rounded_text(points.empty() ? y : last_y), " ", rounded_text(x), ",",
                       rounded_text(y), " ");
      last_y = y;
    } else if (!points.empty()) {
      points += concat(rounded_text(x), ",", rounded_text(last_y), " ");
    }
  }
  html.leaf("polyline", {{"points", points}, {"class", "curve"}});
}

}  // namespace

void write_curve(Html& html, const RunView& view) {
  Scale scale = scale_of(view);
  html.open("svg", {{"viewBox", concat("0 0 ", kWidth, " ", kHeight)}, {"role", "img"}});
  html.element("title", "Time of each candidate, and of the best so far");
  write_axes(html, view, scale);
  if (std::optional<double> bound = view.bound_us()) write_level(html, scale, *bound, "bound", "bound");
  if (std::optional<double> us = view.baseline_us()) write_level(html, scale, *us, "baseline", "level");
  write_best_so_far(html, view, scale);
  for (const Entry& entry : view.entries) write_point(html, scale, entry, entry.candidate.id == view.best);
  html.close();
}

}  // namespace cuco::report
