// Which NCCL the ranks of a program would load, and of what version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/process.h"

namespace cuco::gpu {

struct NcclLibrary {
  std::filesystem::path folder;  // That has libnccl.so.2.
  uint32_t version = 0;          // 23007 is 2.30.7; 0: neither the name of the file nor a header tells.
  bool by_loader = false;        // Found without LD_LIBRARY_PATH.
};

// In `folder` when it is not empty; else $NCCL_HOME/lib, the folders of $LD_LIBRARY_PATH, those of the loader.
std::optional<NcclLibrary> find_nccl_library(const std::filesystem::path& folder, ProcessRunner& processes,
                                             const Environment& environment);

// Of the text of nccl.h; 0: it does not say.
uint32_t nccl_version_in_header(const std::string& header);
// "libnccl.so.2.30.7" -> 23007; 0: the name does not say.
uint32_t nccl_version_in_name(const std::string& name);
std::string nccl_version_text(uint32_t version);  // "2.30.7"

// How to get one that runs several ranks on a GPU. The architecture is as in Device; empty: unknown.
std::string nccl_from_source(const std::string& architecture);

}  // namespace cuco::gpu
