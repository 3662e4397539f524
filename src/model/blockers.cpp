#include "model/blockers.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

// What rules look at: a site, and one of its operations in whose place it stands.
struct Subject {
  const Program& program;
  const Site& site;
  const Operation& call;

  const CommunicateDetail& detail() const { return *call.communicate; }
};

// A rule's sentence, empty when it does not object.
using SiteRule = std::string (*)(const Subject&);
using BufferRule = std::string (*)(const Subject&, Index buffer);

std::string outside_region(const Subject& subject) {
  if (subject.site.in_region) return {};
  return "it stands outside the timed region, where nothing would be gained";
}

std::string inside_macro(const Subject& subject) {
  if (subject.call.text.editable) return {};
  return concat("the call to ", subject.call.callee, " is put together by macros and has no text of its own");
}

std::string own_reduction(const Subject& subject) {
  if (!subject.detail().makes_reduction) return {};
  return concat("its reduction ", in_backticks(subject.detail().reduction),
                " is not one of NCCL's own, and what it computes is known to NCCL alone");
}

bool makes_communicators(const Program& program) {
  return std::any_of(program.operations.begin(), program.operations.end(),
                     [](const Operation& operation) { return operation.kind == OperationKind::CommInit; });
}

// Empty when it is known where it is made.
std::string lost_communicator(const Subject& subject) {
  Index index = subject.detail().communicator;
  if (index >= subject.program.communicators.size()) return "its communicator could not be traced to where it is made";
  const Communicator& communicator = subject.program.communicators[index];
  if (communicator.origin != CommunicatorOrigin::External) return {};
  return concat("its communicator ", in_backticks(communicator.name), " comes from code that cannot be seen");
}

// Communicators are set up where they are made; which of them a call has shows when it runs.
std::string unseen_communicator(const Subject& subject) {
  return makes_communicators(subject.program) ? std::string() : lost_communicator(subject);
}

// A capture that an option asks for is no obstacle to runs without it: there the library's calls say so.
std::string captured(const Subject& subject) {
  bool capturing = false;
  for (Index step = 0; step < subject.program.steps.size(); ++step) {
    const Operation& operation = operation_at(subject.program, step);
    if (operation.kind == OperationKind::GraphCapture) {
      if (operation.callee.find("BeginCapture") != std::string::npos)
        capturing = runs_whenever(operation, subject.call);
      if (operation.callee.find("EndCapture") != std::string::npos) capturing = false;
    }
    if (capturing && &operation == &subject.call) return "it is captured into a CUDA graph, whose nodes are fixed";
  }
  return {};
}

// A put needs the address at the receiver, so both ends must be in sight.
std::string no_counterpart(const Subject& subject) {
  const CommunicateDetail& detail = subject.detail();
  bool sends = detail.collective == Collective::Send;
  if (!sends && detail.collective != Collective::Recv) return {};
  Collective wanted = sends ? Collective::Recv : Collective::Send;
  for (const Operation& other : subject.program.operations)
    if (other.communicate && other.communicate->collective == wanted &&
        other.communicate->communicator == detail.communicator)
      return {};
  return concat("no ", sends ? "ncclRecv" : "ncclSend", " on its communicator is in sight, so where its data ",
                sends ? "lands" : "comes from", " is not known");
}

std::string wrong_memory(const Subject& subject, Index buffer) {
  const Buffer& memory = subject.program.buffers[buffer];
  std::string name = in_backticks(memory.name);
  switch (memory.kind) {
    case BufferKind::Device:
    case BufferKind::DeviceAsync:
    case BufferKind::NcclMemory:
      return {};
    case BufferKind::External:
      return concat(name, " comes from code that cannot be seen, so it cannot be allocated as a window");
    case BufferKind::Managed:
      return concat(name, " is managed memory, which cannot be a window");
    case BufferKind::Symbol:
      return concat(name, " is a __device__ variable, which cannot be a window");
    case BufferKind::PinnedHost:
    case BufferKind::Host:
      return concat(name, " is host memory, which cannot be a window");
  }
  return {};
}

// One call may allocate several buffers, in a loop over an array of pointers; the place tells then.
bool allocates(const Program& program, const Operation& operation, Index buffer) {
  if (operation.kind != OperationKind::Allocate) return false;
  return operation.buffer == buffer || operation.range == program.buffers[buffer].allocation;
}

const Operation* allocation_of(const Program& program, Index buffer) {
  for (const Operation& operation : program.operations)
    if (allocates(program, operation, buffer)) return &operation;
  return nullptr;
}

bool can_be_window(BufferKind kind) { return kind == BufferKind::Device || kind == BufferKind::DeviceAsync; }

std::string allocation_in_macro(const Subject& subject, Index buffer) {
  const Buffer& memory = subject.program.buffers[buffer];
  const Operation* allocation = allocation_of(subject.program, buffer);
  bool editable = allocation ? allocation->text.editable : memory.allocation.editable;
  if (editable || !can_be_window(memory.kind)) return {};
  return concat(in_backticks(memory.name), " is allocated in the body of a macro, where ncclMemAlloc cannot be put in");
}

