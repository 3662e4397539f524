// Forms as people write them: rows [64*by, 64*by+64) x columns [64*bx, 64*bx+64) of a row of n elements.
#pragma once

#include <string>
#include <vector>

#include "footprint/general_form.h"

namespace cuco::footprint {

std::string to_text(const Monomial& monomial, const std::vector<std::string>& names);

// In elements where every number of the form is a whole number of them, else in bytes.
std::string to_text(const GeneralForm& form, const std::vector<std::string>& names, uint32_t element_bytes);

// What a line's coordinates are called: "bx", "rank", "(rank+1)%ranks".
std::vector<std::string> coordinate_names(const GeneralForm& form, const std::vector<std::string>& names);

// "[64*by, ...": `coordinates` as above.
std::string to_text(const GeneralLine& line, const std::vector<std::string>& coordinates,
                    const std::vector<std::string>& names);

}  // namespace cuco::footprint
