// Kernels that wait for what they read, block by block: which launches can, and the text of both.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/held_launch.h"

namespace cuco::rewrite {

namespace {

constexpr const char* kSuffix = "_waiting";
const KernelNeeds kNeeds{{"waits", "block"}, {"_body", kSuffix}, false};

// The stream of all communication, or why blocks may not wait: what they wait for must not come to need their place.
struct CommonStream {
  Index stream = model::kNone;
  std::string obstacle;
};
CommonStream common_stream(const Work& work) {
  CommonStream common;
  for (const model::Step& step : work.program().steps) {
    const Operation& operation = work.operation(step.operation);
    if (!operation.communicate) continue;
    if (step.stream == model::kNone) return {model::kNone, "the stream of a call is not known"};
    if (common.stream != model::kNone && common.stream != step.stream)
      return {model::kNone, "calls on several streams may wait for each other's room on the GPU"};
    common.stream = step.stream;
  }
  return common;
}

std::string obstacle_of_site(const Work& work, Index site, Index first) {
  if (is_reduction(first_call(work, site).communicate->collective))
    return "a reduction that runs beside the program's work needs room on the GPU, which blocks that wait may have "
           "taken";
  const space::Directive& directive = directive_of(work, site);
  if (directive.sync == space::SyncScope::Barrier) return "a barrier waits for all messages at once";
  if (directive.backend != directive_of(work, first).backend)
    return concat(work.site(first).name, " has another backend, and a block waits by one");
  return "";
}

// Why no block of the program may wait.
std::string obstacle_of_plan(const Work& work) {
  std::optional<Index> first;
  for (Index site : work.sites) {
    if (!is_in_flight(work, site)) continue;
    if (!first) first = site;
    if (std::string obstacle = obstacle_of_site(work, site, *first); !obstacle.empty()) return obstacle;
  }
  if (!first) return "no call runs beside the program's work";
  if (!work.request.accesses) return "which block reads what is known from a traced run of the program";
  CommonStream common = common_stream(work);
  if (!common.obstacle.empty() || work.found.senders.empty()) return common.obstacle;
  // Streams that wait for blocks of a launch do so by events, which would pass before a launch that is held back.
  for (const model::Step& step : work.program().steps)
    if (work.operation(step.operation).launch && step.stream != common.stream)
      return concat(work.operation(step.operation).callee,
                    " runs on another stream than the calls, before which launches are held back");
  return "";
}

// Bytes that come while a kernel runs may be missed by loads that take memory to be constant.
std::string obstacle_in_loads(const Work& work) {
  for (const Source& source : work.request.sources)
    for (const char* word : {"__ldg", "cudaTextureObject_t", "tex1Dfetch"})
      if (mentions(source.text, word))
        return concat("the program reads by ", word, ", which takes memory to be constant");
  for (const Source& source : work.request.sources)
    for (const char* text : {"ld.global.nc", "cp.async.bulk"})
      if (source.text.find(text) != source.text.npos)
        return concat("the program reads by ", text, ", which a wait of the block does not cover");
  return "";
}

// How the sentence goes on after the kernel's name; empty when its blocks can wait.
std::string obstacle_of(const Work& work, const Operation& launch, const ConsumeFacts& facts, Index stream) {
  const model::Kernel& kernel = work.program().kernels[launch.launch->kernel];
  std::string name = plain_name(kernel.name);
  for (const model::Step& step : work.program().steps)
    if (work.operation(step.operation).range == launch.range && step.stream != stream)
      return "does not run on the stream of the calls";
  if (work.found.chain.kernels.contains(name)) return "is cut into slices";
  for (const SendingLaunch& sender : work.found.senders)
    if (plain_name(sender.kernel) == name && !sender_at(work, launch)) return "sends what it writes at another place";
  Result<LaunchParts> parts = launch_parts(work, launch, kNeeds);
  if (!parts) return parts.error().message;
  return are_behind_pointers(kernel, facts.forms) ? "" : "gets its pointers in a structure";
}

std::string scope_of(const ConsumeFacts& facts) {
  if (facts.forms.at(0).at_other_sizes)
    return "in launches like the traced ones; which blocks read which bytes held at further sizes";
  return concat("in launches of exactly the traced shape: ", facts.unsized);
}

// Adds the launch to the consumers, or says why its blocks do not wait.
void consider(Work& work, const Operation& launch, Index stream, Consumers& consumers,
              std::vector<std::string>& reasons) {
  ConsumeFacts facts = consume_facts(*work.request.accesses, place_of(work, launch.range));
  if (!facts.reads_received) return;
  std::string reason = facts.obstacle, name = plain_name(facts.kernel);
  std::string hold = reason.empty() ? obstacle_of(work, launch, facts, stream) : "";
  if (!hold.empty()) reason = concat("it ", hold);
  work.note(name, " at ", model::location_text(work.program(), launch.range),
            reason.empty() ? concat(" waits block by block for what it reads, ", scope_of(facts))
                           : concat(" waits on its stream: ", reason));
  if (reason.empty())
    consumers.emplace(std::pair(launch.range.file, launch.range.begin_byte), std::move(facts));
  else
    reasons.push_back(concat(name, " waits on its stream: ", reason));
}

void consider_launches(Work& work, Consumers& consumers, std::vector<std::string>& reasons) {
  Index stream = common_stream(work).stream;
  std::set<std::string> seen;
  for (const Operation& launch : work.program().operations)
    if (launch.launch && launch.launch->kernel != model::kNone && seen.insert(place_of(work, launch.range)).second)
      consider(work, launch, stream, consumers, reasons);
}

// ".reads(all, cuco::comm::Span().along(1).step(1024).length(1024))".
std::string text_of(const AccessTerms& use, const std::string& pointer, const RelationText& numbers) {
  std::string along = use.dimension() == 0 ? "" : concat(".along(", use.dimension(), ")");
  if (std::string every = numbers.of(use.every); every != "1") along += concat(".every(", every, ")");
  return numbers.touched(use, pointer, along);
}

// The path of the sites in flight, which all have one.
std::string path_of(const Work& work) {
  for (Index site : work.sites)
    if (is_in_flight(work, site)) return concat("cuco::comm::", reach_of(work, site));
  return "";
}

}  // namespace

bool waits_in_blocks(const Work& work) { return work.request.plan.schedule.waits == space::Waits::Blocks; }

const ConsumeFacts* consumer_at(const Work& work, const Operation& launch) {
  auto found = work.found.consumers.find({launch.range.file, launch.range.begin_byte});
  return found == work.found.consumers.end() ? nullptr : &found->second;
}

Consumers find_consumers(Work& work) {
  Consumers consumers;
  if (!waits_in_blocks(work)) return consumers;
  std::vector<std::string> reasons;
  std::string obstacle = obstacle_of_plan(work);
  if (obstacle.empty()) obstacle = obstacle_in_loads(work);
  if (obstacle.empty())
    consider_launches(work, consumers, reasons);
  else
    reasons.push_back(obstacle);
  if (!consumers.empty()) return consumers;
  work.obstacle(first_call(work, work.sites[0]).range, "no kernel can wait block by block for what it reads: ",
                reasons.empty() ? "none of the traced run reads what is received" : join(reasons, "; "));
  return consumers;
}

std::string shapes_of(const ConsumeFacts& facts, const RelationText& numbers,
                      const std::function<std::string(Index)>& argument) {
  return numbers.shapes(facts.forms, ", ",
                        [&](const AccessTerms& use) { return text_of(use, argument(use.parameter), numbers); });
}

KernelParts open_parameters(KernelParts kernel) {
  kernel.parameters = replace_all(replace_all(std::move(kernel.parameters), "__restrict__ ", ""), "__restrict__", "");
  return kernel;
}

MadeKernel waiting_kernel(const Work& work, const LaunchParts& parts) {
  return {"Each block waits for what it reads.", concat(parts.name, kSuffix), "const cuco::comm::BlockWaits waits",
          concat("  const uint3 block = cuco::comm::wait_for_inputs<", path_of(work), ">(waits);\n  ",
                 body_call(parts.kernel, concat(parts.name, "_body"), "block"), ";\n")};
}

void await_in_blocks(Work& work, const Operation& operation, const LaunchText& launch) {
  LaunchParts parts = *launch_parts(work, operation, kNeeds);
  size_t name = parts.called.find('<');
  work.edits.insert(operation.range.file,
                    operation.range.begin_byte + static_cast<uint32_t>(trim(parts.called.substr(0, name)).size()),
                    kSuffix);
  add_argument(work, operation.range.file, launch, "waits");
  write_kernels(work, work.program().kernels[operation.launch->kernel].range.file, parts, open_parameters(parts.kernel),
                false, {waiting_kernel(work, parts)});
}

}  // namespace cuco::rewrite
