// Which line of the source a machine instruction comes from: the .debug_line section of an image, in DWARF version 4 as
// the build asks for it. Other versions give an empty table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::vcluster {

struct LineRow {
  uint64_t address = 0;  // Of the first instruction; the row reaches to the next one's.
  uint32_t file = 0;     // In LineTable::files.
  uint32_t line = 0;
  bool is_end = false;  // The address is the first beyond the code before it.
};

struct LineTable {
  std::vector<std::string> files;
  std::vector<LineRow> rows;  // By address.
};

// The section of this name in the text of an ELF file; empty when there is none.
std::string_view elf_section(std::string_view elf, std::string_view name);

LineTable parse_line_table(std::string_view section);

// The row that holds the address, or null.
const LineRow* find_row(const LineTable& table, uint64_t address);

}  // namespace cuco::vcluster
