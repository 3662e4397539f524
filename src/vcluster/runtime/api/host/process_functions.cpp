// Functions of the C library whose state lies where nobody else gets at it: every process has its own here. See
// process_state.h.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ext/stdio_sync_filebuf.h>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"

using namespace cuco::vcluster;

namespace {

bool running() { return world != nullptr && world->current_host != nullptr; }

ProcessState& state() { return current_process().state; }

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

size_t length_of(char** words) {
  size_t length = 0;
  while (words && words[length]) length++;
  return length;
}

bool sets(const char* word, std::string_view name) {
  return std::strncmp(word, name.data(), name.size()) == 0 && word[name.size()] == '=';
}

char** find_variable(std::string_view name) {
  for (char** word = environ; word && *word; word++)
    if (sets(*word, name)) return word;
  return nullptr;
}

// The array is made anew: a program may hold the one that it was started with.
void append_variable(char* word) {
  size_t length = length_of(environ);
  auto** longer = static_cast<char**>(current_process().heap.allocate((length + 2) * sizeof(char*)));
  std::copy(environ, environ + length, longer);
  longer[length] = word, longer[length + 1] = nullptr;
  environ = longer;
}

void set_variable(std::string_view name, char* word) {
  if (char** found = find_variable(name))
    *found = word;
  else
    append_variable(word);
}

bool is_name(const char* name) { return name && *name && !std::strchr(name, '='); }

int refuse_name() {
  errno = EINVAL;
  return -1;
}

tm* kept_time(const tm* time) {
  if (!time) return nullptr;
  if (!state().time) state().time = static_cast<tm*>(current_process().heap.allocate(sizeof(tm)));
  *state().time = *time;
  return state().time;
}

char* kept_text(const char* text) {
  constexpr size_t kBytes = 64;  // asctime_r needs 26.
  if (!text) return nullptr;
  if (!state().time_text) state().time_text = static_cast<char*>(current_process().heap.allocate(kBytes));
  return std::strncpy(state().time_text, text, kBytes - 1);
}

// The streams of C++ write to where the C stream of the same name does.
void lead_stream(FILE* to, FILE* instead_of) {
  auto* buffer = new __gnu_cxx::stdio_sync_filebuf<char>(to);
  if (instead_of == stdout) std::cout.rdbuf(buffer);
  if (instead_of == stderr) std::cerr.rdbuf(buffer), std::clog.rdbuf(buffer);
}

// In place of stdout or stderr, for this process alone; null: it cannot be opened.
FILE* replace_console(const char* path, const char* mode, FILE* console) {
  FILE* opened = std::fopen(path, mode);
  if (!opened) return nullptr;
  lead_stream(opened, console);
  (console == stdout ? stdout : stderr) = opened;
  return opened;
}

bool is_console(FILE* stream) { return running() && stream && (stream == stdout || stream == stderr); }

}  // namespace

extern "C" {

char* getenv(const char* name) {
  char** found = find_variable(name);
  return found ? *found + std::strlen(name) + 1 : nullptr;
}
char* secure_getenv(const char* name) { return getenv(name); }

int setenv(const char* name, const char* value, int overwrite) {
  if (!is_name(name)) return refuse_name();
  if (!running() || (!overwrite && find_variable(name))) return 0;
  set_variable(name, copy_text(current_process().heap, cuco::concat(name, "=", value)));
  return 0;
}
int putenv(char* word) {
  const char* equals = std::strchr(word, '=');
  if (!equals) return unsetenv(word);
  if (running()) set_variable({word, static_cast<size_t>(equals - word)}, word);
  return 0;
}
int unsetenv(const char* name) {
  if (!is_name(name)) return refuse_name();
  while (char** found = find_variable(name))
    for (; *found; found++) found[0] = found[1];
  return 0;
}
int clearenv() {
  if (environ) *environ = nullptr;
  return 0;
}

char* strtok(char* text, const char* separators) {
  static char* of_runner = nullptr;
  return strtok_r(text, separators, running() ? &state().token_place : &of_runner);
}

tm* localtime(const time_t* time) {
  tm result;
  return running() ? kept_time(localtime_r(time, &result)) : nullptr;
}
tm* gmtime(const time_t* time) {
  tm result;
  return running() ? kept_time(gmtime_r(time, &result)) : nullptr;
}
char* asctime(const tm* time) {
  char text[64];
  return running() ? kept_text(asctime_r(time, text)) : nullptr;
}
char* ctime(const time_t* time) { return asctime(localtime(time)); }

char* setlocale(int category, const char* locale) {
  static auto set = real<char* (*)(int, const char*)>("setlocale");
  char* result = set(category, locale);
  if (running() && locale && result) note_locale(set(LC_ALL, nullptr));
  return result;
}

int chdir(const char* path) {
  static auto change = real<int (*)(const char*)>("chdir");
  int result = change(path);
  if (running() && result == 0) note_folder(std::filesystem::current_path().string());
  return result;
}

FILE* freopen(const char* path, const char* mode, FILE* stream) {
  static auto open_again = real<FILE* (*)(const char*, const char*, FILE*)>("freopen");
  return path && is_console(stream) ? replace_console(path, mode, stream) : open_again(path, mode, stream);
}
FILE* freopen64(const char* path, const char* mode, FILE* stream) { return freopen(path, mode, stream); }
int fclose(FILE* stream) {
  static auto close_stream = real<int (*)(FILE*)>("fclose");
  if (!is_console(stream)) return close_stream(stream);
  std::fflush(stream);
  return replace_console("/dev/null", "w", stream) ? 0 : EOF;
}
}
