// Builds small Programs by hand, as the front end would from source, for tests of the model and what stands on it.
//
// A call's place in the test's own source is its place in the program: a builder call that runs several times, in a
// loop or under different call paths, is one call of the program. Write each on a line of its own.
#pragma once

#include <algorithm>
#include <functional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "model/program.h"

namespace cuco::testing {

// What a kernel reaches through a pointer: from the offset on, how far is not known.
inline model::Region pointer(model::Index buffer, model::Access access, model::Symbolic offset = {}) {
  return {buffer, std::move(offset), std::nullopt, access, "p" + std::to_string(buffer)};
}
inline model::Region reads_from(model::Index buffer, model::Symbolic offset = {}) {
  return pointer(buffer, model::Access::Read, std::move(offset));
}
inline model::Region writes_to(model::Index buffer, model::Symbolic offset = {}) {
  return pointer(buffer, model::Access::Write, std::move(offset));
}

// A stretch of known length.
inline model::Region stretch(model::Index buffer, model::Access access, model::Symbolic offset, model::Symbolic bytes,
                             std::string through = "operand") {
  return {buffer, std::move(offset), std::move(bytes), access, std::move(through)};
}

inline model::Symbolic bytes_of(int64_t count) { return model::Symbolic::constant(count); }

class ProgramBuilder {
 public:
  using Index = model::Index;
  using Here = std::source_location;
  static constexpr int64_t kBytes = 4096;  // Of every buffer.

  ProgramBuilder() {
    program_.files.push_back({"program.cu", 1000, {}});
    program_.rank_model = model::RankModel::Mpi;
    program_.communicators.push_back({"world", model::CommunicatorOrigin::InitRank, "size", model::kNone});
  }

  Index buffer(const std::string& name, model::BufferKind kind = model::BufferKind::Device,
               Here here = Here::current()) {
    model::Buffer buffer{name, kind, "float", "4096", bytes_of(kBytes), place(here), {}};
    program_.buffers.push_back(buffer);
    return static_cast<Index>(program_.buffers.size() - 1);
  }

  Index stream(const std::string& name, model::StreamKind kind = model::StreamKind::NonBlocking) {
    program_.streams.push_back({name, kind, ""});
    return static_cast<Index>(program_.streams.size() - 1);
  }

  Index event(const std::string& name) {
    program_.events.push_back({name});
    return static_cast<Index>(program_.events.size() - 1);
  }

  Index launch(const std::string& kernel, Index stream, std::vector<model::Region> regions,
               Here here = Here::current()) {
    Index index = operation(model::OperationKind::Launch, kernel, here);
    program_.operations[index].launch.emplace().callee = kernel;
    return run(index, stream, std::move(regions));
  }

  Index copy(model::CopyKind kind, Index stream, std::vector<model::Region> regions, bool blocks_host = false,
             Here here = Here::current()) {
    Index index = operation(model::OperationKind::Copy, blocks_host ? "cudaMemcpy" : "cudaMemcpyAsync", here);
    program_.operations[index].copy = model::CopyDetail{kind, "4096"};
    program_.operations[index].blocks_host = blocks_host;
    return run(index, stream, std::move(regions));
  }

  // The whole of both buffers.
  Index all_reduce(Index from, Index to, Index stream, Here here = Here::current()) {
    std::vector<model::Region> regions = {whole(from, model::Access::Read), whole(to, model::Access::Write)};
    return communicate(model::Collective::AllReduce, "ncclAllReduce", stream, std::move(regions), "", here);
  }

  Index send(model::Region region, const std::string& peer, Index stream, Here here = Here::current()) {
    return communicate(model::Collective::Send, "ncclSend", stream, {std::move(region)}, peer, here);
  }

  Index recv(model::Region region, const std::string& peer, Index stream, Here here = Here::current()) {
    return communicate(model::Collective::Recv, "ncclRecv", stream, {std::move(region)}, peer, here);
  }

  void group_start(Here here = Here::current()) {
    group_ = operation(model::OperationKind::GroupStart, "ncclGroupStart", here);
    run(group_, model::kNone, {});
  }

  void group_end(Here here = Here::current()) {
    run(operation(model::OperationKind::GroupEnd, "ncclGroupEnd", here), model::kNone, {});
    group_ = model::kNone;
  }

  void record(Index event, Index stream, Here here = Here::current()) {
    with_event(model::OperationKind::EventRecord, "cudaEventRecord", event, stream, here);
  }

  void wait(Index stream, Index event, Here here = Here::current()) {
    with_event(model::OperationKind::StreamWaitEvent, "cudaStreamWaitEvent", event, stream, here);
  }

  void elapsed(Index first, Index last, Here here = Here::current()) {
    Index index = with_event(model::OperationKind::EventElapsed, "cudaEventElapsedTime", first, model::kNone, here);
    program_.operations[index].end_event = last;
  }

  void sync_device(Here here = Here::current()) { sync(model::SyncScope::Device, model::kNone, model::kNone, here); }
  void sync_stream(Index stream, Here here = Here::current()) {
    sync(model::SyncScope::Stream, stream, model::kNone, here);
  }
  void sync_event(Index event, Here here = Here::current()) {
    sync(model::SyncScope::Event, model::kNone, event, here);
  }

