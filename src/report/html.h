// A writer of HTML and SVG that cannot write a page out of balance: every element that is opened is on a stack, and all
// text and every attribute is escaped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuco::report {

using Attributes = std::vector<std::pair<std::string, std::string>>;

class Html {
 public:
  Html& open(std::string_view tag, const Attributes& attributes = {});
  Html& close();  // The innermost element that is open.
  Html& text(std::string_view content);

  // One that has no content: <br>, <rect .../>.
  Html& leaf(std::string_view tag, const Attributes& attributes = {});
  // One with nothing but text inside.
  Html& element(std::string_view tag, std::string_view content, const Attributes& attributes = {});

  // A style sheet: text that is not escaped. Only for what cuco itself has written.
  Html& style(std::string_view sheet);

  // The page; every element must be closed.
  std::string take();

 private:
  Html& start(std::string_view tag, const Attributes& attributes);

  std::string out_;
  std::vector<std::string> open_;
};

std::string escaped(std::string_view text);

}  // namespace cuco::report
