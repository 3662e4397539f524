// What cuco asks of one run, from the file `settings` in the folder that CUCO_RUN_FOLDER names: lines of a key and a
// number. Reports and outputs are written to the same folder. What its inputs are drawn from, a rank finds in a file of
// its own, `key.RANK`: two numbers. It is gone before the region is called for the first time, on any rank.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cuco/draw.h"

namespace cuco::runner {

enum class LeftOut : uint32_t { Nothing = 0, Communication = 1, Kernels = 2 };

struct Settings {
  std::string folder;
  uint32_t warmups = 1, iterations = 1;
  uint64_t capture_bytes = 0;  // A rank may write so many in all its iterations; 0: none.
  double region_limit_s = 10;
  LeftOut left_out = LeftOut::Nothing;
  bool repeats = true;   // Of a program without the harness: its region is called again and again.
  uint32_t devices = 0;  // That such a program sees, all of them one GPU; 0: those that are there.

  uint32_t call_count() const { return warmups + iterations; }
};

inline void take_setting(const std::string& key, std::istream& in, Settings& settings) {
  uint32_t number = 0;
  if (key == "warmups") in >> settings.warmups;
  if (key == "iterations") in >> settings.iterations;
  if (key == "capture_bytes") in >> settings.capture_bytes;
  if (key == "region_limit_s") in >> settings.region_limit_s;
  if (key == "left_out" && in >> number) settings.left_out = static_cast<LeftOut>(number);
  if (key == "repeats") in >> settings.repeats;
  if (key == "devices") in >> settings.devices;
}

inline Settings read_settings() {
  Settings settings;
  const char* folder = std::getenv("CUCO_RUN_FOLDER");
  settings.folder = folder ? folder : ".";
  std::ifstream in(settings.folder + "/settings");
  for (std::string key; in >> key;) take_setting(key, in, settings);
  return settings;
}

// Never destroyed: threads may read it while the process ends.
inline const Settings& settings() {
  static const Settings& read = *new Settings(read_settings());
  return read;
}

inline RankKey take_key(int rank) {
  std::string path = settings().folder + "/key." + std::to_string(rank);
  RankKey key;
  std::ifstream(path) >> key.low >> key.high;
  std::remove(path.c_str());
  return key;
}

}  // namespace cuco::runner
