#ifndef ARGUMENTS_H
#define ARGUMENTS_H
#include <stddef.h>

struct arguments {
  size_t count;
  int rounds;
};
void parse_arguments(int argc, char** argv, struct arguments* out);
#endif
