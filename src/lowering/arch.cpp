#include "lowering/arch.h"

#include "base/text.h"
#include "lowering/edits.h"

namespace cuco::lowering {

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

// A name for what is declared, the same in both texts; with its line where it declares nothing that has one.
std::string key_of(const clang::Decl& declaration, const Place& place) {
  llvm::SmallString<128> usr;
  bool is_namespace = llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration);
  if (!is_namespace && llvm::isa<clang::NamedDecl>(declaration) && !clang::index::generateUSRForDecl(&declaration, usr))
    return concat(declaration.getDeclKindName(), " ", usr.str().str());
  const auto* named = llvm::dyn_cast<clang::NamedDecl>(&declaration);
  return concat(declaration.getDeclKindName(), " ", named ? named->getNameAsString() : "", " ", place.file, ":",
                place.line);
}

const clang::FunctionDecl* function_in(const clang::Decl& declaration) { return declaration.getAsFunction(); }

// What a declaration opens, if others can stand in it.
const clang::DeclContext* scope_in(const clang::Decl& declaration) {
  if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(&declaration)) return space;
  if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(&declaration)) return linkage;
  const auto* record = llvm::dyn_cast<clang::RecordDecl>(&declaration);
  if (const auto* templated = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration))
    record = templated->getTemplatedDecl();
  return record && record->isThisDeclarationADefinition() ? record : nullptr;
}

struct Declared {
  const clang::Decl* declaration = nullptr;
  Place place;
  std::string key;
};

std::vector<Declared> declared_in(const Side& side, const clang::DeclContext& scope) {
  std::vector<Declared> all;
  for (const clang::Decl* declaration : scope.decls()) {
    if (!side.is_own(*declaration)) continue;
    Place place = side.place_of(declaration->getSourceRange());
    all.push_back({declaration, place, key_of(*declaration, place)});
  }
  return all;
}

// The body of a function that the program itself wrote out here; one without a place when there is none.
Body body_of(const Side& side, const clang::Decl& declaration) {
  const clang::FunctionDecl* function = function_in(declaration);
  if (!function || !function->doesThisDeclarationHaveABody() || !function->getBody()) return {};
  Body body{side.place_of(function->getBody()->getSourceRange())};
  bool is_kernel = function->hasAttr<clang::CUDAGlobalAttr>();
  body.on_device = is_kernel || function->hasAttr<clang::CUDADeviceAttr>();
  body.on_host = !is_kernel && (!body.on_device || function->hasAttr<clang::CUDAHostAttr>());
  return body;
}

std::string marked(const Place& place, const std::string& text, const Place& after) {
  return concat("\n# ", place.line, " \"", place.file, "\"\n", text, "\n# ", after.end_line, " \"", after.file, "\"\n");
}

std::string chosen_body(const Side& device, const Body& on_device, const Side& host, const Body& on_host) {
  std::string host_text = marked(on_host, host.text_of(on_host), on_device);
  if (!on_device.on_device) return host_text;
  return concat("{ if (!__builtin_is_constant_evaluated() && ::cuco_on_device()) ", device.text_of(on_device), " else ",
                host_text, "}");
}

// A function that is written once for each side is one of both sides.
void make_known_to_host(const Side& device, const clang::FunctionDecl& function, TextEdits& edits) {
  for (const clang::FunctionDecl* declared : function.redecls()) {
    uint32_t begin = device.place_of(declared->getInnerLocStart()).begin;
    edits.wrap(begin, begin, "__attribute__((host)) ", "");
  }
}

// The device text's body gives way where the host uses the function, too.
void merge_body(const Side& device, const Declared& on_device, const Side& host, const Declared& on_host,
                TextEdits& edits) {
  Body ours = body_of(device, *on_device.declaration), others = body_of(host, *on_host.declaration);
  if (ours.file.empty() || others.file.empty() || !others.on_host) return;
  if (squeeze(device.text_of(ours)) == squeeze(host.text_of(others))) return;
  edits.replace(ours.begin, ours.end, chosen_body(device, ours, host, others));
  if (!ours.on_host) make_known_to_host(device, *function_in(*on_device.declaration), edits);
}

// With the semicolon that ends it.
std::string whole_text(const Side& side, const Place& place) {
  size_t next = side.text().find_first_not_of(" \t\n", place.end);
  bool ends = next != std::string::npos && side.text()[next] == ';';
  return side.text_of(place) + (ends ? ";" : "");
}

// Where further declarations of a scope can stand: before the brace that closes it.
uint32_t end_of(const Side& side, const clang::DeclContext& scope) {
  if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(&scope))
    return side.place_of(record->getBraceRange()).end - 1;
  if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(&scope))
    return side.place_of(space->getSourceRange()).end - 1;
  if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(&scope); linkage && linkage->hasBraces())
    return side.place_of(linkage->getSourceRange()).end - 1;
  return static_cast<uint32_t>(side.text().size());
}

// Adds what the host's text alone has, each before the next declaration that both have.
class Merge {
 public:
  Merge(const Side& device, const Side& host, TextEdits& edits) : device_(device), host_(host), edits_(edits) {}

  void merge(const clang::DeclContext& ours, const clang::DeclContext& others) {
    std::map<std::string, std::vector<Declared>> known;
    for (Declared& declared : declared_in(device_, ours)) known[declared.key].push_back(std::move(declared));
    std::map<std::string, size_t> seen;
    std::string pending;
    for (const Declared& other : declared_in(host_, others)) {
      auto same = known.find(other.key);
      if (same == known.end()) {
        pending +=
            concat("\n# ", other.place.line, " \"", other.place.file, "\"\n", whole_text(host_, other.place), "\n");
        continue;
      }
      // A function may be declared several times; its definition is what is left when the others are used up.
      const Declared& mine = same->second[std::min(seen[other.key]++, same->second.size() - 1)];
      put_before(mine.place, pending);
      merge_pair(mine, other);
    }
    if (pending.empty()) return;
    uint32_t end = end_of(device_, ours);
    edits_.wrap(end, end, pending, "");
  }

 private:
  void merge_pair(const Declared& mine, const Declared& other) {
    merge_body(device_, definition_for(mine), host_, other, edits_);
    const clang::DeclContext* ours = scope_in(*mine.declaration);
    const clang::DeclContext* others = scope_in(*other.declaration);
    if (ours && others) merge(*ours, *others);
  }
  void put_before(const Place& next, std::string& pending) {
    if (pending.empty()) return;
    edits_.wrap(next.begin, next.begin, concat(pending, "# ", next.line, " \"", next.file, "\"\n"), "");
    pending.clear();
  }
  // The declaration with the body, where the two texts declare the function differently often.
  Declared definition_for(const Declared& mine) const {
    const clang::FunctionDecl* function = function_in(*mine.declaration);
    const clang::FunctionDecl* definition = nullptr;
    if (!function || !function->hasBody(definition)) return mine;
    return {definition, device_.place_of(definition->getSourceRange()), mine.key};
  }

  const Side& device_;
  const Side& host_;
  TextEdits& edits_;
};

}  // namespace

std::string merged_text(const vcluster::LoweringInput& input, clang::ASTUnit& device, clang::ASTUnit& host) {
  Side device_side(input.text, device), host_side(input.host_text, host);
  TextEdits edits;
  Merge(device_side, host_side, edits)
      .merge(*device_side.context().getTranslationUnitDecl(), *host_side.context().getTranslationUnitDecl());
  return edits.apply(input.text, 0, static_cast<uint32_t>(input.text.size()));
}

}  // namespace cuco::lowering
