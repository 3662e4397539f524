// Collects what the interpreter meets into the model: objects, operations and the steps a run would take.
#pragma once

#include "frontend/locations.h"
#include "frontend/value.h"
#include "model/program.h"

namespace cuco::frontend {

class Recorder {
 public:
  explicit Recorder(model::Program& program) : program_(program) {}

  model::Program& program() { return program_; }

  // Where the interpreter is. Contexts nest; each push is matched by one pop.
  void enter_call(const model::SourceRange& call, std::string function);
  void leave_call();
  // A loop or branch `varies` when not every rank may take it the same way.
  model::Index enter_loop(const clang::Stmt* statement, const model::Loop& loop);
  void loop_varies() { varying_loops_.back() = true; }
  void next_iteration() { ++iterations_.back(); }
  void leave_loop();
  // A thread's work is in no loop of the code that starts it.
  struct LoopContext {
    std::vector<model::Index> loops;
    std::vector<uint32_t> iterations;
    std::vector<bool> varying;
  };
  LoopContext leave_all_loops() {
    return {std::exchange(loops_, {}), std::exchange(iterations_, {}), std::exchange(varying_loops_, {})};
  }
  void return_to_loops(LoopContext context) {
    loops_ = std::move(context.loops);
    iterations_ = std::move(context.iterations);
    varying_loops_ = std::move(context.varying);
  }
  // `decided`: the values known say that this side is taken.
  void enter_branch(std::string condition, bool decided, bool varies);
  size_t branch_depth() const { return conditions_.size(); }
  void leave_branch();

  // The operation of this call on the current call path, made on first sight. `fresh` tells which it was.
  model::Index operation_for(const clang::Stmt* call, bool& fresh);
  // Marks the path to here, so that work on a path that ends the program can be taken out of the steps again.
  size_t step_mark() const { return program_.steps.size(); }
  void drop_steps_since(size_t mark) { program_.steps.resize(mark); }
  model::Step& add_step(model::Index operation);

  // One per (operation, name): an allocation in a loop gives one buffer per element it is stored to.
  model::Index buffer_for(model::Index operation, const std::string& name);
  // The buffer that code outside the program, or the host, holds under this name.
  model::Index external_buffer(const std::string& name, model::BufferKind kind);
  // Likewise one object per (operation that makes it, name); kNone for objects that come from outside.
  model::Index stream_for(model::Index operation, const std::string& name, model::StreamKind kind);
  model::Index event_for(model::Index operation, const std::string& name);
  model::Index communicator_for(model::Index operation, const std::string& name, model::CommunicatorOrigin origin);

  void diagnose(model::Severity severity, std::string location, std::string message);

  uint32_t call_depth() const { return static_cast<uint32_t>(path_.size()); }
  const std::string& function() const { return functions_.back(); }

 private:
  std::string path_key() const;

  model::Program& program_;
  std::vector<model::SourceRange> path_;
  std::vector<std::string> functions_;
  std::vector<model::Index> loops_;
  std::vector<uint32_t> iterations_;
  std::vector<std::string> conditions_;
  std::vector<bool> decided_;
  uint32_t undecided_ = 0;
  std::vector<bool> varying_loops_;
  std::vector<bool> varying_branches_;
  std::map<std::pair<const clang::Stmt*, std::string>, model::Index> operations_;
  std::map<std::pair<const clang::Stmt*, std::string>, model::Index> loop_indices_;
  std::map<std::pair<model::Index, std::string>, model::Index> buffers_;
  std::map<std::string, model::Index> external_buffers_;
  using Made = std::map<std::pair<model::Index, std::string>, model::Index>;
  Made streams_;
  Made events_;
  Made communicators_;
};

}  // namespace cuco::frontend
