#include "model/compiler_words.h"

#include <algorithm>
#include <ranges>
#include <string_view>

#include "base/text.h"
#include "model/build_flags.h"

namespace cuco::model {

namespace {

using Words = std::vector<std::string>;

// A name with one or two dashes is the same word for nvcc. Names are without dashes here.
constexpr std::string_view kWithValue[] = {
    "MF",
    "MT",
    "MQ",
    "arch",
    "gencode",
    "code",
    "gpu-architecture",
    "gpu-code",
    "ccbin",
    "Xptxas",
    "generate-code",
    "param",
    "cudart",
    "t",
    "compiler-bindir",
    "threads",
    "odir",
    "Xlinker",
    "ptxas-options",
    "Xnvlink",
    "Xcudafe",
    "Xarchive",
    "linker-options",
    "diag-suppress",
    "diag-error",
    "rpath",
};
constexpr std::string_view kAlone[] = {
    "c",
    "g",
    "G",
    "w",
    "v",
    "m64",
    "pipe",
    "MD",
    "MMD",
    "M",
    "MM",
    "MP",
    "shared",
    "static",
    "pthread",
    "dlink",
    "device-link",
    "lineinfo",
    "generate-line-info",
    "compile",
    "debug",
    "device-debug",
    "res-usage",
    "resource-usage",
    "keep",
    "save-temps",
    "disable-warnings",
    "no-pie",
    "pie",
    "verbose",
    "s",
};
// Beginnings of words that hold their value: -O2, -Wall, -fPIC, -march=native.
constexpr std::string_view kBeginnings[] = {
    "-O", "-W", "-f", "-march=", "-mtune=", "-mavx", "-msse", "-mfma", "--optimize"};

constexpr std::string_view kForNvcc[] = {
    "extended-lambda", "expt-extended-lambda", "expt-relaxed-constexpr", "use_fast_math", "dc", "device-c"};
constexpr std::string_view kForNvccWithValue[] = {
    "rdc", "relocatable-device-code", "default-stream", "maxrregcount", "fmad", "ftz", "prec-div", "prec-sqrt"};

bool is_among(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

class CodeWords {
 public:
  explicit CodeWords(OutputWord output) : output_(output) {}

  Words read(const Words& words) {
    for (size_t i = 0; i < words.size(); i++) i += take(words[i], i + 1 < words.size() ? &words[i + 1] : nullptr);
    return std::move(left_);
  }

 private:
  // How many further words were part of it.
  size_t take(const std::string& word, const std::string* next) {
    if (word.size() < 2 || word[0] != '-') return left_.push_back(word), 0;
    size_t dashes = word.starts_with("--") ? 2 : 1;
    size_t equals = std::min(word.find('='), word.size());
    std::string name = word.substr(dashes, equals - dashes);
    bool has_value = equals < word.size();
    size_t taken = has_value || !next ? 0 : 1;
    std::string value = has_value ? word.substr(equals + 1) : next ? *next : "";
    if (name == "std") return left_.insert(left_.end(), {"--std", value}), taken;
    if (name == "Xcompiler" || name == "compiler-options") return take_host_words(value), taken;
    if (word == "-o" && output_ == OutputWord::Dropped) return taken;
    if (is_among(name, kForNvcc)) return for_nvcc(name == "dc" || name == "device-c" ? "-rdc=true" : word), 0;
    if (is_among(name, kForNvccWithValue)) return for_nvcc(concat(word.substr(0, equals), "=", value)), taken;
    if (is_among(name, kWithValue)) return taken;
    // What a file's name says is right for all other languages.
    if (name == "x") return value == "cu" || value == "cuda" ? for_nvcc(kAllIsCuda) : void(), taken;
    if (word == "-fopenmp") return for_nvcc("-Xcompiler=-fopenmp"), 0;
    bool is_left_out = (is_among(name, kAlone) && !has_value) ||
                       std::ranges::any_of(kBeginnings, [&](std::string_view each) { return word.starts_with(each); });
    if (!is_left_out) left_.push_back(word);
    return 0;
  }

  void take_host_words(const std::string& value) {
    for (const std::string& words : split(value, ','))
      for (const std::string& word : split(words, ' '))
        if (word.starts_with('-')) take(word, nullptr);
  }

  void for_nvcc(const std::string& word) { left_.push_back("--nvcc-option=" + word); }

  OutputWord output_;
  Words left_;
};

}  // namespace

Words without_code_generation(const Words& words, OutputWord output) { return CodeWords(output).read(words); }

}  // namespace cuco::model
