#include "report/html.h"

#include "base/assert.h"
#include "base/text.h"

namespace cuco::report {

namespace {

// Where a line break is not seen: a page of one line is hard to read for people and for tools.
bool ends_line(std::string_view tag) {
  for (std::string_view each : {"p", "tr", "td", "th", "li", "ul", "table", "div", "h1", "h2", "h3", "svg", "rect",
                                "circle", "text", "pre", "head", "body", "html"})
    if (tag == each) return true;
  return false;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Other control characters are not allowed in a page, and a program's text may hold any.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

Html& Html::start(std::string_view tag, const Attributes& attributes) {
  out_ += concat("<", tag);
  for (const auto& [name, value] : attributes) out_ += concat(" ", name, "=\"", escaped(value), "\"");
  return *this;
}

Html& Html::open(std::string_view tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += ">";
  open_.emplace_back(tag);
  return *this;
}

Html& Html::close() {
  CUCO_ASSERT(!open_.empty());
  out_ += concat("</", open_.back(), ends_line(open_.back()) ? ">\n" : ">");
  open_.pop_back();
  return *this;
}

Html& Html::text(std::string_view content) {
  out_ += escaped(content);
  return *this;
}

Html& Html::leaf(std::string_view tag, const Attributes& attributes) {
  start(tag, attributes);
  out_ += "/>";
  return *this;
}

Html& Html::element(std::string_view tag, std::string_view content, const Attributes& attributes) {
  return open(tag, attributes).text(content).close();
}

Html& Html::style(std::string_view sheet) {
  out_ += concat("<style>", sheet, "</style>\n");
  return *this;
}

std::string Html::take() {
  CUCO_ASSERT(open_.empty());
  return std::move(out_);
}

}  // namespace cuco::report
