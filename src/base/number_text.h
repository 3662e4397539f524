// Numbers as people read them.
#pragma once

#include <string>

namespace cuco {

// "13.50".
std::string with_decimals(double number, int count);
// With as many decimals as say something: "13014", "13.61", "0.004200"; "-" for what is no number.
std::string rounded_text(double number);

// "13.61 ms", "402.1 us".
std::string duration(double us);
// "1.35x".
std::string factor(double ratio);
// "92 %" of 0.92.
std::string percent(double share, int decimals = 0);
// "$0.41".
std::string dollars(double usd, int decimals = 2);

}  // namespace cuco
