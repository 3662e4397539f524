#include "llm/sigv4.h"

#include <cctype>
#include <cstdio>
#include <ctime>

#include "base/sha256.h"
#include "base/text.h"
#include "llm/hmac.h"

namespace cuco::llm {

namespace {

std::string scope_text(const SigningScope& scope) {
  return concat(scope.timestamp.substr(0, 8), "/", scope.region, "/", scope.service, "/aws4_request");
}

std::string signed_names(const SignableRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, value] : request.headers) names.push_back(name);
  return join(names, ";");
}

// The path is encoded a second time here, on top of the encoding in the URL: every service but S3 wants it so.
std::string canonical_request(const SignableRequest& request) {
  std::string headers;
  for (const auto& [name, value] : request.headers) headers += concat(name, ":", squeeze(value), "\n");
  return concat(request.method, "\n", percent_encoded(request.path, true), "\n", request.query, "\n", headers, "\n",
                signed_names(request), "\n", sha256(request.body));
}

std::string signing_key(const AwsCredentials& credentials, const SigningScope& scope) {
  std::string key = hmac_sha256("AWS4" + credentials.secret_access_key, scope.timestamp.substr(0, 8));
  for (const std::string& part : {scope.region, scope.service, std::string("aws4_request")})
    key = hmac_sha256(key, part);
  return key;
}

}  // namespace

std::string authorization(const SignableRequest& request, const AwsCredentials& credentials,
                          const SigningScope& scope) {
  std::string to_sign =
      concat("AWS4-HMAC-SHA256\n", scope.timestamp, "\n", scope_text(scope), "\n", sha256(canonical_request(request)));
  std::string signature = to_hex(hmac_sha256(signing_key(credentials, scope), to_sign));
  return concat("AWS4-HMAC-SHA256 Credential=", credentials.access_key_id, "/", scope_text(scope),
                ", SignedHeaders=", signed_names(request), ", Signature=", signature);
}

std::string aws_timestamp(int64_t unix_ms) {
  std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

std::string percent_encoded(std::string_view text, bool keep_slashes) {
  std::string encoded;
  for (char c : text) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~").find(c) != std::string::npos;
    if (plain || (keep_slashes && c == '/')) {
      encoded += c;
      continue;
    }
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
    encoded += escape;
  }
  return encoded;
}

}  // namespace cuco::llm
