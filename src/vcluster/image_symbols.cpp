#include "vcluster/image_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace cuco::vcluster {

namespace {

// What the linker stub, the compiler plugins and the stand-in headers define in every image.
constexpr std::array<std::string_view, 7> kStubNames = {
    "cuco_image",           "cuco_shared_is_there",    "cuco_device_is_there", "cuco_guarded",
    "cuco_announce_shared", "cuco_announce_functions", "cuco_nccl_version"};

constexpr std::array<std::string_view, 6> kLibraryPrefixes = {"cuda", "nccl", "MPI_", "MPIX_", "cu", "__kmpc_"};

// Parts of the C library that the runner provides.
constexpr std::array<std::string_view, 18> kRunnerNames = {
    "exit",      "_exit",  "_Exit", "quick_exit",      "abort",  "clock_gettime",  "gettimeofday", "time", "clock",
    "nanosleep", "usleep", "sleep", "clock_nanosleep", "getenv", "pthread_create", "pthread_join", "rand", "syscall"};

// Mangled: of namespace cuco::vcluster.
constexpr std::string_view kRunnerNamespace = "4cuco8vcluster";

template <typename T>
std::optional<T> read_at(const std::string& image, uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, image.data() + offset, sizeof value);
  return value;
}

std::string name_at(const std::string& image, uint64_t offset) {
  if (offset >= image.size()) return "";
  return std::string(image.c_str() + offset);
}

// False when the table lies outside of the file.
bool add_table(const std::string& image, const Elf64_Shdr& table, const Elf64_Shdr& names,
               std::vector<ImageSymbol>& symbols) {
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    std::optional<Elf64_Sym> symbol = read_at<Elf64_Sym>(image, table.sh_offset + at);
    if (!symbol) return false;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE) continue;
    symbols.push_back({name_at(image, names.sh_offset + symbol->st_name), symbol->st_shndx != SHN_UNDEF});
  }
  return true;
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What cuco's rewriting adds to a program's C files.
constexpr std::string_view kRewritten = "cuco_comm_";

bool is_reserved(std::string_view name, const NameSet& exported) {
  if (is_one_of(name, kRunnerNames)) return true;
  if (name.starts_with("cuco_")) return !name.starts_with(kRewritten);
  auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return exported.contains(name) && std::any_of(kLibraryPrefixes.begin(), kLibraryPrefixes.end(), begins);
}

}  // namespace

Result<std::vector<ImageSymbol>> read_symbols(const std::string& image) {
  const Error broken = {"the built image is not an ELF file that can be read"};
  std::optional<Elf64_Ehdr> header = read_at<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return broken;
  std::vector<ImageSymbol> symbols;
  for (uint64_t i = 0; i < header->e_shnum; i++) {
    std::optional<Elf64_Shdr> table = read_at<Elf64_Shdr>(image, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table) return broken;
    if (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) continue;
    std::optional<Elf64_Shdr> names = read_at<Elf64_Shdr>(image, header->e_shoff + table->sh_link * sizeof(Elf64_Shdr));
    if (!names || !add_table(image, *table, *names, symbols)) return broken;
  }
  return symbols;
}

std::string refusal_of(const std::vector<ImageSymbol>& symbols, const NameSet& exported) {
  for (const ImageSymbol& symbol : symbols) {
    if (symbol.is_defined && is_reserved(symbol.name, exported) && !is_one_of(symbol.name, kStubNames))
      return concat("the program defines ", symbol.name, ", which only the runner may");
    if (!symbol.is_defined && symbol.name.find(kRunnerNamespace) != std::string::npos)
      return concat("the program uses ", symbol.name, ", which is the runner's own");
  }
  return "";
}

}  // namespace cuco::vcluster
