#include "http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::testing {

namespace {

constexpr int kPollMs = 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

SeenRequest parse_head(const std::string& head) {
  SeenRequest request;
  std::istringstream lines(head);
  std::string line;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.path;
  while (std::getline(lines, line)) {
    size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    request.headers[lower(line.substr(0, colon))] = std::string(trim(line.substr(colon + 1)));
  }
  return request;
}

// False when the peer hung up before `text` had `bytes` bytes or held `mark`.
bool read_until(int connection, std::string& text, size_t bytes, const char* mark) {
  char chunk[65536];
  while (mark != nullptr ? text.find(mark) == std::string::npos : text.size() < bytes) {
    ssize_t got = recv(connection, chunk, sizeof chunk, 0);
    if (got <= 0) return false;
    text.append(chunk, static_cast<size_t>(got));
  }
  return true;
}

bool read_request(int connection, SeenRequest& request) {
  std::string text;
  if (!read_until(connection, text, 0, "\r\n\r\n")) return false;
  size_t body_at = text.find("\r\n\r\n") + 4;
  request = parse_head(text.substr(0, body_at));
  size_t body_bytes = std::strtoul(request.headers["content-length"].c_str(), nullptr, 10);
  if (!read_until(connection, text, body_at + body_bytes, nullptr)) return false;
  request.body = text.substr(body_at);
  return true;
}

}  // namespace

ScriptedResponse event_stream(const std::vector<std::string>& events, int pause_ms) {
  ScriptedResponse response{{"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"},
                            pause_ms};
  response.pieces.insert(response.pieces.end(), events.begin(), events.end());
  return response;
}

ScriptedResponse cut_stream(const std::vector<std::string>& events) {
  ScriptedResponse response{
      {"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"}};
  for (const std::string& event : events)
    response.pieces.push_back(concat(std::hex, event.size(), "\r\n", event, "\r\n"));
  return response;
}

ScriptedResponse document(int status, const std::string& body, const std::string& extra_headers) {
  return {{concat("HTTP/1.1 ", status, " Scripted\r\ncontent-type: application/json\r\ncontent-length: ", body.size(),
                  "\r\nconnection: close\r\n", extra_headers, "\r\n", body)}};
}

HttpServer::HttpServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CUCO_ASSERT(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CUCO_ASSERT(listen(listener_, 16) == 0);
  socklen_t length = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

void HttpServer::script(std::vector<ScriptedResponse> responses) {
  std::lock_guard lock(mutex_);
  responses_ = std::move(responses);
  next_ = 0;
}

std::string HttpServer::url() const { return concat("http://127.0.0.1:", port_); }

std::vector<SeenRequest> HttpServer::seen() const {
  std::lock_guard lock(mutex_);
  return seen_;
}

void HttpServer::serve() {
  while (!stopping_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, kPollMs) <= 0) continue;
    int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    answer(connection);
    close(connection);
  }
}

ScriptedResponse HttpServer::next_response() {
  std::lock_guard lock(mutex_);
  CUCO_ASSERT(!responses_.empty());
  return responses_[std::min(next_++, responses_.size() - 1)];
}

void HttpServer::answer(int connection) {
  SeenRequest request;
  if (!read_request(connection, request)) return;
  {
    std::lock_guard lock(mutex_);
    seen_.push_back(request);
  }
  ScriptedResponse response = next_response();
  for (size_t i = 0; i < response.pieces.size(); ++i) {
    for (int waited = 0; i > 0 && waited < response.pause_ms && !stopping_; waited += kPollMs)
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(kPollMs, response.pause_ms - waited)));
    const std::string& piece = response.pieces[i];
    if (send(connection, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
  }
}

}  // namespace cuco::testing
