// What calls of CUDA, NCCL, MPI and cuBLAS do to the model.
#pragma once

#include "frontend/api_calls.h"
#include "frontend/interpreter.h"

namespace cuco::frontend {

class ApiEffects {
 public:
  explicit ApiEffects(Interpreter& interpreter) : in_(interpreter) {}

  Value apply(const ApiCall& api, const clang::CallExpr* call);
  void launch(const clang::CUDAKernelCallExpr* call);
  // Calls that issue no work but hand on what later calls need. False when this is none of them.
  bool follow(std::string_view callee, const clang::CallExpr* call);
  // What a parameter of an entry point holds: something that code outside the program made.
  // One end of what the harness runs: everything is idle there.
  void mark_region(const clang::CallExpr* call, model::OperationKind kind);
  void receive_from_outside(const HostPlace& place, const clang::ParmVarDecl* parameter);

 private:
  // One call while its arguments are read: the roles fill in the operation and the step.
  struct Reading {
    const clang::CallExpr* call;
    const ApiCall* api;
    bool fresh = false;
    model::Index operation = model::kNone;
    model::Step step;
    std::optional<model::Symbolic> bytes;
    std::vector<const clang::Expr*> kernel_arguments;
    std::optional<Value> packed_arguments;  // void** of cudaLaunchKernel.
    const clang::Expr* send = nullptr;
    const clang::Expr* recv = nullptr;
  };

  Reading begin(const clang::CallExpr* call, const ApiCall* api, model::OperationKind kind, const std::string& callee);
  void finish(Reading& reading);
  void read_argument(Reading& reading, Role role, const clang::Expr* argument);
  void read_memory_argument(Reading& reading, Role role, const clang::Expr* argument);
  void read_stream_argument(Reading& reading, Role role, const clang::Expr* argument);
  void read_nccl_argument(Reading& reading, Role role, const clang::Expr* argument);
  void read_window(Reading& reading, Role role, const clang::Expr* argument);
  void read_site_argument(Reading& reading, Role role, const clang::Expr* argument);
  std::string told(const Reading& reading, const std::string& before, const clang::Expr* argument,
                   const Value& value) const;
  void read_launch_argument(Reading& reading, Role role, const clang::Expr* argument);
  void add_regions(Reading& reading, const Value& value, const clang::Expr* argument, model::Access access,
                   std::optional<model::Symbolic> bytes);
  void add_collective_regions(Reading& reading);
  void add_kernel_regions(Reading& reading);
  void add_kernel_region(Reading& reading, const model::KernelPointer& pointer, const Value& value);
  Value place_reached(model::Index kernel, const model::KernelPointer& pointer, const std::vector<Value>& arguments);
  Value value_behind(const model::KernelPointer& pointer, const std::vector<Value>& arguments);
  Value kernel_argument(const Reading& reading, model::Index parameter);
  void allocate(Reading& reading, const clang::Expr* argument);
  void free(Reading& reading, const clang::Expr* argument);
  void make_stream(Reading& reading, const clang::Expr* argument);
  void make_communicator(Reading& reading, const clang::Expr* argument);
  void set_rank_count(Reading& reading, const clang::Expr* argument);
  void tell_rank_count(Reading& reading, const Value& where);
  void read_launch_config(Reading& reading, const clang::Expr* argument);
  void clobber(const Value& pointer);
  void receive_rank(const Value& pointer);
  void finish_copy(Reading& reading);
  bool is_host_side(const model::Region& region) const;

  model::Index stream_of(const Value& value, const clang::Expr* argument);
  model::Index event_of(const Value& value, const clang::Expr* argument);
  model::Index communicator_of(const Value& value, const clang::Expr* argument);
  std::string name_for(const clang::Expr* argument) const;
  model::Operation& operation(const Reading& reading);
  model::CommunicateDetail& detail(const Reading& reading);
  model::LaunchDetail& launch_detail(const Reading& reading);
  std::string shape_text(const clang::Expr* argument, const Value& value);

  Interpreter& in_;
  model::Index open_group_ = model::kNone;
  std::map<model::Index, model::Symbolic> rank_counts_;  // Of communicators.
};

}  // namespace cuco::frontend
