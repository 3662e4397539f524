#include "llm/sse.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/text.h"

namespace cuco::llm {
namespace {

std::vector<std::string> events_of(const std::string& stream, size_t piece_bytes) {
  std::vector<std::string> events;
  auto note = [&](const SseEvent& event) {
    events.push_back(event.name + "|" + event.data);
    return true;
  };
  SseReader reader;
  for (size_t at = 0; at < stream.size(); at += piece_bytes) reader.feed(stream.substr(at, piece_bytes), note);
  reader.finish(note);
  return events;
}

TEST(Sse, EventsAreTheSameHoweverTheStreamIsCut) {
  std::string stream = "event: a\r\ndata: {\"x\":1}\r\n\r\n: comment\n\ndata:two\ndata: lines\n\nevent: end\ndata: z";
  std::vector<std::string> expected = {"a|{\"x\":1}", "|two\nlines", "end|z"};
  for (size_t piece : {1u, 2u, 3u, 7u, 1000u}) EXPECT_EQ(events_of(stream, piece), expected) << piece;
}

TEST(Sse, AnEventWithoutDataIsNoEvent) { EXPECT_TRUE(events_of("event: ping\n\n\n", 5).empty()); }

TEST(Sse, StopsWhereTheReaderOfEventsHasEnough) {
  int seen = 0;
  SseReader reader;
  EXPECT_FALSE(reader.feed("data: 1\n\ndata: 2\n\n", [&](const SseEvent&) { return ++seen < 1; }));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace cuco::llm
