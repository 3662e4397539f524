// What an exchange in flight touches is not safe until it has been awaited. Which exchange that is, the section finds
// out when the program runs, by address; this pass tells it what the program's own work touches. Work whose addresses
// the text does not give waits for everything.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "model/blockers.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

// A pointer that a kernel gets.
struct Pointer {
  size_t argument = 0;
  std::string field;  // ".out" where it lies in an argument passed by value.
  model::Access access = model::Access::None;
  bool slice = false;  // The kernel stays in the message that it points into.
};

// One place in the text that queues work or looks at a stream, with what all its call paths do there.
struct Place {
  const Operation* operation = nullptr;
  const SourceRange* call = nullptr;        // That leads to it, where its own text is in no file that can be changed.
  std::map<std::string, Pointer> pointers;  // By name in the kernel.
  bool opaque = false;                      // Touches memory in flight, and no text says where.
  bool publishes = false;                   // The host or an event looks at a stream.
  bool beside = false;                      // Leaves its place in its stream.
  bool chained = false;                     // Touches memory that only slices of the chain tell of.
  bool held = false;                        // Held back until a call, in a text of its own.
  const ConsumeFacts* consumed = nullptr;   // Its blocks wait for what they read.
};

struct Scope {
  std::set<Index> buffers;          // That exchanges in flight touch.
  std::set<Index> chained;          // That launches of the chain touch besides.
  std::set<Index> replaced;         // Operations that are calls of the section.
  Index first_step = model::kNone;  // From here on an exchange may be in flight.
  bool by_message = true;           // Messages in flight are awaited one by one, each as a whole.
};

// The harness calls its region again and again, so what stands before a site there comes after it too.
Index begin_of_region(const Work& work, Index step) {
  for (Index at = step; at-- > 0;) {
    OperationKind kind = model::operation_at(work.program(), at).kind;
    if (kind == OperationKind::RegionBegin) return at;
    if (kind == OperationKind::RegionEnd) break;
  }
  return step;
}

Scope scope_of(const Work& work) {
  Scope scope;
  for (Index site : work.sites) {
    const model::Site& shown = work.site(site);
    // A staged call is work like any other: it looks at its buffers where it stands.
    if (!is_staged(work, site)) scope.replaced.insert(shown.operations.begin(), shown.operations.end());
    if (!is_in_flight(work, site)) continue;
    for (Index buffer : model::site_buffers(work.program(), shown)) scope.buffers.insert(buffer);
    bool in_parts = is_chunked(work, site) || is_fused(work, site);
    scope.by_message &= is_by_message(work, site) && !in_parts;
  }
  scope.first_step = first_step_in_flight(work);
  scope.chained = chained_buffers(work, scope.first_step);
  return scope;
}

bool may_be_in_flight(const Work& work, const Scope& scope, const model::Region& region) {
  if (scope.buffers.contains(region.buffer)) return true;
  return region.buffer < work.program().buffers.size() &&
         work.program().buffers[region.buffer].kind == model::BufferKind::External;
}

// A kernel that gets the beginning of a buffer everywhere reaches all of it; one that gets different places, a part.
bool takes_slices(const Work& work, const Operation& launch, const model::Region& region) {
  for (const model::Step& step : work.program().steps) {
    const Operation& other = work.operation(step.operation);
    if (!other.launch || other.launch->kernel != launch.launch->kernel) continue;
    for (const model::Region& one : step.regions)
      if (one.buffer == region.buffer && one.through == region.through && one.offset_bytes != model::Symbolic())
        return true;
  }
  return false;
}

// The argument that a kernel's pointer comes by, and the field of it; nothing for a variable of the device.
std::optional<Pointer> pointer_named(const Work& work, const Operation& launch, const std::string& name) {
  if (launch.launch->kernel == model::kNone) return std::nullopt;
  for (const model::KernelPointer& pointer : work.program().kernels[launch.launch->kernel].pointers) {
    if (pointer.name != name || pointer.parameter == model::kNone) continue;
    size_t field = std::min(name.find_first_of(".["), name.size());
    return Pointer{pointer.parameter, name.substr(field)};
  }
  return std::nullopt;
}

