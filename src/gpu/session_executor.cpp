#include "gpu/session_executor.h"

#include <map>
#include <mutex>

#include "base/text.h"
#include "evaluate/reference.h"
#include "gpu/reference.h"

namespace cuco::gpu {

namespace {

// Other searches may have the GPUs for as long as they like; a process that ends frees them, however it ends.
constexpr int kTurnWaitS = 24 * 3600;

class SessionExecutor : public JobExecutor {
 public:
  SessionExecutor(ExecutorRequest request, Session session)
      : request_(std::move(request)), session_(std::move(session)) {}

  // One text under several limits is one build.
  void build(const Job& job) override {
    if (is_built(job)) return;
    const evaluate::EvaluationRequest& request = request_.request.request;
    Result<Program> program = Program::make(job.files, setting_of(request_.request), request.tools, request_.toolchain,
                                            session_.devices().front().architecture, request.cache);
    if (!program || !program->build()) return;
    std::lock_guard<std::mutex> guard(lock_);
    built_.insert_or_assign(evaluate::digest_of(job.files), *program);
  }

  Result<evaluate::Verdict> run(const Job& job) override {
    GpuRequest request = request_.request;
    request.request.candidate = request.request.parent = job.files;
    request.request.rewritten = true;
    request.variables = job.variables;
    request.iterations = job.iterations;
    request.skip_check = true;
    request.bound_below_us = job.bound_below_us;
    if (auto found = built_.find(evaluate::digest_of(job.files)); found != built_.end()) request.built = found->second;
    double held_before = session_.held_seconds();
    Result<evaluate::Verdict> verdict = evaluate(request, session_, request_.toolchain);
    // Ranks that were ended with cuco say nothing about their program.
    if (processes_interrupted()) return Error{"interrupted"};
    if (verdict) verdict->gpu_seconds = session_.held_seconds() - held_before;
    return verdict;
  }

 private:
  bool is_built(const Job& job) {
    std::lock_guard<std::mutex> guard(lock_);
    return built_.contains(evaluate::digest_of(job.files));
  }

  ExecutorRequest request_;
  Session session_;
  std::mutex lock_;
  std::map<std::string, Program> built_;  // What nvcc refused is not among them: it is refused again when it is run.
};

}  // namespace

Result<std::unique_ptr<JobExecutor>> open_executor(const ExecutorRequest& request, ProcessRunner& processes,
                                                   const Environment& environment) {
  SessionRequest shared = request.request.session;
  shared.lock_each_run = true;
  shared.lock_wait_s = kTurnWaitS;
  CUCO_TRY(Session session, Session::open(shared, processes, environment));
  const Device& device = session.devices().front();
  if (!request.device.empty() && device.name != request.device)
    return Error{concat("the run was begun on ", request.device, "; times of ", device.name,
                        ", which is here, cannot be compared with its times")};
  return std::unique_ptr<JobExecutor>(std::make_unique<SessionExecutor>(request, std::move(session)));
}

}  // namespace cuco::gpu
