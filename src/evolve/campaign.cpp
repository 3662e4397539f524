#include "evolve/campaign.h"

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"

namespace cuco::evolve {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kCampaign = "campaign.json";
constexpr const char* kProgram = "program";

Json configuration_json(const evaluate::Configuration& configuration) {
  Json parameters = Json::array();
  for (const auto& [name, value] : configuration.parameters) parameters.push_back({name, value});
  Json json = {{"name", configuration.name},
               {"profile", configuration.profile},
               {"ranks", configuration.rank_count},
               {"nodes", configuration.node_count},
               {"parameters", parameters}};
  if (!configuration.arguments.empty()) json["arguments"] = configuration.arguments;
  if (configuration.network) json["network"] = {configuration.network->gb_per_s, configuration.network->latency_us};
  return json;
}

evaluate::Configuration configuration_from(const Json& json) {
  evaluate::Configuration configuration;
  configuration.name = json.at("name");
  configuration.profile = json.at("profile");
  configuration.rank_count = json.at("ranks");
  configuration.node_count = json.at("nodes");
  for (const Json& each : json.at("parameters")) configuration.parameters.emplace_back(each.at(0), each.at(1));
  configuration.arguments = json.value("arguments", std::vector<std::string>());
  if (json.contains("network")) configuration.network = {json["network"].at(0), json["network"].at(1)};
  return configuration;
}

Json proof_json(const evaluate::ProofSize& size) {
  Json constants = Json::array();
  for (const evaluate::ConstantChange& each : size.constants)
    constants.push_back({each.file, each.declaration, each.before, each.after});
  return {{"configuration", configuration_json(size.configuration)}, {"constants", constants}, {"shrunk", size.shrunk}};
}

evaluate::ProofSize proof_from(const Json& json) {
  evaluate::ProofSize size;
  size.configuration = configuration_from(json.at("configuration"));
  for (const Json& each : json.at("constants"))
    size.constants.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  size.shrunk = json.at("shrunk");
  return size;
}

// By digest: JSON has no form for a text that is not UTF-8.
Json files_json(const std::vector<SourceFile>& files) {
  Json json = Json::array();
  for (const SourceFile& file : files) json.push_back({{"name", file.name}, {"sha256", sha256(file.text)}});
  return json;
}

Result<std::vector<SourceFile>> read_program(const Json& files, const fs::path& folder) {
  std::vector<SourceFile> program;
  for (const Json& each : files) {
    SourceFile file{each.at("name"), ""};
    Result<std::string> text = read_file(folder / file.name);
    if (!text) return text.error();
    if (sha256(*text) != each.at("sha256").get<std::string>())
      return Error{concat((folder / file.name).string(), ": was changed after the run began; put it back as it was")};
    file.text = std::move(*text);
    program.push_back(std::move(file));
  }
  return program;
}

// What a verdict of the virtual cluster depends on.
Json evaluation_json(const CampaignSetting& setting) {
  Json json = {{"configuration", configuration_json(setting.configuration)},
               {"definitions", setting.flags.definitions},
               {"standard", setting.flags.standard},
               {"plain", setting.plain},
               {"time_limit_s", setting.time_limit_s},
               {"with_nvcc", setting.with_nvcc}};
  for (const evaluate::ProofSize& size : setting.proofs) json["proofs"].push_back(proof_json(size));
  // Runs that were written before there was a choice go on as they were.
  if (setting.memory_gib != kMemoryGib) json["memory_gib"] = setting.memory_gib;
  if (setting.allow_lossy) json["allow_lossy"] = true;
  if (setting.staged) json["staged"] = true;
  model::BuildFlags further = model::without_folders(setting.flags), usual;
  usual.definitions = further.definitions, usual.standard = further.standard;
  if (further != usual) json["flags"] = model::to_text(further);
  return json;
}

// What a measured time depends on.
Json gpu_json(const CampaignSetting& setting) {
  const GpuCampaign& gpu = *setting.gpu;
  return {{"executor", gpu.executor},
          {"device", gpu.device},
          {"software", gpu.software},
          {"iterations", gpu.iterations},
          {"collective_ctas", gpu.collective_ctas}};
}

// What the result of the whole run depends on.
Json deciding_json(const CampaignSetting& setting) {
  Json json = {{"evaluation", evaluation_json(setting)},
               {"baseline", files_json(setting.baseline)},
               {"proposers", setting.proposers},
               {"models", setting.models},
               {"budget_usd", nullptr},
               {"search", Json::parse(to_json(setting.search))}};
  if (setting.budget_usd) json["budget_usd"] = *setting.budget_usd;
  if (setting.budget_minutes) json["budget_minutes"] = *setting.budget_minutes;
  if (setting.gpu) json["gpu"] = gpu_json(setting);
  return json;
}

void read_evaluation(const Json& json, CampaignSetting& setting) {
  setting.configuration = configuration_from(json.at("configuration"));
  setting.flags.definitions = json.at("definitions").get<std::vector<std::string>>();
  setting.flags.standard = json.at("standard");
  setting.plain = json.at("plain");
  setting.time_limit_s = json.at("time_limit_s");
  setting.memory_gib = json.value("memory_gib", kMemoryGib);
  setting.allow_lossy = json.value("allow_lossy", false);
  setting.staged = json.value("staged", false);
  setting.with_nvcc = json.at("with_nvcc");
  for (const Json& each : json.value("proofs", Json::array())) setting.proofs.push_back(proof_from(each));
}

void read_gpu(const Json& json, CampaignSetting& setting) {
  GpuCampaign gpu;
  gpu.executor = json.at("executor");
  gpu.device = json.at("device");
  gpu.software = json.at("software");
  gpu.iterations = json.at("iterations");
  gpu.collective_ctas = json.at("collective_ctas");
  setting.gpu = std::move(gpu);
}

void read_deciding(const Json& json, CampaignSetting& setting) {
  read_evaluation(json.at("evaluation"), setting);
  setting.proposers = json.at("proposers").get<std::vector<std::string>>();
  setting.models = json.at("models").get<std::vector<std::string>>();
  if (json.at("budget_usd").is_number()) setting.budget_usd = json.at("budget_usd").get<double>();
  if (json.contains("budget_minutes")) setting.budget_minutes = json["budget_minutes"].get<double>();
  if (json.contains("gpu")) read_gpu(json["gpu"], setting);
}

// Runs that were written before there were others have include folders alone, the program's own first.
Status read_flags(const Json& json, CampaignSetting& setting) {
  if (json.contains("flags")) {
    Result<model::BuildFlags> flags = model::parse_build_flags(json["flags"].get<std::string>());
    if (!flags) return flags.error();
    setting.flags = *std::move(flags);
    setting.place.folder = json.at("folder").get<std::string>();
    setting.place.start_folder = json.at("start_folder").get<std::string>();
    return Done{};
  }
  setting.flags.include_folders = json.at("include_folders").get<std::vector<std::string>>();
  if (setting.flags.include_folders.empty()) return Done{};
  setting.place.folder = setting.flags.include_folders.front();
  setting.flags.include_folders.erase(setting.flags.include_folders.begin());
  return Done{};
}

Status read_place(const Json& json, CampaignSetting& setting) {
  setting.place.target = json.at("target");
  setting.place.selection = json.at("selection");
  setting.place.arguments = json.at("arguments");
  if (Status read = read_flags(json, setting); !read) return read;
  setting.sandbox = json.at("sandbox");
  if (!setting.gpu) return Done{};
  setting.gpu->hosts = json.value("hosts", "");
  setting.gpu->launcher = json.value("launcher", "");
  setting.gpu->device_index = json.value("device", 0u);
  return Done{};
}

Json place_json(const CampaignSetting& setting) {
  Json json = {{"target", setting.place.target},
               {"selection", setting.place.selection},
               {"arguments", setting.place.arguments},
               {"flags", model::to_text(setting.flags)},
               {"folder", setting.place.folder.string()},
               {"start_folder", setting.place.start_folder.string()},
               {"sandbox", setting.sandbox}};
  if (setting.gpu)
    json.update(
        {{"hosts", setting.gpu->hosts}, {"launcher", setting.gpu->launcher}, {"device", setting.gpu->device_index}});
  return json;
}

Result<CampaignSetting> read_campaign(const Json& json, const fs::path& run_folder) {
  CampaignSetting setting;
  setting.name = json.at("name");
  setting.command = json.at("command");
  setting.input_key = json.value("input_key", "");
  read_deciding(json.at("options"), setting);
  if (Status read = read_place(json.at("place"), setting); !read) return read.error();
  Result<SearchOptions> search = search_options_from_json(json.at("options").at("search").dump());
  if (!search) return search.error();
  setting.search = *search;
  Result<std::vector<SourceFile>> program = read_program(json.at("options").at("baseline"), run_folder / kProgram);
  if (!program) return program.error();
  setting.baseline = std::move(*program);
  return setting;
}

Status write_program(const std::vector<SourceFile>& files, const fs::path& folder) {
  for (const SourceFile& file : files) {
    fs::path path = folder / file.name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) return Error{concat(path.parent_path().string(), ": cannot be made: ", failure.message())};
    if (Status written = write_file(path, file.text); !written) return written;
  }
  return Done{};
}

}  // namespace

