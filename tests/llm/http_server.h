// A local HTTP server that answers from a script: how bytes are cut, delayed or broken off is part of it. Listens on
// 127.0.0.1 only, at a port of the system's choice, and serves one connection after the other.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cuco::testing {

struct SeenRequest {
  std::string method;
  std::string path;                            // With its query.
  std::map<std::string, std::string> headers;  // Lower-case names.
  std::string body;
};

struct ScriptedResponse {
  std::vector<std::string> pieces;  // Sent one by one.
  int pause_ms = 0;                 // Before every piece but the first.
};

// The connection ends with the last event, as HTTP/1.0 servers and proxies do it.
ScriptedResponse event_stream(const std::vector<std::string>& events, int pause_ms = 0);
// Chunked transfer whose last chunk never comes.
ScriptedResponse cut_stream(const std::vector<std::string>& events);
ScriptedResponse document(int status, const std::string& body, const std::string& extra_headers = "");

class HttpServer {
 public:
  HttpServer();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  // Answers to the next requests, in order; the last one is repeated.
  void script(std::vector<ScriptedResponse> responses);
  std::string url() const;
  std::vector<SeenRequest> seen() const;

 private:
  void serve();
  void answer(int connection);
  ScriptedResponse next_response();

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::vector<ScriptedResponse> responses_;
  size_t next_ = 0;
  std::vector<SeenRequest> seen_;
  std::thread thread_;
};

}  // namespace cuco::testing
