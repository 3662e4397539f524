// The files of a candidate that a rewriting of the baseline makes: those of the baseline, headers that are changed with
// the headers around them, and files that are added.
#pragma once

#include <vector>

#include "evaluate/evaluate.h"

namespace cuco::evaluate {

// `before` are the program's files by path, those of the baseline first and in its order, then headers; `after` are
// their texts now, and added files. A changed header that lies outside of the program's folder is an error.
Result<std::vector<SourceFile>> rewritten_files(const EvaluationRequest& request, const std::vector<SourceFile>& before,
                                                const std::vector<SourceFile>& after);

// The files of a candidate that lies in a folder: `files` are those of the baseline as it has them; headers that it
// changes come to them as above.
Result<std::vector<SourceFile>> with_headers_of(const EvaluationRequest& request, std::vector<SourceFile> files,
                                                const std::filesystem::path& candidate);

}  // namespace cuco::evaluate
