#include "options.h"

#include <cstdio>
#include <cstdlib>

bool parse_options(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    if (argv[i][0] != '-' || argv[i][1] == '\0' || i + 1 >= argc) return false;
    const int value = std::atoi(argv[i + 1]);
    if (value <= 0) return false;
    switch (argv[i][1]) {
      case 'm': options->m = value; break;
      case 'n': options->n = value; break;
      case 'k': options->k = value; break;
      case 'i': options->iterations = value; break;
      default: return false;
    }
  }
  return true;
}

void usage(const char* program) { std::fprintf(stderr, "usage: %s [-m M] [-n N] [-k K] [-i ITERATIONS]\n", program); }