void add_region(const Work& work, const Scope& scope, const model::Region& region, Place& place) {
  std::optional<Pointer> found = pointer_named(work, *place.operation, region.through);
  if (!found) {
    place.opaque = true;
    return;
  }
  Pointer& pointer = place.pointers.emplace(region.through, *found).first->second;
  pointer.access = pointer.access | region.access;
  pointer.slice |= scope.by_message && takes_slices(work, *place.operation, region);
}

void add_step(const Work& work, const Scope& scope, const model::Step& step, Place& place) {
  const Operation& operation = work.operation(step.operation);
  bool is_launch = operation.kind == OperationKind::Launch;
  if (is_launch && operation.launch->kernel == model::kNone) place.opaque = true;
  for (const model::Region& region : step.regions) {
    place.chained |= scope.chained.contains(region.buffer);
    if (!may_be_in_flight(work, scope, region)) continue;
    if (is_launch)
      add_region(work, scope, region, place);
    else
      place.opaque = true;
  }
}

bool publishes_progress(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::HostSync:
    case OperationKind::EventRecord:
    case OperationKind::StreamDestroy:
    case OperationKind::HostCallback:
      return true;
    case OperationKind::Launch:
    case OperationKind::Library:
    case OperationKind::Copy:
    case OperationKind::Set:
      return operation.blocks_host;
    default:
      return false;
  }
}

bool is_relevant(const Operation& operation) {
  return publishes_progress(operation) || model::is_device_work(operation.kind) || operation.kind == OperationKind::Mpi;
}

bool can_be_changed(const Work& work, const SourceRange& range) {
  const std::string& path = work.request.sources[range.file].path;
  return path.ends_with(".cu") || is_host_file(path);
}

// The innermost call of the path to an operation in a header that stands in a file of the program.
const SourceRange* call_to(const Work& work, const Operation& operation) {
  for (size_t i = operation.call_path.size(); i-- > 0;)
    if (can_be_changed(work, operation.call_path[i])) return &operation.call_path[i];
  return nullptr;
}

// By file and byte.
std::map<std::pair<Index, uint32_t>, Place> find_places(const Work& work, const Scope& scope) {
  std::map<std::pair<Index, uint32_t>, Place> places;
  for (Index step = scope.first_step + 1; step < work.program().steps.size(); ++step) {
    Index index = work.program().steps[step].operation;
    const Operation& operation = work.operation(index);
    if (scope.replaced.contains(index) || !is_relevant(operation)) continue;
    const SourceRange* call = can_be_changed(work, operation.range) ? nullptr : call_to(work, operation);
    const SourceRange& range = call ? *call : operation.range;
    Place& place = places[{range.file, range.begin_byte}];
    if (!place.operation) place.operation = &operation;
    if (call) place.call = call;
    place.publishes |= publishes_progress(operation);
    add_step(work, scope, work.program().steps[step], place);
  }
  return places;
}

// A launch with what stands around it: texts that it uses again, under names where they may not be evaluated twice.
struct Told {
  std::map<std::string, std::string> names;  // What they stand for.
  std::string stream;                        // Of the launch, or that the program named for one beside its other work.
  std::string uses;                          // "{reads(p), writes(q)}"
  std::string grid, shape;                   // What before_blocks gets besides.
  bool keeps_text = false;  // The launch is written anew from its own texts, which may be evaluated twice.
};
constexpr const char* kStream = "stream_of_work";

bool is_plain_name(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == text.npos;
}

// The text of an item, or a name for its value that takes its place.
std::string once(Work& work, Index file, const Item& item, const std::string& name, Told& told) {
  if (told.keeps_text || is_plain_name(item.text)) return item.text;
  if (told.names.emplace(name, item.text).second) work.edits.replace(file, item.begin, item.end, name);
  return name;
}

// What the section has to know of a launch whose blocks wait.
void tell_shape(Work& work, const Place& place, const LaunchText& launch, Told& told) {
  Index file = place.operation->range.file;
  told.grid = once(work, file, launch.configuration[0], "grid_of_work", told);
  std::string block = once(work, file, launch.configuration[1], "block_of_work", told);
  RelationText numbers(work.program().kernels[place.operation->launch->kernel], launch);
  std::string shapes = shapes_of(*place.consumed, numbers, [&](Index argument) {
    return once(work, file, launch.arguments[argument], concat("argument_", argument), told);
  });
  told.shape = concat(told.grid, ", ", block, ", ", shapes);
}

