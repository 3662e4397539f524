#include "frontend/recorder.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::frontend {

using model::Index;

void Recorder::enter_call(const model::SourceRange& call, std::string function) {
  if (!functions_.empty()) path_.push_back(call);
  functions_.push_back(std::move(function));
}

void Recorder::leave_call() {
  functions_.pop_back();
  if (!functions_.empty()) path_.pop_back();
}

std::string Recorder::path_key() const {
  std::string key;
  for (const model::SourceRange& call : path_) key += concat(call.file, ":", call.begin_byte, "/");
  return key;
}

Index Recorder::enter_loop(const clang::Stmt* statement, const model::Loop& loop) {
  auto [slot, fresh] = loop_indices_.try_emplace({statement, path_key()}, static_cast<Index>(program_.loops.size()));
  if (fresh) {
    program_.loops.push_back(loop);
    program_.loops.back().parent = loops_.empty() ? model::kNone : loops_.back();
  }
  loops_.push_back(slot->second);
  iterations_.push_back(0);
  varying_loops_.push_back(false);
  return slot->second;
}

void Recorder::leave_loop() {
  loops_.pop_back();
  iterations_.pop_back();
  varying_loops_.pop_back();
}

void Recorder::enter_branch(std::string condition, bool decided, bool varies) {
  varying_branches_.push_back(varies);
  conditions_.push_back(std::move(condition));
  decided_.push_back(decided);
  undecided_ += !decided;
}

void Recorder::leave_branch() {
  undecided_ -= !decided_.back();
  decided_.pop_back();
  varying_branches_.pop_back();
  conditions_.pop_back();
}

Index Recorder::operation_for(const clang::Stmt* call, bool& fresh) {
  auto [slot, inserted] = operations_.try_emplace({call, path_key()}, static_cast<Index>(program_.operations.size()));
  fresh = inserted;
  if (inserted) {
    model::Operation operation;
    operation.function = functions_.back();
    operation.callers.assign(functions_.begin(), functions_.end() - 1);
    operation.call_path = path_;
    operation.loop = loops_.empty() ? model::kNone : loops_.back();
    operation.conditions = conditions_;
    auto varies = [](const std::vector<bool>& around) {
      return std::find(around.begin(), around.end(), true) != around.end();
    };
    operation.rank_dependent = varies(varying_loops_) || varies(varying_branches_);
    program_.operations.push_back(std::move(operation));
  }
  return slot->second;
}

model::Step& Recorder::add_step(Index operation) {
  model::Step step;
  step.operation = operation;
  step.iterations = iterations_;
  step.conditional = undecided_ > 0;
  program_.steps.push_back(std::move(step));
  return program_.steps.back();
}

Index Recorder::buffer_for(Index operation, const std::string& name) {
  auto [slot, fresh] = buffers_.try_emplace({operation, name}, static_cast<Index>(program_.buffers.size()));
  if (fresh) {
    program_.buffers.emplace_back();
    program_.buffers.back().name = name;
  }
  return slot->second;
}

Index Recorder::external_buffer(const std::string& name, model::BufferKind kind) {
  auto [slot, fresh] = external_buffers_.try_emplace(name, static_cast<Index>(program_.buffers.size()));
  if (fresh) {
    program_.buffers.emplace_back();
    program_.buffers.back().name = name;
    program_.buffers.back().kind = kind;
  }
  return slot->second;
}

namespace {

template <typename T>
Index find_or_make(std::map<std::pair<Index, std::string>, Index>& made, Index operation, const std::string& name,
                   std::vector<T>& items, T item) {
  auto [slot, fresh] = made.try_emplace({operation, name}, static_cast<Index>(items.size()));
  if (fresh) items.push_back(std::move(item));
  return slot->second;
}

}  // namespace

Index Recorder::stream_for(Index operation, const std::string& name, model::StreamKind kind) {
  return find_or_make(streams_, operation, name, program_.streams, {name, kind, ""});
}

Index Recorder::event_for(Index operation, const std::string& name) {
  return find_or_make(events_, operation, name, program_.events, {name});
}

Index Recorder::communicator_for(Index operation, const std::string& name, model::CommunicatorOrigin origin) {
  return find_or_make(communicators_, operation, name, program_.communicators, {name, origin, "", model::kNone});
}

void Recorder::diagnose(model::Severity severity, std::string location, std::string message) {
  model::Diagnostic diagnostic{severity, std::move(location), std::move(message)};
  for (const model::Diagnostic& known : program_.diagnostics)
    if (known.location == diagnostic.location && known.message == diagnostic.message) return;
  program_.diagnostics.push_back(std::move(diagnostic));
}

}  // namespace cuco::frontend
