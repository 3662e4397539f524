// What is said, once for each reason, where a launch does not do what it was rewritten for: it runs as written then.
#pragma once

#include <cstdio>
#include <cuco/comm/communicator.cuh>
#include <string>

namespace cuco::comm {

constexpr const char *kCommunicates = "communicate what it writes", *kRunsInSlices = "run in slices",
                     *kWaitsInBlocks = "wait for what it reads block by block";

struct Fallbacks {
  std::vector<std::string> said;
  std::map<std::string, bool> aims;  // Whether some launch was one that the aim is for.
};
inline Fallbacks& fallbacks() {
  thread_local Fallbacks all;
  return all;
}

inline void say_once(const std::string& text) {
  std::vector<std::string>& said = fallbacks().said;
  if (std::find(said.begin(), said.end(), text) != said.end()) return;
  said.push_back(text);
  std::fprintf(stderr, "cuco::comm: %s\n", text.c_str());
}
inline void note_fallback(const std::string& aim, const char* reason) {
  say_once("a kernel does not " + aim + ": " + reason);
}

// At the end: a plan of which no launch was the one that it is for.
inline void note_unlike(ncclComm_t) {
  for (const auto& [aim, has_any] : fallbacks().aims)
    if (!has_any) note_fallback(aim, "no launch has the grid and block that it is made for");
}
// Whether a launch is like those that the plan was made for; `is_like` as it came.
inline bool note_launch(const char* aim, bool is_like) {
  call_at_close(note_unlike);
  bool& has_any = fallbacks().aims[aim];
  has_any = has_any || is_like;
  return is_like;
}

}  // namespace cuco::comm
