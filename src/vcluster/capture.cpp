#include "vcluster/capture.h"

#include <cstring>

#include "base/printable.h"
#include "base/text.h"
#include "base/untrusted_file.h"
#include "cuco/element.h"

namespace cuco::vcluster {

namespace {

constexpr uint32_t kMagic = 0x6f637563;  // "cuco".
constexpr uint32_t kChanged = 1, kPart = 2, kScratch = 4;

// The fixed part of a record as it lies in the file.
struct Head {
  uint32_t magic, rank, iteration, buffer, element, flags;
  uint64_t count;
  double absolute, relative;
  uint32_t name_bytes;
};
constexpr size_t kHeadBytes = 6 * 4 + 8 + 2 * 8 + 4;

// As much as a confined run may write to one file.
constexpr uintmax_t kCaptureBytesMax = 1u << 30;

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  size_t at() const { return at_; }

  bool take(std::string& out, uint64_t count) {
    if (count > bytes_.size() - at_) return false;
    out.assign(bytes_, at_, count);
    at_ += count;
    return true;
  }
  bool take(uint64_t& number) {
    if (bytes_.size() - at_ < sizeof number) return false;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return true;
  }
  bool take(Head& head) {
    if (bytes_.size() - at_ < kHeadBytes) return false;
    std::memcpy(&head, bytes_.data() + at_, kHeadBytes);
    at_ += kHeadBytes;
    return true;
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

bool is_sound(const Head& head) {
  return head.magic == kMagic && head.element <= static_cast<uint32_t>(Element::Float8E5M2) &&
         head.count < uint64_t{1} << 48;
}

bool take_output(Reader& reader, CapturedOutput& output) {
  Head head = {};
  if (!reader.take(head) || !is_sound(head)) return false;
  output.rank = head.rank;
  output.iteration = head.iteration;
  output.buffer = head.buffer;
  output.element = head.element;
  output.changed_after_return = head.flags & kChanged;
  output.is_part = head.flags & kPart;
  output.is_scratch = head.flags & kScratch;
  if (output.is_part && !reader.take(output.first)) return false;
  output.count = head.count;
  output.absolute = head.absolute;
  output.relative = head.relative;
  uint64_t bytes = head.count * bytes_of(static_cast<Element>(head.element));
  if (!reader.take(output.name, head.name_bytes) || !reader.take(output.bytes, bytes)) return false;
  output.name = printable(output.name);
  return true;
}

}  // namespace

std::string to_text(const ReadBack& place) {
  return concat(place.rank, " ", place.buffer, " ", place.allocation, " ", place.offset, " ", place.bytes, " ",
                place.what);
}

ReadBack parse_read_back(const std::string& text) {
  ReadBack place;
  std::istringstream in(text);
  in >> place.rank >> place.buffer >> place.allocation >> place.offset >> place.bytes;
  std::getline(in >> std::ws, place.what);
  return place;
}

std::string to_record(const CapturedOutput& output) {
  Head head = {};
  head.magic = kMagic;
  head.rank = output.rank;
  head.iteration = output.iteration;
  head.buffer = output.buffer;
  head.element = output.element;
  head.flags =
      (output.changed_after_return ? kChanged : 0) | (output.is_part ? kPart : 0) | (output.is_scratch ? kScratch : 0);
  head.count = output.count;
  head.absolute = output.absolute;
  head.relative = output.relative;
  head.name_bytes = static_cast<uint32_t>(output.name.size());
  std::string record(kHeadBytes, '\0');
  std::memcpy(record.data(), &head, kHeadBytes);
  if (output.is_part) record.append(reinterpret_cast<const char*>(&output.first), sizeof output.first);
  return record + output.name + output.bytes;
}

Result<Capture> parse_capture(const std::string& bytes, const std::string& name) {
  Capture capture;
  Reader reader(bytes);
  while (!reader.at_end()) {
    size_t begin = reader.at();
    if (!take_output(reader, capture.emplace_back()))
      return Error{concat(name, ": no record of an output at byte ", begin, "; the run that wrote it was cut off")};
  }
  return capture;
}

Result<Capture> read_capture(const std::filesystem::path& path) {
  Result<std::string> bytes = read_untrusted_file(path, kCaptureBytesMax);
  if (!bytes) return bytes.error();
  return parse_capture(*bytes, path.string());
}

}  // namespace cuco::vcluster
