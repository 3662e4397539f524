#pragma once

struct Options {
  int m = 8192;
  int n = 8192;
  int k = 8192;
  int iterations = 10;
};

bool parse_options(int argc, char** argv, Options* options);
void usage(const char* program);