std::string allocated_in_region(const Subject& subject, Index buffer) {
  const Program& program = subject.program;
  for (Index step = 0; step < program.steps.size(); ++step) {
    const Operation& operation = operation_at(program, step);
    if (allocates(program, operation, buffer) && in_timed_region(program, step))
      return concat(in_backticks(program.buffers[buffer].name), " is allocated inside the timed region by ",
                    operation.callee, ", and registering a window there would be timed too");
  }
  return {};
}

std::string allocated_every_iteration(const Subject& subject, Index buffer) {
  const Program& program = subject.program;
  const Operation* allocation = allocation_of(program, buffer);
  if (!allocation || !allocated_in_region(subject, buffer).empty()) return {};
  std::vector<Index> around_call = enclosing_loops(program, subject.call);
  for (Index loop : enclosing_loops(program, *allocation))
    if (std::find(around_call.begin(), around_call.end(), loop) != around_call.end())
      return concat(in_backticks(program.buffers[buffer].name), " is allocated anew in every iteration of the loop at ",
                    location_text(program, program.loops[loop].range));
  return {};
}

bool may_be_skipped(const Program& program, const Operation& operation) {
  if (operation.conditions.empty()) return false;
  for (Index step = 0; step < program.steps.size(); ++step)
    if (&operation_at(program, step) == &operation && program.steps[step].conditional) return true;
  return false;
}

// Registering a window is collective: a rank that does not allocate would leave the others waiting.
std::string allocated_by_some_ranks(const Subject& subject, Index buffer) {
  const Operation* allocation = allocation_of(subject.program, buffer);
  if (!allocation || !may_be_skipped(subject.program, *allocation)) return {};
  for (const Operation& operation : subject.program.operations)
    if (operation.kind == OperationKind::CommInit && runs_whenever(*allocation, operation)) return {};
  return concat(in_backticks(subject.program.buffers[buffer].name), " is allocated only where ",
                in_backticks(squeeze(allocation->conditions.back())),
                " holds, but every rank must register its window");
}

std::string unknown_size(const Subject& subject, Index buffer) {
  const Buffer& memory = subject.program.buffers[buffer];
  bool window = can_be_window(memory.kind) || memory.kind == BufferKind::NcclMemory;
  if (!window || !memory.bytes_text.empty()) return {};
  return concat("the size of ", in_backticks(memory.name), " is not known, so it cannot be registered as a window");
}

constexpr SiteRule kSiteRules[] = {outside_region, inside_macro, own_reduction, unseen_communicator, captured};
constexpr SiteRule kStagingRules[] = {lost_communicator, no_counterpart};
constexpr BufferRule kBufferRules[] = {wrong_memory,        allocation_in_macro,       unknown_size,
                                       allocated_in_region, allocated_every_iteration, allocated_by_some_ranks};

void add_once(std::vector<std::string>& sentences, std::string sentence) {
  bool known = std::find(sentences.begin(), sentences.end(), sentence) != sentences.end();
  if (!sentence.empty() && !known) sentences.push_back(std::move(sentence));
}

}  // namespace

std::vector<Index> site_buffers(const Program& program, const Site& site) {
  std::set<Index> buffers;
  for (const Step& step : program.steps)
    if (std::find(site.operations.begin(), site.operations.end(), step.operation) != site.operations.end())
      for (const Region& region : step.regions) buffers.insert(region.buffer);
  return {buffers.begin(), buffers.end()};
}

std::vector<std::string> find_blockers(const Program& program, const Site& site) {
  std::vector<std::string> sentences;
  for (Index operation : site.operations) {
    Subject subject{program, site, program.operations[operation]};
    for (SiteRule rule : kSiteRules) add_once(sentences, rule(subject));
  }
  return sentences;
}

std::vector<std::string> find_staging(const Program& program, const Site& site) {
  std::vector<std::string> sentences;
  std::vector<Index> buffers = site_buffers(program, site);
  for (Index operation : site.operations) {
    Subject subject{program, site, program.operations[operation]};
    for (SiteRule rule : kStagingRules) add_once(sentences, rule(subject));
    for (Index buffer : buffers) {
      if (buffer >= program.buffers.size())
        add_once(sentences, "an operand could not be traced to an allocation");
      else
        for (BufferRule rule : kBufferRules) add_once(sentences, rule(subject, buffer));
    }
  }
  if (buffers.empty()) add_once(sentences, "its operands could not be traced to an allocation");
  return sentences;
}

std::string why_no_sites(const Program& program) {
  for (const Kernel& kernel : program.kernels)
    if (!kernel.communication.empty())
      return concat("the program's communication is on the device already: kernel ", kernel.name, " at ",
                    location_text(program, kernel.range), " makes it; the host has no call to convert");
  return "the program has no communication; there is nothing to convert";
}

}  // namespace cuco::model
