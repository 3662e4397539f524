// The process in which one run of a program takes place. What is asked of it comes through its standard input, one "key
// value" a line, and is read before the program is loaded, which finds nothing there any more.
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "base/text.h"
#include "vcluster/runtime/api/cuda/visible_devices.h"
#include "vcluster/runtime/api/host/exit_functions.h"
#include "vcluster/runtime/engine/confinement.h"
#include "vcluster/runtime/engine/faults.h"
#include "vcluster/runtime/engine/world.h"

namespace {

using namespace cuco;
using namespace cuco::vcluster;

Watch read_watch(const std::string& text) {
  Watch watch;
  std::istringstream(text) >> watch.rank >> watch.allocation >> watch.offset >> watch.count >> watch.element;
  return watch;
}

CallLoop read_loop(const std::string& text) {
  CallLoop loop;
  std::istringstream(text) >> loop.calls >> loop.calls_max >> loop.few_if_large;
  return loop;
}

Upload read_upload(const std::string& text) {
  Upload upload;
  std::istringstream(text) >> upload.digest >> upload.element;
  return upload;
}

WantedPlace read_wanted(const std::string& text) {
  WantedPlace place;
  std::istringstream(text) >> place.rank >> place.buffer >> place.is_scratch >> place.index;
  return place;
}

std::string take_input() {
  std::string text;
  char chunk[4096];
  for (ssize_t got = 0; (got = read(STDIN_FILENO, chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<size_t>(got));
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  return text;
}

Result<RunOptions> read_options(const std::string& text) {
  RunOptions options;
  std::string profile;
  for (const std::string& line : split(text, '\n')) {
    size_t space = line.find(' ');
    std::string key = line.substr(0, space);
    std::string value = space == line.npos ? "" : line.substr(space + 1);
    if (key == "image") options.image = value;
    if (key == "report") options.report_path = value;
    if (key == "trace") options.trace_path = value;
    if (key == "accesses") options.accesses_path = value;
    if (key == "scratch") options.scratch = value;
    if (key == "headers") options.header_folder = value;
    if (key == "profile") profile = value;
    if (key == "argument") options.arguments.push_back(value);
    if (key == "ranks") options.rank_count = static_cast<uint32_t>(std::stoul(value));
    if (key == "nodes") options.node_count = static_cast<uint32_t>(std::stoul(value));
    if (key == "seed") options.seed = std::stoull(value);
    if (key == "check") options.check = value == "1";
    if (key == "memory_mib") options.memory_mib_max = std::stoull(value);
    if (key == "sample") options.sample = value == "1";
    if (key == "bodies") options.leaves_out_bodies = value == "1";
    if (key == "limit_s") options.limit_s = static_cast<uint32_t>(std::stoul(value));
    if (key == "sample") options.harness.sampled = value == "1";
    if (key == "harness") options.harness.expected = value == "1";
    if (key == "plain") options.harness.plain = value == "1";
    if (key == "perturb") options.harness.perturbed.push_back(read_upload(value));
    if (key == "read_back") options.harness.read_backs.push_back(parse_read_back(value));
    if (key == "watch") options.harness.watches.push_back(read_watch(value));
    if (key == "capture") options.harness.capture_path = value;
    if (key == "run_key") options.harness.run_key = value;
    if (key == "compared") options.harness.compared = value == "1";
    if (key == "wanted") options.harness.wanted.push_back(read_wanted(value));
    if (key == "loop") options.harness.loop = read_loop(value);
    if (key == "warmups") options.harness.warmups = static_cast<uint32_t>(std::stoul(value));
    if (key == "nudged") options.harness.nudged = value == "1";
    if (key == "iterations") options.harness.iterations = static_cast<uint32_t>(std::stoul(value));
    if (key == "own_device" && value == "1") show_each_rank_its_own();
    if (key == "confined") options.confined = value == "1";
    if (key == "ranks_are_processes") options.ranks_are_processes = value == "1";
  }
  Result<model::HardwareProfile> loaded = model::load_profile(".", profile);
  if (!loaded) return loaded.error();
  options.profile = *loaded;
  return options;
}

// The image and the libraries land at the same addresses in every run, above those of memory.h: without a limit on the
// stack the kernel would place them among these.
void fix_addresses(char** argv) {
  int current = personality(0xffffffff);
  if (current & ADDR_NO_RANDOMIZE) return;
  rlimit stack = {8u << 20, 8u << 20};
  setrlimit(RLIMIT_STACK, &stack);
  personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", argv);
}

void limit_processor_time(uint32_t seconds) {
  rlimit limit = {seconds, seconds + 5};
  setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

int main(int, char** argv) {
  fix_addresses(argv);
  Result<RunOptions> options = read_options(take_input());
  if (!options) {
    std::fprintf(stderr, "%s\n", options.error().message.c_str());
    return 2;
  }
  limit_processor_time(options->limit_s);
  // Lives until the process ends: programs hold pointers into it.
  auto* run = new World(*options);
  catch_faults();
  catch_exits_of_libraries();
  if (options->confined && !deny_what_only_the_start_needs()) {
    std::fprintf(stderr, "the kernel refuses the filter of system calls\n");
    return 2;
  }
  run->run();
}