store::Campaign campaign_of(const CampaignSetting& setting) {
  return {setting.name, setting.configuration.name, setting.command, deciding_json(setting).dump(2)};
}

Status save_campaign(const CampaignSetting& setting, const fs::path& run_folder) {
  if (Status written = write_program(setting.baseline, run_folder / kProgram); !written) return written;
  Json json = {{"format", kFormat},
               {"name", setting.name},
               {"command", setting.command},
               {"input_key", setting.input_key},
               {"options", deciding_json(setting)},
               {"place", place_json(setting)}};
  return write_file(run_folder / kCampaign, json.dump(2) + "\n");
}

Result<CampaignSetting> load_campaign(const fs::path& run_folder) {
  std::string file = (run_folder / kCampaign).string();
  Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("format")) return Error{concat(file, ": is not a campaign of cuco")};
  if (json["format"] != kFormat)
    return Error{concat(file, ": has format ", json["format"].dump(), "; this version of cuco reads format ", kFormat)};
  try {
    return read_campaign(json, run_folder);
  } catch (const Json::exception& damage) {
    return Error{concat(file, ": is damaged: ", damage.what())};
  }
}

evaluate::EvaluationRequest request_of(const CampaignSetting& setting) {
  evaluate::EvaluationRequest request;
  request.configuration = setting.configuration;
  request.proofs = setting.proofs;
  request.baseline = setting.baseline;
  request.flags = setting.flags;
  request.folder = setting.place.folder;
  request.start_folder = setting.place.start_folder;
  request.plain = setting.plain;
  request.limits.processor_s = setting.time_limit_s;
  request.limits.memory_bytes = setting.memory_gib << 30;
  request.with_nvcc = setting.with_nvcc;
  request.sandbox = setting.sandbox;
  request.input_key = setting.input_key;
  request.allow_lossy = setting.allow_lossy;
  return request;
}

std::string verdict_setting(const CampaignSetting& setting) {
  return concat(evaluation_json(setting).dump(), setting.input_key);
}

std::string gpu_verdict_setting(const CampaignSetting& setting) {
  return concat(verdict_setting(setting), gpu_json(setting).dump());
}

}  // namespace cuco::evolve