  Index allocate(Index buffer, Here here = Here::current()) {
    Index index = operation(model::OperationKind::Allocate, "cudaMalloc", here);
    program_.operations[index].buffer = buffer;
    return run(index, model::kNone, {});
  }

  // Any other call, with nothing but its kind and name.
  Index call(model::OperationKind kind, const std::string& callee, std::vector<model::Region> regions = {},
             Here here = Here::current()) {
    return run(operation(kind, callee, here), model::kNone, std::move(regions));
  }

  // The body runs `count` times with the iteration's number, as a loop `for (induction = 0; induction < limit; ++)`.
  void loop(const std::string& induction, uint32_t count, const std::function<void(uint32_t)>& body,
            const std::string& limit = "limit", Here here = Here::current()) {
    Index outer = std::exchange(loop_, loop_index(induction, limit, here));
    iterations_.push_back(0);
    for (; iterations_.back() < count; ++iterations_.back()) body(iterations_.back());
    iterations_.pop_back();
    hold_body(loop_);
    loop_ = outer;
  }

  void when(const std::string& condition, const std::function<void()>& body) {
    conditions_.push_back(condition);
    body();
    conditions_.pop_back();
  }

  // The body stands in a function that is called here.
  void inside_call(const std::function<void()>& body, const std::string& function = "callee",
                   Here here = Here::current()) {
    call_path_.push_back(place(here));
    functions_.push_back(function);
    body();
    functions_.pop_back();
    call_path_.pop_back();
  }

  model::Region whole(Index buffer, model::Access access) const {
    return stretch(buffer, access, {}, bytes_of(kBytes), program_.buffers[buffer].name);
  }

  model::Operation& operation_at(Index index) { return program_.operations[index]; }
  model::Program& program() { return program_; }

 private:
  static model::SourceRange place(const Here& here) {
    return {0, here.line() * 100, here.line() * 100 + 50, here.line(), here.column(), true};
  }

  Index operation(model::OperationKind kind, const std::string& callee, const Here& here) {
    for (Index index = 0; index < program_.operations.size(); ++index) {
      const model::Operation& known = program_.operations[index];
      if (known.range != place(here) || known.call_path != call_path_) continue;
      CUCO_ASSERT(known.kind == kind && known.callee == callee);  // Two calls on one line, or in one macro's arguments.
      return index;
    }
    model::Operation fresh;
    fresh.kind = kind;
    fresh.callee = callee;
    fresh.range = fresh.text = fresh.statement = place(here);
    fresh.function = functions_.back();
    fresh.callers.assign(functions_.begin(), functions_.end() - 1);
    fresh.call_path = call_path_;
    fresh.loop = loop_;
    fresh.conditions = conditions_;
    program_.operations.push_back(std::move(fresh));
    return static_cast<Index>(program_.operations.size() - 1);
  }

  Index run(Index operation, Index stream, std::vector<model::Region> regions, Index event = model::kNone) {
    program_.operations[operation].stream = stream;
    program_.operations[operation].event = event;
    program_.steps.push_back({operation, std::move(regions), stream, event, iterations_, !conditions_.empty()});
    return operation;
  }

  Index communicate(model::Collective collective, const std::string& callee, Index stream,
                    std::vector<model::Region> regions, const std::string& peer, const Here& here) {
    Index index = operation(model::OperationKind::Communicate, callee, here);
    model::CommunicateDetail& detail = program_.operations[index].communicate.emplace();
    detail.collective = collective;
    detail.count = "n";
    detail.count_value = model::Symbolic::unknown("n");
    detail.type = "ncclFloat";
    detail.element_bytes = 4;
    detail.reduction = collective == model::Collective::AllReduce ? "ncclSum" : "";
    detail.root_or_peer = peer;
    detail.communicator = 0;
    detail.group = group_;
    return run(index, stream, std::move(regions));
  }

  Index with_event(model::OperationKind kind, const std::string& callee, Index event, Index stream, const Here& here) {
    return run(operation(kind, callee, here), stream, {}, event);
  }

  void sync(model::SyncScope scope, Index stream, Index event, const Here& here) {
    Index index = operation(model::OperationKind::HostSync, "synchronize", here);
    program_.operations[index].sync = scope;
    program_.operations[index].blocks_host = true;
    run(index, stream, {}, event);
  }

  Index loop_index(const std::string& induction, const std::string& limit, const Here& here) {
    for (Index index = 0; index < program_.loops.size(); ++index)
      if (program_.loops[index].range.begin_byte == place(here).begin_byte && program_.loops[index].parent == loop_)
        return index;
    program_.loops.push_back({model::LoopKind::For, place(here), induction, "0", "< " + limit, "+1", loop_});
    return static_cast<Index>(program_.loops.size() - 1);
  }

  // A loop's text is around that of its body.
  void hold_body(Index loop) {
    for (const model::Operation& operation : program_.operations)
      for (Index around = operation.loop; around != model::kNone; around = program_.loops[around].parent)
        if (uint32_t& end = program_.loops[loop].range.end_byte; around == loop)
          end = std::max(end, operation.statement.end_byte);
  }

  model::Program program_;
  Index loop_ = model::kNone;
  Index group_ = model::kNone;
  std::vector<uint32_t> iterations_;
  std::vector<std::string> conditions_;
  std::vector<model::SourceRange> call_path_;
  std::vector<std::string> functions_ = {"main"};
};

}  // namespace cuco::testing
