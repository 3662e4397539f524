// A program of which only some parts may change, as the proposing roles see it. Which parts these are is the caller's
// to say; here they are shown, numbered from 1, and put back. Frozen text may be left out of what is shown, never the
// text of a block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/program_text.h"

namespace cuco::agent {

struct EditableBlock {
  size_t file = 0;            // Index into the files.
  size_t begin = 0, end = 0;  // Bytes of its text; whole lines.
};

struct EditableProgram {
  ProgramText files;
  std::vector<EditableBlock> blocks;  // In the order of the files and of their text.
};

std::string block_text(const EditableProgram& program, size_t block);

// One line a block with its place, and one line a file with the lines that are frozen.
std::string outline(const EditableProgram& program);

// How much of a program is shown; each level shows less than the one before it.
enum class Detail : uint8_t {
  Whole,
  FrozenInShort,     // Of frozen text in namespaces only what is needed to call it (short_text.h).
  LibrariesInShort,  // Likewise of blocks that are all in namespaces.
  LibrariesByName,   // Of both only what the other blocks and the offer name themselves.
  FrozenEdges,       // And of frozen text only the lines next to blocks, and how many lie between them.
};

// Every file in a fence, headed by "FILE: path". The line before a block, its marker, says the block's number:
//   // EVOLVE-BLOCK-START (block 2)
//   // EVOLVE-BLOCK-START (block 3, in short)
// What `offered` speaks of counts as needed.
std::string shown(const EditableProgram& program, Detail detail, std::string_view offered);

// The blocks alone but for libraries, each in a fence headed by "BLOCK: n".
std::string shown_blocks_only(const EditableProgram& program);

// A line of such a text as it stands in the file.
std::string without_block_number(const std::string& line);

// The program with other texts in its blocks, one for each. A text is made to end its last line.
ProgramText with_blocks(const EditableProgram& program, const std::vector<std::string>& texts);

}  // namespace cuco::agent
