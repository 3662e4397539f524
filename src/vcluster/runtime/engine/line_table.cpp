#include "vcluster/runtime/engine/line_table.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace cuco::vcluster {

namespace {

// Reads numbers from the front of a text. Past its end everything is 0.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  size_t left() const { return text_.size(); }
  void skip(size_t bytes) { text_.remove_prefix(std::min(bytes, text_.size())); }

  template <typename T>
  T number() {
    T value = 0;
    std::memcpy(&value, text_.data(), std::min(sizeof value, text_.size()));
    skip(sizeof value);
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; !at_end(); shift += 7) {
      auto byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    } while (byte & 0x80 && !at_end());
    if (byte & 0x40 && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  std::string_view string() {
    std::string_view found = text_.substr(0, text_.find('\0'));
    skip(found.size() + 1);
    return found;
  }
  Reader part(size_t bytes) {
    Reader first(text_.substr(0, bytes));
    skip(bytes);
    return first;
  }

 private:
  std::string_view text_;
};

struct Header {
  uint8_t instruction_bytes_min = 1;
  int8_t line_base = 0;
  uint8_t line_range = 1;
  uint8_t opcode_base = 1;
  std::vector<uint8_t> operand_counts;  // Of opcodes 1, 2, ...
};

// One unit's line program, run to fill the table.
class Unit {
 public:
  Unit(Reader text, LineTable& table) : text_(text), table_(table), first_file_(table.files.size()) {}

  void run() {
    if (text_.number<uint16_t>() != 4) return;
    auto header_bytes = text_.number<uint32_t>();
    read_header(text_.part(header_bytes));
    while (!text_.at_end()) step(text_.number<uint8_t>());
  }

 private:
  void read_header(Reader header) {
    header_.instruction_bytes_min = header.number<uint8_t>();
    header.skip(2);  // Operations of an instruction, and whether rows are statements by default.
    header_.line_base = header.number<int8_t>();
    header_.line_range = std::max<uint8_t>(header.number<uint8_t>(), 1);
    header_.opcode_base = header.number<uint8_t>();
    for (int opcode = 1; opcode < header_.opcode_base; opcode++)
      header_.operand_counts.push_back(header.number<uint8_t>());
    read_files(header);
  }

  void read_files(Reader& header) {
    std::vector<std::string> folders = {""};
    for (std::string_view folder = header.string(); !folder.empty(); folder = header.string())
      folders.push_back(std::string(folder) + "/");
    table_.files.emplace_back();
    for (std::string_view name = header.string(); !name.empty(); name = header.string()) {
      size_t folder = header.unsigned_leb();
      header.unsigned_leb(), header.unsigned_leb();  // Time and length.
      bool is_relative = name.front() != '/' && folder < folders.size();
      table_.files.push_back((is_relative ? folders[folder] : "") + std::string(name));
    }
  }

  void add_row(bool is_end) {
    size_t file = first_file_ + row_.file;
    if (file >= table_.files.size()) file = first_file_;
    table_.rows.push_back({row_.address, static_cast<uint32_t>(file), row_.line, is_end});
  }

  void advance(uint64_t instructions) { row_.address += instructions * header_.instruction_bytes_min; }

  void step(uint8_t opcode) {
    if (opcode >= header_.opcode_base) {
      unsigned adjusted = opcode - header_.opcode_base;
      advance(adjusted / header_.line_range);
      row_.line += static_cast<uint32_t>(header_.line_base + static_cast<int>(adjusted % header_.line_range));
      add_row(false);
    } else if (opcode == 0) {
      size_t bytes = text_.unsigned_leb();
      extended(text_.part(bytes));
    } else {
      standard(opcode);
    }
  }

  void extended(Reader operands) {
    constexpr uint8_t kEndSequence = 1, kSetAddress = 2;
    auto opcode = operands.number<uint8_t>();
    if (opcode == kSetAddress) row_.address = operands.number<uint64_t>();
    if (opcode != kEndSequence) return;
    add_row(true);
    row_ = kStart;
  }

  void standard(uint8_t opcode) {
    enum : uint8_t { Copy = 1, AdvancePc, AdvanceLine, SetFile, ConstAddPc = 8, FixedAdvancePc };
    switch (opcode) {
      case Copy:
        return add_row(false);
      case AdvancePc:
        return advance(text_.unsigned_leb());
      case AdvanceLine:
        row_.line += static_cast<uint32_t>(text_.signed_leb());
        return;
      case SetFile:
        row_.file = static_cast<uint32_t>(text_.unsigned_leb());
        return;
      case ConstAddPc:
        return advance((255u - header_.opcode_base) / header_.line_range);
      case FixedAdvancePc:
        row_.address += text_.number<uint16_t>();
        return;
      default:
        for (int i = 0; i < header_.operand_counts[opcode - 1u]; i++) text_.unsigned_leb();
    }
  }

  static constexpr LineRow kStart = {0, 1, 1, false};

  Reader text_;
  LineTable& table_;
  size_t first_file_;  // Number 0 of this unit's files, which nothing uses.
  Header header_;
  LineRow row_ = kStart;
};

}  // namespace

std::string_view elf_section(std::string_view elf, std::string_view name) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header || !elf.starts_with(std::string_view(ELFMAG, SELFMAG))) return {};
  std::memcpy(&header, elf.data(), sizeof header);
  auto section_at = [&](size_t index) {
    Elf64_Shdr section = {};
    size_t at = header.e_shoff + index * sizeof section;
    if (at <= elf.size() && elf.size() - at >= sizeof section) std::memcpy(&section, elf.data() + at, sizeof section);
    return section;
  };
  auto bytes_of = [&](const Elf64_Shdr& section) {
    return section.sh_offset <= elf.size() ? elf.substr(section.sh_offset, section.sh_size) : std::string_view();
  };
  std::string_view names = bytes_of(section_at(header.e_shstrndx));
  for (size_t i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section = section_at(i);
    if (section.sh_name < names.size() && Reader(names.substr(section.sh_name)).string() == name)
      return bytes_of(section);
  }
  return {};
}

LineTable parse_line_table(std::string_view section) {
  LineTable table;
  for (Reader units(section); !units.at_end();) {
    auto bytes = units.number<uint32_t>();
    Unit(units.part(bytes), table).run();
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const LineRow& a, const LineRow& b) {
    return a.address != b.address ? a.address < b.address : a.is_end > b.is_end;
  });
  return table;
}

const LineRow* find_row(const LineTable& table, uint64_t address) {
  auto after = std::upper_bound(table.rows.begin(), table.rows.end(), address,
                                [](uint64_t wanted, const LineRow& row) { return wanted < row.address; });
  if (after == table.rows.begin() || std::prev(after)->is_end) return nullptr;
  return &*std::prev(after);
}

}  // namespace cuco::vcluster
