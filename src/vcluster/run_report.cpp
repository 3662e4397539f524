#include "vcluster/run_report.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/printable.h"
#include "base/text.h"

namespace cuco::vcluster {

namespace {

std::string timing_line(size_t rank, const RankTiming& timing) {
  std::ostringstream out;
  out.precision(12);
  out << "timing " << rank << " " << timing.region << " " << timing.begin_us << " " << timing.end_us << " "
      << timing.compute_us << " " << timing.copy_us << " " << timing.exposed_communication_us << " " << timing.launch_us
      << " " << timing.wait_us << "\n";
  return out.str();
}

RankTiming read_timing(std::istringstream& in) {
  RankTiming timing;
  size_t rank = 0;
  in >> rank >> timing.region >> timing.begin_us >> timing.end_us >> timing.compute_us >> timing.copy_us >>
      timing.exposed_communication_us >> timing.launch_us >> timing.wait_us;
  return timing;
}

std::string iteration_line(const HarnessIteration& iteration) {
  std::ostringstream out;
  out.precision(12);
  out << "iteration " << iteration.rank << " " << iteration.iteration << " "
      << (iteration.is_timed ? "timed" : "warmup") << " " << iteration.begin_us << " " << iteration.end_us << "\n";
  return out.str();
}

HarnessIteration read_iteration(std::istringstream& in) {
  HarnessIteration iteration;
  std::string kind;
  in >> iteration.rank >> iteration.iteration >> kind >> iteration.begin_us >> iteration.end_us;
  iteration.is_timed = kind == "timed";
  return iteration;
}

std::string body_line(const BodyReport& body) {
  return concat("body ", body.run, " ", body.total, " ", body.what, "\t", body.reason, "\n");
}

std::string launch_line(const LaunchReport& launch) {
  std::ostringstream out;
  out << "launch " << launch.count;
  for (const auto& shape : {launch.grid, launch.block})
    for (uint32_t extent : shape) out << " " << extent;
  out << " " << launch.place << "\t" << launch.kernel << "\n";
  return out.str();
}

LaunchReport read_launch(std::istringstream& in) {
  LaunchReport launch;
  in >> launch.count;
  for (auto* shape : {&launch.grid, &launch.block})
    for (uint32_t& extent : *shape) in >> extent;
  std::getline(in >> std::ws, launch.place, '\t');
  std::getline(in, launch.kernel);
  return launch;
}

UploadReport read_upload(std::istringstream& in) {
  UploadReport upload;
  in >> upload.digest;
  std::getline(in >> std::ws, upload.what);
  return upload;
}

std::string ranks_field(const RunFinding& finding) {
  std::string text = std::to_string(finding.rank);
  for (int other : finding.other_ranks) text += concat(",", other);
  return text;
}

BodyReport read_body(std::istringstream& in) {
  BodyReport body;
  in >> body.run >> body.total;
  std::getline(in >> std::ws, body.what, '\t');
  std::getline(in, body.reason);
  return body;
}

}  // namespace

std::string describe(const BodyReport& body) {
  if (!body.reason.empty()) return concat(body.what, " was executed by all ", body.total, " blocks: ", body.reason);
  return concat(body.what, " was executed by ", body.run, " of ", body.total,
                " blocks and charged to the others at what it took these");
}

const RankTiming* slowest(const RunReport& report) {
  const RankTiming* found = nullptr;
  for (const RankTiming& timing : report.timings)
    if (timing.region != "none" && (!found || timing.length_us() > found->length_us())) found = &timing;
  return found;
}

bool has_errors(const RunReport& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), std::mem_fn(&RunFinding::is_error));
}

bool shares_a_device(const RunReport& report) {
  return std::ranges::any_of(report.findings, [](const RunFinding& finding) {
    return finding.kind == "device_choice" && finding.text.find("Duplicate GPU") != std::string::npos;
  });
}

std::string to_text(const RunReport& report) {
  std::ostringstream out;
  out.precision(12);
  out << "verdict " << report.verdict << "\nexit_code " << report.exit_code << "\n";
  for (size_t rank = 0; rank < report.rank_us.size(); rank++)
    out << "rank " << rank << " virtual_us " << report.rank_us[rank] << "\n";
  for (size_t rank = 0; rank < report.timings.size(); rank++) out << timing_line(rank, report.timings[rank]);
  for (const HarnessIteration& iteration : report.iterations) out << iteration_line(iteration);
  if (report.calls > 0) out << "calls " << report.calls << (report.calls_were_cut ? " cut" : " whole") << "\n";
  out << "bound " << report.bound_compute_us << " " << report.bound_communication_us << " " << report.bound_order_us
      << "\n";
  out << "operations " << report.operations << "\n";
  for (const LaunchReport& launch : report.launches) out << launch_line(launch);
  if (report.sampled)
    out << "sampled " << report.blocks_run << " " << report.blocks_total << " " << report.work_run << "\n";
  for (const UploadReport& upload : report.uploads) out << "upload " << upload.digest << " " << upload.what << "\n";
  for (const ReadBack& place : report.read_backs) out << "read_back " << to_text(place) << "\n";
  for (const BodyReport& body : report.bodies) out << body_line(body);
  out << "traffic " << model::to_json(report.traffic) << "\n";
  for (const RunFinding& finding : report.findings)
    out << "finding " << model::name_of(finding.severity) << " " << finding.kind << " " << ranks_field(finding) << " "
        << replace_all(finding.text, "\n", " | ") << "\n";
  out << "end\n";
  return out.str();
}

RunReport parse_report(const std::string& untrusted) {
  RunReport report;
  report.verdict = "";
  bool complete = false;
  for (const std::string& line : split(printable(untrusted), '\n')) {
    std::istringstream in(line);
    std::string key;
    in >> key;
    if (key == "verdict") in >> report.verdict;
    if (key == "exit_code") in >> report.exit_code;
    if (key == "sampled")
      report.sampled = static_cast<bool>(in >> report.blocks_run >> report.blocks_total >> report.work_run);
    if (key == "operations") in >> report.operations;
    if (key == "launch") report.launches.push_back(read_launch(in));
    if (key == "end") complete = true;
    if (key == "rank") {
      size_t rank = 0;
      std::string unit;
      double us = 0;
      in >> rank >> unit >> us;
      report.rank_us.push_back(us);
    }
    if (key == "upload") report.uploads.push_back(read_upload(in));
    if (key == "read_back") report.read_backs.push_back(parse_read_back(line.substr(key.size())));
    if (key == "body") report.bodies.push_back(read_body(in));
    if (key == "traffic") report.traffic = model::traffic_from_json(line.substr(key.size()));
    if (key == "timing") report.timings.push_back(read_timing(in));
    if (key == "iteration") report.iterations.push_back(read_iteration(in));
    if (key == "calls") {
      std::string end;
      in >> report.calls >> end;
      report.calls_were_cut = end == "cut";
    }
    if (key == "bound") in >> report.bound_compute_us >> report.bound_communication_us >> report.bound_order_us;
    if (key == "finding") {
      RunFinding finding;
      std::string severity;
      in >> severity >> finding.kind >> finding.rank;
      finding.severity = model::severity_named(severity);
      for (int other = 0; in.peek() == ',' && in.ignore() >> other;) finding.other_ranks.push_back(other);
      std::getline(in >> std::ws, finding.text);
      report.findings.push_back(finding);
    }
  }
  if (!complete) report.verdict = "";
  return report;
}

}  // namespace cuco::vcluster
