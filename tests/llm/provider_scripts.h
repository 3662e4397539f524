// Replies in the words of each provider.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "http_server.h"

namespace cuco::testing {

inline std::string named_event(const std::string& name, const std::string& data) {
  return concat("event: ", name, "\ndata: ", data, "\n\n");
}
inline std::string data_event(const std::string& data) { return concat("data: ", data, "\n\n"); }

// From the start of a message to its last piece of text; nothing says that it has ended.
inline std::vector<std::string> anthropic_begin(const std::vector<std::string>& texts) {
  std::vector<std::string> events = {
      named_event("message_start", R"({"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],)"
                                   R"("usage":{"input_tokens":21,"cache_read_input_tokens":4,"output_tokens":1}}})"),
      named_event("content_block_start",
                  R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"),
      named_event("ping", R"({"type":"ping"})")};
  for (const std::string& text : texts)
    events.push_back(named_event("content_block_delta",
                                 concat(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta",)",
                                        R"("text":)", json_quoted(text), "}}")));
  return events;
}

inline std::vector<std::string> anthropic_reply(const std::vector<std::string>& texts,
                                                const std::string& stop = "end_turn") {
  std::vector<std::string> events = anthropic_begin(texts);
  events.push_back(named_event("content_block_stop", R"({"type":"content_block_stop","index":0})"));
  events.push_back(named_event("message_delta", concat(R"({"type":"message_delta","delta":{"stop_reason":")", stop,
                                                       R"(","stop_sequence":null},"usage":{"output_tokens":17}})")));
  events.push_back(named_event("message_stop", R"({"type":"message_stop"})"));
  return events;
}

inline std::vector<std::string> chat_begin(const std::vector<std::string>& texts) {
  std::vector<std::string> events = {
      data_event(R"({"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant",)"
                 R"("content":""},"finish_reason":null}],"usage":null})")};
  for (const std::string& text : texts)
    events.push_back(data_event(concat(R"({"choices":[{"index":0,"delta":{"content":)", json_quoted(text),
                                       R"(},"finish_reason":null}],"usage":null})")));
  return events;
}

inline std::vector<std::string> chat_reply(const std::vector<std::string>& texts, const std::string& stop = "stop") {
  std::vector<std::string> events = chat_begin(texts);
  events.push_back(
      data_event(concat(R"({"choices":[{"index":0,"delta":{},"finish_reason":")", stop, R"("}],"usage":null})")));
  events.push_back(data_event(R"({"choices":[],"usage":{"prompt_tokens":25,"completion_tokens":17}})"));
  events.push_back("data: [DONE]\n\n");
  return events;
}

inline std::string chat_document(const std::string& text) {
  return concat(R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":)",
                json_quoted(text),
                R"(},"finish_reason":"stop"}],"usage":{"prompt_tokens":25,"completion_tokens":17}})");
}

inline std::string converse_document(const std::string& text, const std::string& stop = "end_turn") {
  return concat(R"({"output":{"message":{"role":"assistant","content":[{"text":)", json_quoted(text),
                R"(}]}},"stopReason":")", stop,
                R"(","usage":{"inputTokens":25,"outputTokens":17,"totalTokens":42},"metrics":{"latencyMs":9}})");
}

}  // namespace cuco::testing
