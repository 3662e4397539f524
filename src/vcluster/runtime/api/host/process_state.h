// What the C and C++ libraries keep for one process. All ranks live in one process of the machine, and the libraries'
// variables are there once: whose values they hold changes with the process that runs. Where a library gives no access
// to what it keeps, the runner has functions of its own (process_functions.cpp, options.cpp).
//
// Ranks have their own: getopt's variables and place, strtok's place, the environment, the random generators
// (random.cpp), errno (of each thread), the locale, the current folder, stdout and stderr when they are opened anew
// or closed, formats and states of std::cout, cerr, clog and cin, what localtime, gmtime, ctime and asctime return.
// They share: handlers of signals, umask, std::locale::global, and what libraries linked with -l keep.
#pragma once

#include <clocale>
#include <cstdio>
#include <ctime>
#include <ios>
#include <string>

namespace cuco::vcluster {

struct Process;

struct StreamState {
  std::ios::fmtflags flags;
  std::streamsize precision, width;
  char fill;
  std::ios::iostate state;
  std::streambuf* buffer;
};

// The variables of <getopt.h>, in its order of declaration.
struct OptionVariables {
  char* argument = nullptr;
  int index = 1, errors = 1, option = '?';
};

struct ProcessState {
  bool is_begun = false;
  OptionVariables options;
  size_t option_place = 0;        // In a word of several short options; 0: at the next word.
  char* token_place = nullptr;    // strtok's.
  char** environment = nullptr;   // In the process's heap, with a null pointer behind the last.
  std::string locale = "C";       // As setlocale(LC_ALL, nullptr) has it.
  std::string folder;             // Empty: that of the run.
  FILE *output = nullptr, *errors = nullptr;
  StreamState streams[4];
  tm* time = nullptr;             // What the functions of <ctime> return, in the process's heap.
  char* time_text = nullptr;
};

// Puts the values of the process in place of those that are there, which are kept. The first call for a process gives
// it those that a launcher starts it with.
void enter_process(Process& process);

// What the running process has just set, so that others can be told apart from it.
void note_locale(const char* locale);
void note_folder(const std::string& folder);

// Whether a variable of <getopt.h> lies there, which programs may set.
bool is_option_variable(const void* address, size_t bytes);

}  // namespace cuco::vcluster
