// Columns as wide as their widest cell; numbers stand to the right.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace cuco {

class Table {
 public:
  enum class Align : uint8_t { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column.
  void add(std::vector<std::string> cells);
  void write(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cuco
