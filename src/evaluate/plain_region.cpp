#include "evaluate/plain_region.h"

#include <sstream>

#include "base/text.h"
#include "evaluate/code_text.h"

namespace cuco::evaluate {

Result<PlainRegion> parse_plain_region(const std::string& text) {
  PlainRegion region;
  std::istringstream in(text);
  if (!(in >> region.file >> region.begin >> region.end >> region.own_calls))
    return Error{"where its region stands was not found"};
  std::getline(in >> std::ws, region.set_up);
  return region;
}

// A jump back, not a loop around the region: what the region declares is there after it, and it may return.
Result<std::string> with_marks(const std::string& text, const PlainRegion& region) {
  std::string code = without_comments(text);
  if (region.begin > region.end || region.end > code.size()) return Error{"its region lies outside of its file"};
  for (const char* mark : {"cuco_region", "cuco_region_begins", "cuco_region_goes_on"})
    if (find_word(code, mark) != code.npos) return Error{concat("it uses the name ", mark, " itself")};
  size_t end = region.end < code.size() && code[region.end] == ';' ? region.end + 1 : region.end;
  if (!is_balanced(code.substr(region.begin, end - region.begin)))
    return Error{"its region begins and ends in different blocks"};
  return concat(text.substr(0, region.begin), "cuco_region: cuco_region_begins(); ",
                text.substr(region.begin, end - region.begin), " if (cuco_region_goes_on()) goto cuco_region;",
                text.substr(end));
}

}  // namespace cuco::evaluate
