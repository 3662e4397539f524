// A scratch folder for one test; no folder is a failure of the machine, not of the test.
#pragma once

#include "base/scratch_folder.h"

namespace cuco::testing {

class ScratchFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  cuco::ScratchFolder folder_ = cuco::ScratchFolder::make("cuco-test").value();
};

}  // namespace cuco::testing
