// cuco profiles: the hardware descriptions that ship with cuco, or one of them in full.
#include <CLI/CLI.hpp>
#include <iomanip>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "model/profile.h"
#include "model/profile_fields.h"

namespace cuco::cli {

namespace {

using model::HardwareProfile;

struct ProfilesRequest {
  std::string name;  // Or a path to a .toml file; empty lists all of them.
  bool json = false;
};

// Calls visit_section(title, fields) for each table of a profile; fields(visit) then calls visit(key, value).
template <typename VisitSection>
void visit_sections(const HardwareProfile& profile, VisitSection&& visit_section) {
  visit_section("gpu", [&](auto&& visit) { model::visit_gpu(profile.gpu, visit); });
  visit_section("latencies", [&](auto&& visit) { model::visit_latencies(profile.latencies, visit); });
  visit_section("host", [&](auto&& visit) { model::visit_host(profile.host, visit); });
  visit_section("topology", [&](auto&& visit) { model::visit_topology(profile.topology, visit); });
  if (const auto& link = profile.topology.inside)
    visit_section("inside", [&](auto&& visit) { model::visit_link(*link, visit); });
  if (const auto& link = profile.topology.between)
    visit_section("between", [&](auto&& visit) { model::visit_link(*link, visit); });
}

class TextFields {
 public:
  explicit TextFields(std::ostream& out) : out_(out) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    out_ << "  " << std::left << std::setw(20) << key << value << "\n";
  }
  void operator()(const char* key, const std::optional<double>& value) {
    if (value) (*this)(key, *value);
  }

 private:
  std::ostream& out_;
};

class JsonFields {
 public:
  explicit JsonFields(JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    json_.field(key, value);
  }
  void operator()(const char* key, const std::optional<double>& value) {
    if (value) json_.field(key, *value);
  }

 private:
  JsonWriter& json_;
};

std::string title_of(const model::CollectiveCurve& curve) {
  return concat(model::callee_of(curve.collective), curve.windows ? ", windows" : "");
}

void write_text(std::ostream& out, const HardwareProfile& profile) {
  out << profile.name << ": " << profile.description << "\n" << std::boolalpha;
  visit_sections(profile, [&](const char* title, auto fields) {
    out << "\n" << title << "\n";
    fields(TextFields(out));
  });
  if (!profile.collectives.empty()) out << "\ncollectives, bytes: us\n";
  for (const model::CollectiveCurve& curve : profile.collectives) {
    out << "  " << title_of(curve) << "\n    " << std::setprecision(8);
    for (size_t i = 0; i < curve.bytes.size(); i++) out << (i > 0 ? ", " : "") << curve.bytes[i] << ": " << curve.us[i];
    out << std::setprecision(6) << "\n";
  }
}

void write_curves(JsonWriter& json, const std::vector<model::CollectiveCurve>& curves) {
  json.key("collectives").begin_array();
  for (const model::CollectiveCurve& curve : curves) {
    json.begin_object()
        .field("name", model::callee_of(curve.collective))
        .field("windows", curve.windows)
        .key("points")
        .begin_array();
    for (size_t i = 0; i < curve.bytes.size(); i++)
      json.begin_object().field("bytes", curve.bytes[i]).field("us", curve.us[i]).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_json(JsonWriter& json, const HardwareProfile& profile) {
  json.begin_object().field("name", profile.name).field("description", profile.description);
  visit_sections(profile, [&](const char* title, auto fields) {
    json.key(title).begin_object();
    fields(JsonFields(json));
    json.end_object();
  });
  if (!profile.collectives.empty()) write_curves(json, profile.collectives);
  json.end_object();
}

Result<std::vector<HardwareProfile>> load_all(const std::filesystem::path& folder) {
  Result<std::vector<std::string>> names = model::list_profiles(folder);
  if (!names) return names.error();
  std::vector<HardwareProfile> all;
  for (const std::string& name : *names) {
    Result<HardwareProfile> profile = model::load_profile(folder, name);
    if (!profile) return profile.error();
    all.push_back(*std::move(profile));
  }
  return all;
}

Status show_one(const std::filesystem::path& folder, const ProfilesRequest& request, std::ostream& out) {
  Result<HardwareProfile> profile = model::load_profile(folder, request.name);
  if (!profile) return profile.error();
  if (!request.json) {
    write_text(out, *profile);
    return Done{};
  }
  JsonWriter json;
  write_json(json, *profile);
  out << json.take();
  return Done{};
}

Status list_all(const std::filesystem::path& folder, const ProfilesRequest& request, std::ostream& out) {
  Result<std::vector<HardwareProfile>> all = load_all(folder);
  if (!all) return all.error();
  JsonWriter json;
  json.begin_array();
  for (const HardwareProfile& profile : *all) {
    if (request.json)
      write_json(json, profile);
    else
      out << std::left << std::setw(18) << profile.name << profile.description << "\n";
  }
  json.end_array();
  if (request.json) out << json.take();
  return Done{};
}

Status show_profiles(const ProfilesRequest& request, Context& context) {
  if (!context.share) return context.share.error();
  std::filesystem::path folder = *context.share / "profiles";
  return request.name.empty() ? list_all(folder, request, context.out) : show_one(folder, request, context.out);
}

}  // namespace

void add_profiles(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<ProfilesRequest>();
  CLI::App* command = app.add_subcommand("profiles", "List the hardware profiles, or show one");
  command->add_option("NAME", request->name, "A profile by name, or a .toml file of your own by path")
      ->type_name("PROFILE");
  command->add_flag("--json", request->json, "Print it as JSON");
  command->footer(R"(Examples:
  cuco profiles
  cuco profiles h200-mps4
  cuco profiles ./my-cluster.toml --json)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_profiles(*request, context); }; });
}

}  // namespace cuco::cli