std::optional<Told> tell(Work& work, const Place& place, const LaunchText& launch) {
  Index file = place.operation->range.file;
  Told told;
  told.keeps_text = place.held;
  std::vector<std::string> uses;
  for (const auto& [name, pointer] : place.pointers) {
    if (pointer.argument >= launch.arguments.size()) return std::nullopt;
    const Item& item = launch.arguments[pointer.argument];
    std::string text = once(work, file, item, concat("argument_", pointer.argument), told);
    bool writes = model::writes(pointer.access);
    uses.push_back(
        concat("cuco::comm::", writes ? "writes" : "reads", pointer.slice ? "_at(" : "(", text, pointer.field, ")"));
  }
  told.uses = concat("{", join(uses, ", "), "}");
  bool named = launch.configuration.size() == 4;
  // Where the configuration is written anew, the text of its stream moves.
  if (place.beside)
    told.stream = named ? launch.configuration[3].text : "nullptr";
  else
    told.stream = named ? once(work, file, launch.configuration[3], kStream, told) : "nullptr";
  if (place.consumed) tell_shape(work, place, launch, told);
  return told;
}

void launch_on_stream(Work& work, Index file, const std::vector<Item>& configuration) {
  const Item& last = configuration.back();
  if (configuration.size() == 4) return work.edits.replace(file, last.begin, last.end, kStream);
  work.edits.insert(file, last.end, concat(configuration.size() == 2 ? ", 0, " : ", ", kStream));
}

// In braces of its own where a branch or loop has this statement alone, and where it brings names.
void insert_around(Work& work, const SourceRange& statement, const std::vector<std::string>& before,
                   const std::string& after, bool brings_names = false) {
  const std::string& text = work.text_of(statement);
  bool braces = brings_names || !stands_in_block(text, statement.begin_byte);
  std::string outer = concat("\n", indentation(text, statement.begin_byte)), line = braces ? outer + "  " : outer;
  work.edits.insert(statement.file, statement.begin_byte, concat(braces ? "{" + line : "", join(before, line), line));
  std::string end = concat(after.empty() ? "" : line + after, braces ? outer + "}" : "");
  if (!end.empty()) work.edits.insert(statement.file, statement.end_byte, end);
}

constexpr const char* kAwaitAll = "cuco::comm::wait_all();";
constexpr const char* kPassSlices = "cuco::comm::wait_slices();";
constexpr const char* kAwaitAndPass = "cuco::comm::wait_all(), cuco::comm::untracked();";

// Times are taken between events: what was called after one must not start before it.
void order_event(Work& work, const Operation& operation) {
  auto call = read_call(work.text_of(operation.range), operation.range.begin_byte, operation.callee);
  bool readable = operation.range.editable && call && operation.callee == "cudaEventRecord";
  std::string stream = readable && call->arguments.size() > 1 ? call->arguments[1] : "nullptr";
  if (!readable || !is_plain_name(stream)) return insert_around(work, operation.statement, {kAwaitAndPass}, "");
  insert_around(work, operation.statement, {kAwaitAll}, concat("cuco::comm::fence(", stream, ");"));
}

// As part of the expression that the call is, since a call may stand anywhere; but not where it declares a variable.
void order_call(Work& work, const SourceRange& call) {
  const std::string& text = work.text_of(call);
  size_t before = text.find_last_not_of(" \t\n", call.begin_byte == 0 ? 0 : call.begin_byte - 1);
  bool declares = before == text.npos || std::isalnum(static_cast<unsigned char>(text[before])) || text[before] == '_';
  if (!call.editable || declares)
    return work.obstacle(call, "no rule waits for communication before this call, which leads to work in a header");
  work.edits.insert(call.file, call.begin_byte, "(cuco::comm::wait_all(), cuco::comm::untracked(), ");
  work.edits.insert(call.file, call.end_byte, ")");
}

