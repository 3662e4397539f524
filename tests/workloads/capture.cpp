// A harness of two iterations whose inputs and outputs become files RANK.NAME in CAPTURE_FOLDER, those of the second
// iteration last: what a test needs to compare a program with numbers of its own.
#include <cstdio>
#include <string>
#include <vector>

#include "cuco/harness.h"

namespace {

constexpr int kIterations = 2;
constexpr uint64_t kSeed = 7;

struct Capture {
  int rank = 0, iteration = 0;
  std::vector<cuco_buffer> buffers;
};

// Never freed: the program may end at any call.
Capture& capture() {
  static auto* only = new Capture;
  return *only;
}

std::vector<char> prepared(const cuco_buffer& buffer, uint32_t input) {
  auto element = static_cast<cuco::Element>(buffer.element);
  std::vector<char> bytes(buffer.count * bytes_of(element), static_cast<char>(0xff));
  if (buffer.role != 0) return bytes;
  cuco::Distribution distribution = {static_cast<cuco::Distribution::Kind>(buffer.distribution), buffer.a, buffer.b};
  cuco::DrawKey key = {kSeed, static_cast<uint32_t>(capture().rank), static_cast<uint32_t>(capture().iteration), input};
  draw_all(element, distribution, key, bytes.data(), buffer.count);
  return bytes;
}

void write(const cuco_buffer& buffer, const std::vector<char>& bytes) {
  std::string path = std::string(CAPTURE_FOLDER) + "/" + std::to_string(capture().rank) + "." + buffer.name;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
}

}  // namespace

extern "C" {

void cuco_harness_open(int rank, int) { capture().rank = rank; }
void cuco_harness_buffer(const cuco_buffer* buffer) { capture().buffers.push_back(*buffer); }
void cuco_harness_refuse(const char*) {}

int cuco_harness_begin() {
  if (capture().iteration == kIterations) return 0;
  uint32_t input = 0;
  for (const cuco_buffer& buffer : capture().buffers) {
    std::vector<char> bytes = prepared(buffer, input);
    cudaMemcpy(buffer.pointer, bytes.data(), bytes.size(), cudaMemcpyDefault);
    if (buffer.role != 0) continue;
    input++;
    write(buffer, bytes);
  }
  return 1;
}

void cuco_harness_end() {
  for (const cuco_buffer& buffer : capture().buffers) {
    if (buffer.role != 1) continue;
    std::vector<char> bytes(buffer.count * bytes_of(static_cast<cuco::Element>(buffer.element)));
    cudaMemcpy(bytes.data(), buffer.pointer, bytes.size(), cudaMemcpyDefault);
    write(buffer, bytes);
  }
  capture().iteration++;
}
}
