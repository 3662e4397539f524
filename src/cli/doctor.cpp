#include "cli/doctor.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <memory>

#include "base/json.h"
#include "base/text.h"

namespace cuco::cli {

const std::vector<Facility>& executors() {
  static const std::vector<Facility> all = {
      {"vcluster", "a cluster on the CPU, no GPU needed", true, {"clang-19", "sandbox"}},
      {"mpi",
       "one GPU a rank, on one node or many",
       true,
       {"nvcc", "nccl", "nccl-device-api", "mpi", "gpu", "sandbox"}},
      {"one-gpu",
       "several ranks on one GPU",
       true,
       {"nvcc", "nccl", "nccl-device-api", "nccl-multi-rank", "mpi", "mps", "gpu", "sandbox"}},
      {"nodes",
       "the same on several nodes (one-gpu --nodes N), through an emulated NIC",
       true,
       {"nvcc", "nccl", "nccl-device-api", "nccl-multi-rank", "mpi", "mps", "gpu", "sandbox", "emulated-nic", "cores"}},
  };
  return all;
}

const std::vector<Facility>& proposers() {
  static const std::vector<Facility> all = {
      {"rules", "built in, no key, no network", true, {}},
      {"anthropic", "models of Anthropic", true, {"ANTHROPIC_API_KEY"}},
      {"openai", "models of OpenAI and compatible servers", true, {"OPENAI_API_KEY"}},
      {"command:", "a program of yours", true, {}},
      {"mailbox:", "a folder of prompts and replies, for people and other tools", true, {}},
  };
  return all;
}

std::vector<Finding> missing_for(const Facility& facility, const Machine& machine) {
  std::vector<Finding> missing;
  for (const std::string& need : facility.needs)
    if (const Finding& finding = machine.find(need); !finding.present) missing.push_back(finding);
  return missing;
}

std::string instead_of(const Facility& facility, const Machine& machine) {
  for (const char* name : {"mpi", "vcluster"})
    for (const Facility& other : executors())
      if (other.name == name && name != facility.name && missing_for(other, machine).empty())
        return concat("--on ", other.name, " works here: ", other.purpose);
  return {};
}

namespace {

// Only of an executor that lacks something; proposers do not stand for each other.
std::string substitute_for(const Facility& facility, const std::vector<Finding>& missing, const Machine& machine) {
  bool is_executor = std::any_of(executors().begin(), executors().end(),
                                 [&](const Facility& each) { return each.name == facility.name; });
  return is_executor && !missing.empty() ? instead_of(facility, machine) : std::string();
}

std::string readiness_of(const Facility& facility, const std::vector<Finding>& missing) {
  if (!facility.in_this_version) return "not in this version";
  return missing.empty() ? "ready" : "not ready";
}

std::vector<std::string> names_of(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) names.push_back(finding.name);
  return names;
}

// Several needs can have one fix.
std::vector<std::string> fixes_of(const std::vector<Finding>& findings) {
  std::vector<std::string> fixes;
  for (const Finding& finding : findings)
    if (std::find(fixes.begin(), fixes.end(), finding.fix) == fixes.end()) fixes.push_back(finding.fix);
  return fixes;
}

void write_facilities_text(std::ostream& out, const std::vector<Facility>& facilities, const Machine& machine) {
  std::string indent(13, ' ');
  for (const Facility& facility : facilities) {
    std::vector<Finding> missing = missing_for(facility, machine);
    out << "  " << std::left << std::setw(11) << facility.name << facility.purpose << "\n";
    out << indent << readiness_of(facility, missing);
    if (!missing.empty())
      out << "; this machine lacks " << join(names_of(missing), ", ");
    else if (!facility.in_this_version)
      out << "; this machine has what it will need";
    out << "\n";
    for (const std::string& fix : fixes_of(missing)) out << indent << "fix: " << fix << "\n";
    if (std::string other = substitute_for(facility, missing, machine); !other.empty())
      out << indent << "instead: " << other << "\n";
  }
}

void write_facilities_json(JsonWriter& json, const std::vector<Facility>& facilities, const Machine& machine) {
  json.begin_array();
  for (const Facility& facility : facilities) {
    std::vector<Finding> missing = missing_for(facility, machine);
    json.begin_object().field("name", facility.name).field("purpose", facility.purpose);
    json.field("state", readiness_of(facility, missing)).field("in_this_version", facility.in_this_version);
    json.field("missing", names_of(missing)).field("fixes", fixes_of(missing));
    json.field("instead", substitute_for(facility, missing, machine)).end_object();
  }
  json.end_array();
}

}  // namespace

std::string doctor_text(const Machine& machine) {
  std::ostringstream out;
  out << "This machine\n";
  for (const Finding& finding : machine.findings)
    out << "  " << (finding.present ? "yes" : "no ") << "  " << std::left << std::setw(19) << finding.name
        << finding.detail << "\n";
  out << "\nExecutors: what runs candidates\n";
  write_facilities_text(out, executors(), machine);
  out << "\nProposers: what writes candidates\n";
  write_facilities_text(out, proposers(), machine);
  return std::move(out).str();
}

std::string doctor_json(const Machine& machine) {
  JsonWriter json;
  json.begin_object().key("machine").begin_array();
  for (const Finding& finding : machine.findings) {
    json.begin_object().field("name", finding.name).field("present", finding.present);
    json.field("detail", finding.detail).field("fix", finding.fix).end_object();
  }
  json.end_array().key("executors");
  write_facilities_json(json, executors(), machine);
  json.key("proposers");
  write_facilities_json(json, proposers(), machine);
  json.end_object();
  return json.take();
}

Status show_doctor(const DoctorRequest& request, Context& context) {
  Machine machine = examine_machine(context.processes, context.environment);
  context.out << (request.json ? doctor_json(machine) : doctor_text(machine));
  return Done{};
}

void add_doctor(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<DoctorRequest>();
  CLI::App* command = app.add_subcommand("doctor", "Show what this machine has, and what is missing for what");
  command->add_flag("--json", request->json, "Print it as JSON");
  command->footer(R"(Of model keys only the names are looked at: set or not, never the values.

Examples:
  cuco doctor
  cuco doctor --json)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_doctor(*request, context); }; });
}

}  // namespace cuco::cli
