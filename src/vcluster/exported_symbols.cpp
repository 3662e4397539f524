#include "vcluster/exported_symbols.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace cuco::vcluster {

namespace {

// Copies `count` records that start at `offset`; none when they do not lie inside the file.
template <typename Record>
std::vector<Record> records_at(const std::string& bytes, uint64_t offset, uint64_t count) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(Record)) return {};
  std::vector<Record> records(count);
  if (count > 0) std::memcpy(records.data(), bytes.data() + offset, count * sizeof(Record));
  return records;
}

void add_names(const std::string& bytes, const Elf64_Shdr& table, const Elf64_Shdr& strings, NameSet& names) {
  for (const Elf64_Sym& symbol : records_at<Elf64_Sym>(bytes, table.sh_offset, table.sh_size / sizeof(Elf64_Sym))) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.sh_size) continue;
    uint64_t at = strings.sh_offset + symbol.st_name;
    if (at < bytes.size()) names.emplace(bytes.c_str() + at);
  }
}

}  // namespace

Result<NameSet> exported_symbols(const std::filesystem::path& executable) {
  Result<std::string> bytes = read_file(executable);
  if (!bytes) return bytes.error();
  std::vector<Elf64_Ehdr> header = records_at<Elf64_Ehdr>(*bytes, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0)
    return Error{concat(executable.string(), ": not an executable of this machine")};
  NameSet names;
  std::vector<Elf64_Shdr> sections = records_at<Elf64_Shdr>(*bytes, header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_DYNSYM && section.sh_link < sections.size())
      add_names(*bytes, section, sections[section.sh_link], names);
  return names;
}

}  // namespace cuco::vcluster
