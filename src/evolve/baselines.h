// What a run on GPUs is measured against: the program as its user wrote it, and the same program with NCCL at its best.
// The best is looked for on three axes, one after the other: NCCL's limit of CTAs, symmetric windows, and launching the
// kernels before its calls in slices, which some run faster in. Communication stays the host's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evolve/search.h"

namespace cuco::evolve {

struct BaselineForm {
  bool windows = false;
  uint32_t slices = 1;  // Of launches that feed a call.
  uint32_t ctas = 0;    // NCCL's limit; 0: none.

  bool operator==(const BaselineForm&) const = default;
};

struct TriedForm {
  BaselineForm form;
  std::optional<double> us;  // None: it did not pass.
};

// Limits of NCCL's CTAs that are tried, up to what the executor allows.
std::vector<uint32_t> cta_limits(uint32_t most);

// What can be written besides the program itself.
struct BaselineChoice {
  std::vector<uint32_t> limits;  // Ascending.
  bool has_windows = false;
  bool has_slices = false;  // On windows.
};

// Which forms to try beside those that were tried; none: it is enough. Those of one answer do not depend on each other.
std::vector<BaselineForm> next_forms(const std::vector<TriedForm>& tried, const BaselineChoice& choice);

// "NCCL on symmetric windows with at most 16 CTAs, compute in 4 slices."
std::string words_of(const BaselineForm& form);

// Asks for one baseline after the other. What it asks follows from the times that it is given.
class BaselineSearch {
 public:
  struct Texts {
    std::map<uint32_t, std::vector<SourceFile>> on_windows;  // By slices; 1: whole launches. Empty: no rule writes any.
  };

  // `usual` is the limit that the program as it is runs under, 0 for none.
  BaselineSearch(store::Candidate as_written, Texts texts, const std::vector<uint32_t>& limits, uint32_t usual);

  // `us` are the times of the program as it is and of all that was asked for, in that order; none: it did not pass.
  std::vector<FurtherBaseline> next(const std::vector<std::optional<double>>& us);

 private:
  FurtherBaseline written_in(const BaselineForm& form) const;

  store::Candidate as_written_;
  Texts texts_;
  BaselineChoice choice_;
  std::vector<BaselineForm> asked_;
};

inline constexpr uint32_t kBaselineSlices[] = {2, 4, 8};

}  // namespace cuco::evolve
