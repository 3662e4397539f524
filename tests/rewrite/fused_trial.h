// A program of tests/rewrite whose kernels do what its calls did.
#pragma once

#include "inlined.h"
#include "rewritten_trial.h"

namespace cuco {

constexpr uint64_t kChunkBytes = 2048;

// With every site tile-fused, in chunks of so many bytes.
inline Result<std::string> fused(const Trial& trial, space::Backend backend, const model::AccessTrace* trace,
                                 space::SyncScope sync = space::SyncScope::ChunkSignal,
                                 uint64_t chunk_bytes = kChunkBytes) {
  return rewritten(trial, {{backend, space::Placement::TileFused, sync, space::Issuer::Cta, chunk_bytes}}, trace);
}

inline std::string text_of(const Trial& trial, space::Backend backend = space::Backend::Lsa,
                           uint64_t chunk_bytes = kChunkBytes) {
  TracedRun before = traced_run(trial, backend);
  Result<std::string> text = fused(trial, backend, &before.trace, space::SyncScope::ChunkSignal, chunk_bytes);
  return text ? *text : text.error().message;
}

inline void expect_reason(const std::string& text, const std::string& reason) {
  EXPECT_NE(text.find(reason), text.npos) << text.substr(0, 2000);
}

constexpr uint32_t kSchedules = 4;

// What the fused program prints on several schedules, with one text of it or of the library in place of another.
inline std::string fused_run(Trial trial, space::Backend backend, std::string program, const std::string& from,
                             const std::string& to, uint32_t schedules = kSchedules) {
  if (program.find(from) == program.npos) program = inlined(program);
  EXPECT_NE(program.find(from), program.npos) << from;
  ScratchFolder scratch = ScratchFolder::make("cuco-fused").value();
  trial.program = scratch.path() / trial.program.filename();
  EXPECT_TRUE(write_file(trial.program, from.empty() ? program : replace_all(program, from, to)));
  return without_fallbacks(traced_run(trial, backend, schedules).text);
}

inline void expect_same(const Trial& trial, space::Backend backend, const std::string& from = {},
                        const std::string& to = {}, uint64_t chunk_bytes = kChunkBytes) {
  TracedRun before = traced_run(trial, backend);
  ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
  Result<std::string> text = fused(trial, backend, &before.trace, space::SyncScope::ChunkSignal, chunk_bytes);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(fused_run(trial, backend, *text, from, to), before.text);
}

}  // namespace cuco
