#include "llm/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <mutex>

#include "base/text.h"

namespace cuco::llm {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Some 300 bytes an event make 40 MiB of the longest replies of 2026.
constexpr size_t kReplyBytesMax = 256u << 20;
constexpr int kPollMs = 50;

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct HeadersDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using Multi = std::unique_ptr<CURLM, MultiDeleter>;
using Headers = std::unique_ptr<curl_slist, HeadersDeleter>;

struct Transfer {
  CURL* easy = nullptr;
  const HttpObserver& observer;
  HttpResponse response;
  SteadyClock::time_point last_byte = SteadyClock::now();
  bool any_byte = false;
  size_t body_bytes = 0;
  bool stopped = false;  // By the observer: it has all it wants.
  bool overflowed = false;
  bool streaming = false;
  char problem[CURL_ERROR_SIZE] = "";
};

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

// "retry-after-ms" is finer than the standard's "retry-after", which curl reads itself.
size_t take_header(char* data, size_t, size_t bytes, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.last_byte = SteadyClock::now();
  transfer.any_byte = true;
  std::string_view line(data, bytes);
  constexpr std::string_view kName = "retry-after-ms:";
  if (!starts_with_ignoring_case(line, kName)) return bytes;
  std::string_view value = trim(line.substr(kName.size()));
  int64_t wait_ms = 0;
  auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), wait_ms);
  if (problem == std::errc() && wait_ms >= 0) transfer.response.retry_after_ms = wait_ms;
  return bytes;
}

bool is_event_stream(CURL* easy) {
  long status = 0;
  char* type = nullptr;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  return status / 100 == 2 && type != nullptr && starts_with_ignoring_case(type, "text/event-stream");
}

size_t take_body(char* data, size_t, size_t bytes, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.last_byte = SteadyClock::now();
  std::string_view piece(data, bytes);
  transfer.body_bytes += bytes;
  transfer.overflowed = transfer.body_bytes > kReplyBytesMax;
  if (transfer.overflowed) return CURL_WRITEFUNC_ERROR;
  transfer.streaming = is_event_stream(transfer.easy);
  if (transfer.streaming) {
    transfer.stopped = !transfer.observer.on_stream(piece);
    return transfer.stopped ? CURL_WRITEFUNC_ERROR : bytes;
  }
  transfer.response.body += piece;
  return bytes;
}

Headers make_headers(const HttpRequest& request) {
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl_slist_append(list, header.c_str());
  // curl would hold a large body back until the server says it wants it.
  return Headers(curl_slist_append(list, "Expect:"));
}

void set_up(CURL* easy, const HttpRequest& request, const HttpSettings& settings, curl_slist* headers,
            Transfer& transfer) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings.timeouts.connect_ms));
  if (!settings.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, settings.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.problem);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

// Why a transfer must end from our side, if it must.
std::optional<Failure> overdue(const Transfer& transfer, const Timeouts& timeouts) {
  if (transfer.observer.cancelled()) return cancelled_failure();
  auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - transfer.last_byte).count();
  if (!transfer.any_byte && idle > timeouts.connect_ms + timeouts.first_byte_ms)
    return Failure{concat("no answer within ", timeouts.first_byte_ms, " ms"), true};
  if (transfer.any_byte && idle > (transfer.streaming ? timeouts.idle_ms : timeouts.first_byte_ms))
    return Failure{concat("the reply stood still for ", idle, " ms"), true};
  return std::nullopt;
}

std::optional<Failure> judge_end(CURLcode code, const Transfer& transfer) {
  if (code == CURLE_OK || transfer.stopped) return std::nullopt;
  if (transfer.overflowed) return Failure{concat("the reply is larger than ", kReplyBytesMax >> 20, " MiB")};
  bool hopeless = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
                  code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
  std::string_view when = transfer.any_byte ? "the connection broke off: " : "no connection: ";
  return Failure{concat(when, transfer.problem[0] != 0 ? transfer.problem : curl_easy_strerror(code)), !hopeless};
}

std::optional<Failure> drive(CURLM* multi, Transfer& transfer, const Timeouts& timeouts) {
  while (true) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return Failure{"curl cannot run the transfer"};
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE) return judge_end(message->data.result, transfer);
    if (auto failure = overdue(transfer, timeouts)) return failure;
    curl_multi_poll(multi, nullptr, 0, kPollMs, nullptr);
  }
}

void read_head(CURL* easy, HttpResponse& response) {
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &response.status);
  char* type = nullptr;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) response.content_type = type;
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  if (!response.retry_after_ms && seconds > 0) response.retry_after_ms = static_cast<int64_t>(seconds) * 1000;
}

}  // namespace

HttpOutcome http_post(const HttpRequest& request, const HttpSettings& settings, const HttpObserver& observer) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  Easy easy(curl_easy_init());
  Multi multi(curl_multi_init());
  if (!easy || !multi) return {{}, Failure{"curl cannot be started"}};
  Transfer transfer{easy.get(), observer, {}};
  Headers headers = make_headers(request);
  set_up(easy.get(), request, settings, headers.get(), transfer);
  curl_multi_add_handle(multi.get(), easy.get());
  std::optional<Failure> failure = drive(multi.get(), transfer, settings.timeouts);
  read_head(easy.get(), transfer.response);
  curl_multi_remove_handle(multi.get(), easy.get());
  return {std::move(transfer.response), std::move(failure)};
}

}  // namespace cuco::llm
