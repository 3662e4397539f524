#include "arguments.h"

#include <stdlib.h>
#include <unistd.h>

enum kind { COUNT = 'n', ROUNDS = 'k' };

void parse_arguments(int argc, char** argv, struct arguments* out) {
  enum kind class;
  int letter;
  while ((letter = getopt(argc, argv, "n:k:")) != -1) {
    class = letter;
    if (class == COUNT) out->count = strtoul(optarg, NULL, 10);
    if (class == ROUNDS) out->rounds = atoi(optarg);
  }
}
