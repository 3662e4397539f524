// What a model is told about a program, or a reply, of its own that was rejected: all findings in short, the lines that
// they name with their numbers, and what earlier attempts at the same program were.
#pragma once

#include <string>
#include <vector>

#include "agent/program_text.h"

namespace cuco::agent {

struct ReportedFinding {
  std::string kind;                   // "window_race"
  int rank = -1;                      // -1: of no rank.
  std::string text;                   // One sentence; places in it are "file:line".
  std::vector<int> other_ranks = {};  // That did the same.
};

struct Rejection {
  ProgramText program;  // That the findings speak of.
  std::vector<ReportedFinding> findings;
  std::string reply;                  // Of one that could not be made into a program; else empty.
  std::vector<std::string> attempts;  // Before this one, a line each, the first one first.
};

// A line for each kind and set of places, with its ranks and how often it was found.
std::string findings_in_short(const Rejection& rejection);

// The lines that findings name, a few around each, with their numbers in the file; '>' leads those that are named.
std::string numbered_excerpts(const Rejection& rejection);

std::string rejection_text(const Rejection& rejection);

}  // namespace cuco::agent
