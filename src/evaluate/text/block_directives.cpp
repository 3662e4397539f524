#include <algorithm>

#include "base/text.h"
#include "evaluate/text/block_scan.h"

namespace cuco::evaluate {

namespace {

using Names = std::set<std::string>;

const Names& allowed_headers() {
  static const Names headers = {"algorithm",
                                "array",
                                "cassert",
                                "cfloat",
                                "climits",
                                "cmath",
                                "cstddef",
                                "cstdint",
                                "cstdio",
                                "cstdlib",
                                "cstring",
                                "functional",
                                "initializer_list",
                                "limits",
                                "memory",
                                "numeric",
                                "optional",
                                "stdexcept",
                                "string",
                                "tuple",
                                "type_traits",
                                "utility",
                                "vector",
                                "stdint.h",
                                "stddef.h",
                                "math.h",
                                "assert.h",
                                "stdio.h",
                                "string.h",
                                "float.h",
                                "limits.h",
                                "cooperative_groups.h",
                                "cuda.h",
                                "cuda_bf16.h",
                                "cuda_fp16.h",
                                "cuda_fp4.h",
                                "cuda_fp6.h",
                                "cuda_fp8.h",
                                "cuda_pipeline.h",
                                "cuda_runtime.h",
                                "cuda_runtime_api.h",
                                "curand_kernel.h",
                                "mma.h",
                                "mpi.h",
                                "nccl.h",
                                "nccl_device.h",
                                "cublas_v2.h",
                                "vector_types.h",
                                "vector_functions.h"};
  return headers;
}
constexpr const char* kAllowedFolders[] = {"cooperative_groups/", "cuco/comm", "cuda/", "nccl_device/"};

// As a compiler's own list, without the ones that no program would redefine for a good reason.
const Names& keywords() {
  static const Names words = {"alignas",
                              "alignof",
                              "asm",
                              "auto",
                              "bool",
                              "break",
                              "case",
                              "catch",
                              "char",
                              "class",
                              "const",
                              "const_cast",
                              "constexpr",
                              "continue",
                              "decltype",
                              "default",
                              "delete",
                              "do",
                              "double",
                              "dynamic_cast",
                              "else",
                              "enum",
                              "explicit",
                              "extern",
                              "false",
                              "float",
                              "for",
                              "friend",
                              "goto",
                              "if",
                              "inline",
                              "int",
                              "long",
                              "mutable",
                              "namespace",
                              "new",
                              "noexcept",
                              "nullptr",
                              "operator",
                              "private",
                              "protected",
                              "public",
                              "reinterpret_cast",
                              "return",
                              "short",
                              "signed",
                              "sizeof",
                              "static",
                              "static_assert",
                              "static_cast",
                              "struct",
                              "switch",
                              "template",
                              "this",
                              "throw",
                              "true",
                              "try",
                              "typedef",
                              "typeid",
                              "typename",
                              "union",
                              "unsigned",
                              "using",
                              "virtual",
                              "void",
                              "volatile",
                              "while",
                              "defined",
                              "std",
                              "main"};
  return words;
}

class DirectiveScan {
 public:
  DirectiveScan(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints)
      : tokens_(tokens), frozen_(frozen), complaints_(complaints) {}

  void run() {
    for (at_ = 0; at_ < tokens_.size(); at_++) {
      const Token& token = tokens_[at_];
      if (token.text == "##" && token.in_directive) complain("'##' makes names that cannot be checked");
      if (token.in_directive && token.starts_line) directive();
    }
  }

 private:
  const Token& after(size_t count) const {
    bool same = at_ + count < tokens_.size() && tokens_[at_ + count].in_directive && !tokens_[at_ + count].starts_line;
    return same ? tokens_[at_ + count] : none_;
  }
  void complain(std::string what) { complaints_.push_back({tokens_[at_].line, std::move(what)}); }

  void directive() {
    const std::string& word = after(1).text;
    static const Names harmless = {"",      "if",    "ifdef",   "ifndef",  "elif",    "else",
                                   "endif", "error", "warning", "elifdef", "elifndef"};
    if (word == "include")
      include();
    else if (word == "define")
      define();
    else if (word == "undef")
      undefine();
    else if (word == "pragma")
      pragma();
    else if (!harmless.contains(word))
      complain(concat("#", word, " is not allowed in an evolve block"));
  }

  void include() {
    std::string name;
    const Token& opening = after(2);
    if (opening.kind == TokenKind::String)
      name = opening.text.substr(1, opening.text.size() - 2);
    else if (opening.is("<"))
      for (size_t i = 3; !after(i).text.empty(); i++) {
        if (after(i).is(">")) break;
        name += after(i).text;
      }
    bool in_folder = std::any_of(std::begin(kAllowedFolders), std::end(kAllowedFolders),
                                 [&](const char* folder) { return name.starts_with(folder); });
    bool climbs = name.find("..") != std::string::npos;
    if (climbs || (!in_folder && !allowed_headers().contains(name)))
      complain(concat("#include of '", name, "': not among the headers that a candidate may add"));
  }

  void define() {
    const std::string& name = after(2).text;
    if (keywords().contains(name) || is_library_name(name) || name.starts_with("__"))
      complain(concat("macro '", name, "' would replace a name of the language or of a library"));
    else if (frozen_.all.contains(name))
      complain(concat("macro '", name, "' would replace a name that frozen text uses"));
    defined_.insert(name);
  }

  void undefine() {
    const std::string& name = after(2).text;
    if (!defined_.contains(name)) complain(concat("#undef of '", name, "', which this block did not define"));
  }

  void pragma() {
    if (after(2).text != "unroll")
      complain(concat("#pragma ", after(2).text, " changes what the compiler does; only unroll is allowed"));
  }

  const std::vector<Token>& tokens_;
  const FrozenNames& frozen_;
  std::vector<Complaint>& complaints_;
  Names defined_;
  size_t at_ = 0;
  Token none_{TokenKind::Punctuation, ""};
};

}  // namespace

void scan_directives(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints) {
  DirectiveScan(tokens, frozen, complaints).run();
}

}  // namespace cuco::evaluate
