#include "campaign/progress_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

#include "base/number_text.h"
#include "base/text.h"
#include "report/html.h"

namespace cuco::campaign {

namespace {

size_t terminal_columns() {
  winsize size{};
  bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

// A line that wraps would take two rows, and the block could not be taken away whole.
std::string cut(const std::string& line, size_t columns) {
  return line.size() < columns ? line : concat(line.substr(0, columns - 4), "...");
}

double time_of(const evolve::Member* member) {
  return member && member->verdict.timing ? member->verdict.timing->median_us : 0;
}

}  // namespace

std::string seconds_text(double seconds) {
  long whole = std::lround(seconds);
  if (whole < 60) return concat(whole, " s");
  return concat(whole / 60, " min ", whole % 60, " s");
}

ProgressDisplay::ProgressDisplay(std::ostream& err, ShownAs form, std::chrono::seconds quiet)
    : err_(err), form_(form), quiet_(quiet), start_(std::chrono::steady_clock::now()), last_said_(start_) {}

ProgressDisplay::~ProgressDisplay() { clear(); }

double ProgressDisplay::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ProgressDisplay::on_progress(const evolve::Progress& progress) {
  std::lock_guard<std::mutex> guard(lock_);
  if (!has_started_) first_evaluations_ = progress.evaluations;
  bool advanced = !has_started_ || progress.evaluations != status_.evaluations;
  has_started_ = true;
  status_ = {progress.evaluations,
             progress.budget,
             progress.generation,
             progress.rejected,
             time_of(progress.baseline),
             time_of(progress.best),
             progress.cost_usd,
             progress.best ? progress.best->candidate.id : store::kNoId,
             progress.current};
  if (progress.current.empty()) levels_.clear();
  if (form_ == ShownAs::Block)
    draw();
  else if (form_ == ShownAs::Lines && advanced)
    say(lines()[0]);
}

void ProgressDisplay::say(const std::string& line) {
  err_ << line << std::endl;
  last_said_ = std::chrono::steady_clock::now();
}

void ProgressDisplay::on_level(store::Id candidate, const std::string& level) {
  std::lock_guard<std::mutex> guard(lock_);
  levels_[candidate] = level;
  if (form_ == ShownAs::Block) draw();
  if (form_ == ShownAs::Lines && std::chrono::steady_clock::now() - last_said_ >= quiet_) say(levels_line());
}

std::string ProgressDisplay::levels_line() const {
  std::vector<std::string> levels;
  for (const auto& [id, level] : levels_) levels.push_back(concat("#", id, " ", level));
  return levels.empty() ? "" : "  " + join(levels, ", ");
}

std::string ProgressDisplay::time_left() const {
  uint32_t done = status_.evaluations - first_evaluations_;
  if (done < 2 || status_.budget <= status_.evaluations) return "";
  double each_s = elapsed_s() / done;
  return concat(", about ", seconds_text(each_s * (status_.budget - status_.evaluations)), " left");
}

std::vector<std::string> ProgressDisplay::lines() const {
  std::string best;
  if (status_.best_us > 0) {
    best = concat(", best #", status_.best, " ", duration(status_.best_us));
    if (status_.baseline_us > 0) best += concat(" ", factor(status_.baseline_us / status_.best_us));
  }
  std::vector<std::string> lines = {concat(status_.evaluations, "/", status_.budget, " evaluations, generation ",
                                           status_.generation, best, ", ", status_.rejected, " rejected, ",
                                           dollars(status_.cost_usd), time_left())};
  for (const std::string& each : status_.current) lines.push_back("  " + squeeze(each));
  if (std::string levels = levels_line(); !levels.empty()) lines.push_back(levels);
  return lines;
}

void ProgressDisplay::erase() {
  for (; drawn_lines_ > 0; drawn_lines_--) err_ << "\033[1A\033[2K";
}

void ProgressDisplay::draw() {
  erase();
  size_t columns = terminal_columns();
  for (const std::string& line : lines()) {
    err_ << cut(line, columns) << "\n";
    drawn_lines_++;
  }
  err_ << std::flush;
}

void ProgressDisplay::clear() {
  std::lock_guard<std::mutex> guard(lock_);
  erase();
  err_ << std::flush;
}

}  // namespace cuco::campaign
