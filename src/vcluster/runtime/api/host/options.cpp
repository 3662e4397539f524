// getopt, getopt_long and getopt_long_only as the GNU C library has them: words that are no options are moved behind
// those that are, unless the list of options begins with + or -, or POSIXLY_CORRECT is set. The C library's own keep
// their place where it cannot be swapped with the process that runs.
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "vcluster/runtime/engine/world.h"

using namespace cuco::vcluster;

extern "C" {
char* optarg = nullptr;
int optind = 1, opterr = 1, optopt = '?';
}

namespace {

enum Has { None = no_argument, Required = required_argument, Optional = optional_argument };

struct Call {
  int count;
  char** words;
  const char* shorts;  // Without the signs in front.
  const option* longs;
  int* chosen;
  bool one_dash_is_long;  // getopt_long_only.
  bool tells;             // Of a missing argument by ':' instead of '?', and prints nothing.

  const char* word() const { return words[optind]; }
};

size_t& place() {
  static size_t of_runner = 0;
  return world && world->current_host ? current_process().state.option_place : of_runner;
}

bool is_option(const char* word) { return word[0] == '-' && word[1] != '\0'; }

template <typename... Parts>
int complain(const Call& call, const char* format, Parts... parts) {
  if (!opterr || call.tells) return '?';
  std::fprintf(stderr, "%s: ", call.words[0]);
  std::fprintf(stderr, format, parts...);
  std::fputc('\n', stderr);
  return '?';
}

// The argument of an option whose word is done, from the next word.
bool take_next_word(const Call& call) {
  if (optind >= call.count) return false;
  optarg = call.words[optind++];
  return true;
}

int short_option(const Call& call) {
  if (place() == 0) place() = 1;
  char letter = call.word()[place()++];
  const char* rest = call.word() + place();
  bool is_last = *rest == '\0';
  if (is_last) optind++, place() = 0;
  const char* known = letter == ':' || letter == ';' ? nullptr : std::strchr(call.shorts, letter);
  optopt = static_cast<unsigned char>(letter);
  if (!known) return complain(call, "invalid option -- '%c'", letter);
  if (known[1] != ':') return optopt;
  if (!is_last) {
    optarg = const_cast<char*>(rest);
    optind++, place() = 0;
    return optopt;
  }
  if (known[2] == ':' || take_next_word(call)) return optopt;
  complain(call, "option requires an argument -- '%c'", letter);
  return call.tells ? ':' : '?';
}

struct Match {
  const option* found = nullptr;
  bool is_ambiguous = false;
};

Match find_long(const Call& call, const char* name, size_t length) {
  Match match;
  for (const option* each = call.longs; each->name; each++) {
    if (std::strncmp(each->name, name, length) != 0) continue;
    if (std::strlen(each->name) == length) return {each, false};
    bool differs = match.found && (match.found->has_arg != each->has_arg || match.found->flag != each->flag ||
                                   match.found->val != each->val);
    match.is_ambiguous = match.is_ambiguous || differs;
    if (!match.found) match.found = each;
  }
  return match;
}

int value_of(const Call& call, const option& chosen) {
  if (call.chosen) *call.chosen = static_cast<int>(&chosen - call.longs);
  if (!chosen.flag) return chosen.val;
  *chosen.flag = chosen.val;
  return 0;
}

int long_option(const Call& call, const char* name, size_t length, const Match& match) {
  const char* value = name[length] == '=' ? name + length + 1 : nullptr;
  optind++, place() = 0;
  optopt = match.found && !match.is_ambiguous ? match.found->val : 0;
  if (match.is_ambiguous) return complain(call, "option '--%s' is ambiguous", name);
  if (!match.found) return complain(call, "unrecognized option '--%.*s'", static_cast<int>(length), name);
  if (value && match.found->has_arg == None)
    return complain(call, "option '--%s' doesn't allow an argument", match.found->name);
  if (value) optarg = const_cast<char*>(value);
  if (!value && match.found->has_arg == Required && !take_next_word(call)) {
    complain(call, "option '--%s' requires an argument", match.found->name);
    return call.tells ? ':' : '?';
  }
  return value_of(call, *match.found);
}

int option_at(const Call& call) {
  optarg = nullptr;
  const char* word = call.word();
  if (place() == 0 && std::strcmp(word, "--") == 0) return optind++, -1;
  bool two_dashes = word[1] == '-';
  if (place() != 0 || !call.longs || !(two_dashes || call.one_dash_is_long)) return short_option(call);
  const char* name = word + (two_dashes ? 2 : 1);
  size_t length = std::strcspn(name, "=");
  Match match = find_long(call, name, length);
  bool is_short = !two_dashes && !match.found && std::strchr(call.shorts, name[0]);
  return is_short ? short_option(call) : long_option(call, name, length, match);
}

// The words of the option come before those that were passed over.
int with_words_moved(const Call& call, int passed_from) {
  int option_from = optind;
  int result = option_at(call);
  std::rotate(call.words + passed_from, call.words + option_from, call.words + optind);
  optind = passed_from + (optind - option_from);
  return result;
}

int next_option(Call call) {
  if (optind == 0) optind = 1, place() = 0;
  bool in_order = call.shorts[0] == '-', stops = call.shorts[0] == '+' || (!in_order && std::getenv("POSIXLY_CORRECT"));
  if (call.shorts[0] == '-' || call.shorts[0] == '+') call.shorts++;
  call.tells = call.shorts[0] == ':';
  int first = optind;
  if (optind >= call.count) return -1;
  if (in_order && place() == 0 && !is_option(call.word())) return optarg = call.words[optind++], 1;
  while (!stops && optind < call.count && !is_option(call.word())) optind++;
  if (optind < call.count && is_option(call.word())) return with_words_moved(call, first);
  optind = first;
  return -1;
}

}  // namespace

extern "C" {

int getopt(int count, char* const* words, const char* shorts) {
  return next_option({count, const_cast<char**>(words), shorts, nullptr, nullptr, false, false});
}
int __posix_getopt(int count, char* const* words, const char* shorts) { return getopt(count, words, shorts); }
int getopt_long(int count, char* const* words, const char* shorts, const option* longs, int* chosen) {
  return next_option({count, const_cast<char**>(words), shorts, longs, chosen, false, false});
}
int getopt_long_only(int count, char* const* words, const char* shorts, const option* longs, int* chosen) {
  return next_option({count, const_cast<char**>(words), shorts, longs, chosen, true, false});
}
}