void order_launch(Work& work, const Place& place, const LaunchText& launch, const Told& told) {
  const SourceRange& statement = place.operation->statement;
  auto call = [](const char* function, const std::string& stream, const std::string& uses) {
    return concat("cuco::comm::", function, "(", stream, ", ", uses, ");");
  };
  std::vector<std::string> lines;
  for (const auto& [name, value] : told.names) lines.push_back(concat("auto&& ", name, " = ", value, ";"));
  if (place.beside) {
    launch_on_stream(work, place.operation->range.file, launch.configuration);
    lines.push_back(concat("const cudaStream_t ", kStream, " = ", call("side_stream", told.stream, told.uses)));
    return insert_around(work, statement, lines, call("after", kStream, told.uses), true);
  }
  if (place.chained) lines.push_back(kPassSlices);
  if (place.consumed) {
    if (!place.held) await_in_blocks(work, *place.operation, launch);
    lines.push_back(concat("const cuco::comm::BlockWaits waits = ",
                           call("before_blocks", told.stream, concat(told.uses, ", ", told.shape))));
    return insert_around(work, statement, lines,
                         call("after_blocks", told.stream, concat(told.uses, ", ", told.grid, ", waits")), true);
  }
  lines.push_back(call("before", told.stream, told.uses));
  // All communication is on the stream of what is held back, and so behind it.
  insert_around(work, statement, lines, place.held ? "" : call("after", told.stream, told.uses), !told.names.empty());
}

void order_place(Work& work, const Place& place) {
  const Operation& operation = *place.operation;
  if (place.chained && !place.opaque && place.pointers.empty() && !place.call && !place.publishes)
    return insert_around(work, operation.statement, {kPassSlices}, "");
  if (!place.publishes && !place.opaque && place.pointers.empty() && !place.chained) return;
  if (place.call) return order_call(work, *place.call);
  const std::string& text = work.text_of(operation.statement);
  if (is_loop(text, operation.statement.begin_byte))
    return work.obstacle(operation.range, "no rule waits for communication before a call in the head of a loop");
  if (operation.kind == OperationKind::EventRecord) return order_event(work, operation);
  if (place.publishes && !place.opaque && place.pointers.empty())
    return insert_around(work, operation.statement, {kAwaitAll}, "");
  std::optional<LaunchText> launch;
  if (operation.range.editable && !place.opaque) launch = read_launch(text, operation.range.begin_byte);
  std::optional<Told> told;
  if (launch) told = tell(work, place, *launch);
  if (!told) return insert_around(work, operation.statement, {kAwaitAndPass}, "");
  order_launch(work, place, *launch, *told);
}

}  // namespace

Index first_step_in_flight(const Work& work) {
  Index first = model::kNone;
  for (Index site : work.sites) {
    if (!is_in_flight(work, site)) continue;
    const std::vector<Index>& operations = work.site(site).operations;
    for (Index step = 0; step < work.program().steps.size(); ++step)
      if (std::ranges::find(operations, work.program().steps[step].operation) != operations.end())
        first = std::min(first, step);
  }
  return first == model::kNone ? first : begin_of_region(work, first);
}

void order_uses(Work& work) {
  Scope scope = scope_of(work);
  if (scope.first_step == model::kNone) return;
  std::set<std::string> sliced;
  auto places = find_places(work, scope);
  for (auto& [where, place] : places) {
    if (is_in_chain(work, *place.operation)) continue;
    bool is_told = !place.opaque && !place.chained && !place.publishes && !place.pointers.empty() && !place.call &&
                   place.operation->launch && place.operation->range.editable;
    if (is_told) place.consumed = consumer_at(work, *place.operation);
    place.held = sender_at(work, *place.operation) != nullptr;
    place.beside = is_told && !place.consumed && !place.held &&
                   can_run_beside(work, *place.operation, scope.buffers, scope.first_step);
    order_place(work, place);
    for (const auto& [name, pointer] : place.pointers)
      if (pointer.slice) sliced.insert(concat("`", name, "` of ", place.operation->callee));
  }
  if (!sliced.empty())
    work.note("taken to stay in the message that it points into: ",
              join(std::vector<std::string>(sliced.begin(), sliced.end()), ", "));
}

}  // namespace cuco::rewrite
