#include "gpu/calibration/measurements.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/text.h"

namespace cuco::gpu {

namespace {

std::optional<double> number_in(const std::string& text) {
  std::istringstream in(text);
  double number = 0;
  if (!(in >> number) || !in.eof() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string place(const std::string& path, size_t line) { return concat(path, ":", line, ": "); }

// What is wrong with it, or nothing.
std::string flaw_of(const Measurement& measured) {
  if (measured.least_us <= 0) return concat("takes ", measured.least_us, " us; a time must be above 0");
  if (measured.median_us < measured.least_us || measured.median_us > measured.most_us)
    return concat("has a median of ", measured.median_us, " us outside of its spread, ", measured.least_us, " to ",
                  measured.most_us);
  if (measured.size < 0 || measured.work < 0 || measured.sample_count == 0)
    return "has a negative size or work, or no samples";
  return {};
}

Result<Measurement> parse_measure(std::string_view line) {
  std::istringstream in{std::string(line)};
  Measurement measured;
  std::string word, who;
  in >> word >> measured.name >> who >> measured.size >> measured.work >> measured.median_us >> measured.least_us >>
      measured.most_us >> measured.sample_count;
  bool whole = !in.fail() && (in >> std::ws).eof() && (who == "all" || who == "alone");
  if (!whole)
    return Error{concat(
        "'", line, "' is no measurement; it must be: ", "measure NAME all|alone SIZE WORK MEDIAN LEAST MOST COUNT")};
  measured.alone = who == "alone";
  if (std::string flaw = flaw_of(measured); !flaw.empty()) return Error{concat(measured.name, " ", flaw)};
  return measured;
}

void keep_fact(Measurements& into, std::string_view line) {
  std::vector<std::string> words = split(line, ' ');
  if (words.size() < 3) return;
  size_t value = words[0].size() + words[1].size() + 2;
  into.machine[words[1]] = std::string(trim(line.substr(value)));
}

}  // namespace

const Measurement* Measurements::find(std::string_view name, double size, bool alone) const {
  auto found = std::find_if(all.begin(), all.end(), [&](const Measurement& each) {
    return each.name == name && each.alone == alone && (size == 0 || each.size == size);
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Measurement> Measurements::curve(std::string_view name, bool alone) const {
  std::vector<Measurement> points;
  for (const Measurement& each : all)
    if (each.name == name && each.alone == alone) points.push_back(each);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  return points;
}

Result<Measurement> Measurements::get(std::string_view name, double size) const {
  if (const Measurement* found = find(name, size)) return *found;
  std::string of_size = size == 0 ? "" : concat(" of size ", size);
  return Error{concat("there is no measurement ", name, of_size, " with all ranks; a measuring program did not end")};
}

Result<std::string> Measurements::text(const std::string& key) const {
  auto found = machine.find(key);
  if (found != machine.end()) return found->second;
  return Error{concat("there is no line 'machine ", key, " ...'; a measuring program did not end")};
}

Result<double> Measurements::number(const std::string& key) const {
  CUCO_TRY(std::string value, text(key));
  if (std::optional<double> number = number_in(value); number && *number > 0) return *number;
  return Error{concat("machine ", key, " is '", value, "'; it must be a number above 0")};
}

Result<Measurements> parse_measurements(const std::string& path, std::string_view text) {
  Measurements measurements;
  size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    number++;
    if (line.starts_with("machine ")) keep_fact(measurements, trim(line));
    if (!line.starts_with("measure ")) continue;
    Result<Measurement> measured = parse_measure(trim(line));
    if (!measured) return Error{place(path, number) + measured.error().message};
    measurements.all.push_back(*std::move(measured));
  }
  if (measurements.all.empty())
    return Error{concat(path, ": no measurements; expected lines 'measure NAME all|alone ...'")};
  return measurements;
}

}  // namespace cuco::gpu
