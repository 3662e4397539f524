// AWS Signature Version 4, for one request with its body at hand.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cuco::llm {

struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // Empty for credentials that do not expire.
};

struct SigningScope {
  std::string region;
  std::string service;
  std::string timestamp;  // "20150830T123600Z"
};

struct SignableRequest {
  std::string method;
  std::string path;                            // As it stands in the URL, percent-encoded once.
  std::string query;                           // "a=1&b=2", sorted and encoded; may be empty.
  std::map<std::string, std::string> headers;  // Lower-case names; every one is signed. Must hold host and x-amz-date.
  std::string body;
};

// The value of the Authorization header.
std::string authorization(const SignableRequest& request, const AwsCredentials& credentials, const SigningScope& scope);

// "20150830T123600Z"
std::string aws_timestamp(int64_t unix_ms);

// Everything but letters, digits and -_.~ as %XX; slashes are kept on wish.
std::string percent_encoded(std::string_view text, bool keep_slashes);

}  // namespace cuco::llm
