#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "base/files.h"
#include "cli/command.h"

int main(int argc, char** argv) {
  // A reader that goes away shows as a failed write, which is reported, instead of a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  cuco::RealProcessRunner processes;
  cuco::RealEnvironment environment;
  bool colour = isatty(STDOUT_FILENO) == 1 && !environment.variable("NO_COLOR");
  cuco::cli::Context context{std::cout, std::cerr, colour, processes, environment, cuco::share_folder()};
  return cuco::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc), context);
}
