#include "evaluate/text/evolve_blocks.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

constexpr std::string_view kMarker = "EVOLVE-BLOCK";
constexpr std::string_view kStart = "EVOLVE-BLOCK-START";
constexpr std::string_view kEnd = "EVOLVE-BLOCK-END";

Error marker_error(const SourceFile& file, int line, std::string_view what) {
  return Error{concat(file.name, ":", line, ": ", what)};
}

// Empty for what is no marker.
std::string_view marker_of(const Token& token) {
  if (token.kind != TokenKind::LineComment || !token.starts_line) return {};
  std::string_view body = trim(std::string_view(token.text).substr(2));
  for (std::string_view marker : {kStart, kEnd})
    if (body == marker || (body.starts_with(marker) && body[marker.size()] == ' ')) return marker;
  return {};
}

size_t line_end(const std::string& text, size_t at) {
  size_t end = text.find('\n', at);
  return end == text.npos ? text.size() : end + 1;
}
size_t line_begin(const std::string& text, size_t at) {
  size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return before == text.npos ? 0 : before + 1;
}

Status check_marker_order(const SourceFile& file, const Token& token, std::string_view marker, bool open) {
  if (marker.empty())
    return marker_error(
        file, token.line,
        concat("'", kMarker, "' may stand only in a comment line of its own that is ", kStart, " or ", kEnd));
  if (token.text.find('\n') != std::string::npos || (marker == kStart) == open)
    return marker_error(file, token.line,
                        open ? "an evolve block begins inside another one" : "an evolve block ends that did not begin");
  return Done{};
}

std::string line_at(const std::string& text, size_t at) {
  size_t begin = line_begin(text, at);
  return std::string(trim(std::string_view(text).substr(begin, line_end(text, at) - begin)));
}

Finding difference(const SourceFile& candidate, size_t at) {
  at = std::min(at, candidate.text.empty() ? 0 : candidate.text.size() - 1);
  auto line = 1 + std::count(candidate.text.begin(), candidate.text.begin() + static_cast<long>(at), '\n');
  Finding finding;
  finding.level = Level::Text;
  finding.kind = "frozen_text";
  finding.text = concat(candidate.name, ":", line, ": text outside of the evolve blocks is not its parent's: '",
                        line_at(candidate.text, at), "'");
  return finding;
}

struct Piece {
  size_t begin, end;
};

std::vector<Piece> frozen_pieces(const SourceFile& file, const std::vector<EvolveBlock>& blocks) {
  std::vector<Piece> pieces = {{0, file.text.size()}};
  for (const EvolveBlock& block : blocks) {
    pieces.back().end = block.begin;
    pieces.push_back({block.end, file.text.size()});
  }
  return pieces;
}

}  // namespace

Result<std::vector<EvolveBlock>> find_blocks(const SourceFile& file, const std::vector<Token>& tokens) {
  std::vector<EvolveBlock> blocks;
  bool open = false;
  int open_line = 0;
  for (const Token& token : tokens) {
    if (token.text.find(kMarker) == std::string::npos) continue;
    std::string_view marker = marker_of(token);
    if (Status fits = check_marker_order(file, token, marker, open); !fits) return fits.error();
    open = marker == kStart;
    if (open) {
      blocks.push_back({line_end(file.text, token.begin), file.text.size()});
      open_line = token.line;
    } else {
      blocks.back().end = line_begin(file.text, token.begin);
    }
  }
  if (open) return marker_error(file, open_line, "this evolve block does not end");
  return blocks;
}

bool is_inside(const std::vector<EvolveBlock>& blocks, const Token& token) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [&](const EvolveBlock& block) { return token.begin >= block.begin && token.end <= block.end; });
}

std::vector<Finding> compare_frozen(const SourceFile& parent, const std::vector<EvolveBlock>& parent_blocks,
                                    const SourceFile& candidate, const std::vector<EvolveBlock>& blocks) {
  std::vector<Piece> expected = frozen_pieces(parent, parent_blocks);
  std::vector<Piece> found = frozen_pieces(candidate, blocks);
  for (size_t i = 0; i < std::min(expected.size(), found.size()); i++) {
    std::string_view want =
        std::string_view(parent.text).substr(expected[i].begin, expected[i].end - expected[i].begin);
    std::string_view have = std::string_view(candidate.text).substr(found[i].begin, found[i].end - found[i].begin);
    if (want == have) continue;
    size_t same =
        static_cast<size_t>(std::mismatch(want.begin(), want.end(), have.begin(), have.end()).second - have.begin());
    return {difference(candidate, found[i].begin + same)};
  }
  if (expected.size() != found.size()) return {difference(candidate, candidate.text.size())};
  return {};
}

}  // namespace cuco::evaluate
