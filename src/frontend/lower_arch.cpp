#include "frontend/lower_arch.h"

#include "base/text.h"
#include "frontend/lower_edits.h"

namespace cuco::frontend {

namespace {

struct Place {
  uint32_t begin = 0, end = 0;  // In the preprocessed text.
  std::string file;
  unsigned line = 0, end_line = 0;
};

struct Body : Place {
  bool on_host = false, on_device = false;
};

// One of the two texts, and how to find places in it.
class Side {
 public:
  Side(const std::string& text, clang::ASTUnit& unit) : text_(text), unit_(unit), sources_(unit.getSourceManager()) {}

  Place place_of(clang::SourceRange range) const {
    clang::PresumedLoc begin = sources_.getPresumedLoc(range.getBegin());
    uint32_t last = sources_.getFileOffset(range.getEnd());
    uint32_t length = clang::Lexer::MeasureTokenLength(range.getEnd(), sources_, unit_.getLangOpts());
    return {sources_.getFileOffset(range.getBegin()), last + length, begin.getFilename(), begin.getLine(),
            sources_.getPresumedLoc(range.getEnd()).getLine()};
  }
  std::string text_of(const Place& place) const { return text_.substr(place.begin, place.end - place.begin); }
  bool is_own(const clang::Decl& declaration) const {
    return declaration.getLocation().isValid() && !declaration.isImplicit() &&
           !sources_.isInSystemHeader(declaration.getLocation());
  }
  clang::ASTContext& context() const { return unit_.getASTContext(); }
  const std::string& text() const { return text_; }

 private:
  const std::string& text_;
  clang::ASTUnit& unit_;
  const clang::SourceManager& sources_;
};

// Every function of the program's own that has a body and does not lie in another.
class Bodies : public clang::RecursiveASTVisitor<Bodies> {
 public:
  explicit Bodies(const Side& side) : side_(side) { TraverseAST(side.context()); }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || function->getParentFunctionOrMethod()) return true;
    if (!side_.is_own(*function) || !function->getBody()) return true;
    Body body{side_.place_of(function->getBody()->getSourceRange())};
    bool is_kernel = function->hasAttr<clang::CUDAGlobalAttr>();
    body.on_device = is_kernel || function->hasAttr<clang::CUDADeviceAttr>();
    body.on_host = !is_kernel && (!body.on_device || function->hasAttr<clang::CUDAHostAttr>());
    found.emplace(concat(function->getQualifiedNameAsString(), " ", body.file, ":", body.line), body);
    return true;
  }
  std::map<std::string, Body> found;

 private:
  const Side& side_;
};

std::string marked(const Place& place, const std::string& text, const Place& after) {
  return concat("\n# ", place.line, " \"", place.file, "\"\n", text, "\n# ", after.end_line, " \"", after.file, "\"\n");
}

std::string chosen_body(const Side& device, const Body& on_device, const Side& host, const Body& on_host) {
  std::string host_text = marked(on_host, host.text_of(on_host), on_device);
  if (!on_device.on_device) return host_text;
  return concat("{ if (!__builtin_is_constant_evaluated() && ::cuco_on_device()) ", device.text_of(on_device), " else ",
                host_text, "}");
}

void merge_bodies(const Side& device, const Side& host, TextEdits& edits) {
  Bodies on_device(device), on_host(host);
  for (const auto& [name, body] : on_device.found) {
    auto other = on_host.found.find(name);
    if (other == on_host.found.end() || !body.on_host) continue;
    if (squeeze(device.text_of(body)) == squeeze(host.text_of(other->second))) continue;
    edits.replace(body.begin, body.end, chosen_body(device, body, host, other->second));
  }
}

// Declarations at file scope by kind, name and line, in order.
std::vector<std::pair<std::string, Place>> declarations_of(const Side& side) {
  std::vector<std::pair<std::string, Place>> all;
  for (const clang::Decl* declaration : side.context().getTranslationUnitDecl()->decls()) {
    if (!side.is_own(*declaration)) continue;
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
    Place place = side.place_of(declaration->getSourceRange());
    all.emplace_back(concat(declaration->getDeclKindName(), " ", named ? named->getNameAsString() : "", " ", place.file,
                            ":", place.line),
                     place);
  }
  return all;
}

// With the semicolon that ends it.
std::string whole_text(const Side& side, const Place& place) {
  size_t next = side.text().find_first_not_of(" \t\n", place.end);
  bool ends = next != std::string::npos && side.text()[next] == ';';
  return side.text_of(place) + (ends ? ";" : "");
}

void add_missing_declarations(const Side& device, const Side& host, TextEdits& edits) {
  std::map<std::string, Place> known;
  for (const auto& [name, place] : declarations_of(device)) known.emplace(name, place);
  std::string pending;
  for (const auto& [name, place] : declarations_of(host)) {
    auto same = known.find(name);
    if (same == known.end()) {
      pending += concat("\n# ", place.line, " \"", place.file, "\"\n", whole_text(host, place), "\n");
      continue;
    }
    if (pending.empty()) continue;
    const Place& next = same->second;
    edits.wrap(next.begin, next.begin, concat(pending, "# ", next.line, " \"", next.file, "\"\n"), "");
    pending.clear();
  }
  auto end = static_cast<uint32_t>(device.text().size());
  if (!pending.empty()) edits.wrap(end, end, pending, "");
}

}  // namespace

std::string merged_text(const model::LoweringInput& input, clang::ASTUnit& device, clang::ASTUnit& host) {
  Side device_side(input.text, device), host_side(input.host_text, host);
  TextEdits edits;
  add_missing_declarations(device_side, host_side, edits);
  merge_bodies(device_side, host_side, edits);
  return edits.apply(input.text, 0, static_cast<uint32_t>(input.text.size()));
}

}  // namespace cuco::frontend
