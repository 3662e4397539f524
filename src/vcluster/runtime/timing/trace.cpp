#include "vcluster/runtime/timing/trace.h"

#include <cstdio>
#include <map>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace cuco::vcluster {

namespace {

// Numbers of tracks within a rank, in the order in which viewers show them.
constexpr uint64_t kStreamTracks = 1;
constexpr uint64_t kInsideTrack = 100'000;
constexpr uint64_t kBetweenTrack = 100'001;
constexpr uint64_t kBlockTracks = 200'000;
constexpr uint64_t kSlotsPerMultiprocessor = 64;

std::string microseconds(Time time) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(time / kMicrosecond),
                static_cast<long long>(time % kMicrosecond));
  return text;
}

class TraceWriter {
 public:
  void slice(int rank, uint64_t track, const std::string& track_name, Time begin, Time end, const std::string& name) {
    tracks_[{rank, track}] = track_name;
    add(concat("{\"ph\":\"X\",\"pid\":", rank, ",\"tid\":", track, ",\"ts\":", microseconds(begin),
               ",\"dur\":", microseconds(end - begin), ",\"name\":", json_quoted(name), "}"));
  }

  // `phase` is s where the arrow begins and f where it ends; both lie inside a slice of the track.
  void arrow(char phase, size_t number, int rank, uint64_t track, Time at) {
    add(concat("{\"ph\":\"", phase, "\",\"id\":", number, ",\"pid\":", rank, ",\"tid\":", track,
               ",\"ts\":", microseconds(at), ",\"bp\":\"e\",\"cat\":\"put\",\"name\":\"put\"}"));
  }

  // GPUs of the nodes that nobody used are left out.
  std::string take(uint64_t blocks_left_out) {
    std::set<int> ranks;
    for (const auto& [place, name] : tracks_) ranks.insert(place.first);
    for (int rank : ranks)
      add(concat("{\"ph\":\"M\",\"pid\":", rank, ",\"name\":\"process_name\",\"args\":{\"name\":\"rank ", rank,
                 "\"}}"));
    for (const auto& [place, name] : tracks_) {
      add(concat("{\"ph\":\"M\",\"pid\":", place.first, ",\"tid\":", place.second,
                 ",\"name\":\"thread_name\",\"args\":{\"name\":", json_quoted(name), "}}"));
      add(concat("{\"ph\":\"M\",\"pid\":", place.first, ",\"tid\":", place.second,
                 ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":", place.second, "}}"));
    }
    return concat("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"blocks_left_out\":", blocks_left_out,
                  "},\"traceEvents\":[\n", out_, "\n]}\n");
  }

 private:
  void add(const std::string& event) {
    if (!out_.empty()) out_ += ",\n";
    out_ += event;
  }

  std::string out_;
  std::map<std::pair<int, uint64_t>, std::string> tracks_;
};

uint64_t track_of(const SendSlice& send) { return send.between_nodes ? kBetweenTrack : kInsideTrack; }

uint64_t track_of_stream(int stream) { return kStreamTracks + static_cast<uint64_t>(stream); }

void write_blocks(TraceWriter& writer, const Timeline& timeline) {
  for (const BlockSlice& block : timeline.blocks())
    writer.slice(block.rank, kBlockTracks + block.multiprocessor * kSlotsPerMultiprocessor + block.slot,
                 concat("SM ", block.multiprocessor, ".", block.slot), block.begin, block.end,
                 concat(block.kernel, " block ", block.block));
}

void write_flows(TraceWriter& writer, const Timeline& timeline) {
  size_t number = 0;
  for (const Flow& flow : timeline.flows()) {
    const SendSlice& send = timeline.sends()[flow.send];
    writer.arrow('s', ++number, send.rank, track_of(send), send.begin);
    writer.arrow('f', number, flow.rank, track_of_stream(flow.stream), flow.seen);
  }
}

}  // namespace

std::string trace_json(const Timeline& timeline) {
  TraceWriter writer;
  for (const StreamSlice& slice : timeline.operations())
    writer.slice(slice.rank, track_of_stream(slice.stream),
                 slice.stream == 0 ? "default stream" : concat("stream ", slice.stream), slice.begin, slice.end,
                 slice.name);
  for (const SendSlice& send : timeline.sends())
    writer.slice(send.rank, track_of(send), send.between_nodes ? "NIC" : "link inside the node", send.begin, send.end,
                 send.name);
  write_blocks(writer, timeline);
  write_flows(writer, timeline);
  return writer.take(timeline.blocks_left_out());
}

}  // namespace cuco::vcluster
