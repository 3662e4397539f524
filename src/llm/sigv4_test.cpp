// Digests are those of FIPS 180-4 and RFC 4231; signatures those that AWS publishes: the ListUsers example of its
// general reference, and cases of its Signature Version 4 test suite.
#include "llm/sigv4.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "llm/hmac.h"

namespace cuco::llm {
namespace {

const AwsCredentials kExample = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};

std::string signature_of(const SignableRequest& request, const std::string& service) {
  std::string header = authorization(request, kExample, {"us-east-1", service, "20150830T123600Z"});
  return header.substr(header.rfind('=') + 1);
}

SignableRequest vanilla(const std::string& method) {
  return {method, "/", "", {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}}, ""};
}

TEST(Sha256, MatchesPublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HmacMatchesPublishedDigests) {
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(SigV4, SignsTheDocumentedExample) {
  SignableRequest request = vanilla("GET");
  request.query = "Action=ListUsers&Version=2010-05-08";
  request.headers["host"] = "iam.amazonaws.com";
  request.headers["content-type"] = "application/x-www-form-urlencoded; charset=utf-8";
  EXPECT_EQ(authorization(request, kExample, {"us-east-1", "iam", "20150830T123600Z"}),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, "
            "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(SigV4, SignsTheTestSuite) {
  EXPECT_EQ(signature_of(vanilla("GET"), "service"),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(signature_of(vanilla("POST"), "service"),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  SignableRequest ordered = vanilla("GET");
  ordered.query = "Param1=value1&Param2=value2";
  EXPECT_EQ(signature_of(ordered, "service"), "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  SignableRequest form = vanilla("POST");
  form.headers["content-type"] = "application/x-www-form-urlencoded";
  form.body = "Param1=value1";
  EXPECT_EQ(signature_of(form, "service"), "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

TEST(SigV4, TimestampIsInUtc) {
  EXPECT_EQ(aws_timestamp(1'440'938'160'000), "20150830T123600Z");
  EXPECT_EQ(aws_timestamp(1'709'164'800'999), "20240229T000000Z");
}

TEST(SigV4, PathIsEncodedOnceInTheUrlAndTwiceForTheSignature) {
  EXPECT_EQ(percent_encoded("vendor.model-v1:0", false), "vendor.model-v1%3A0");
  EXPECT_EQ(percent_encoded("/model/a%3A0/converse", true), "/model/a%253A0/converse");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
}

}  // namespace
}  // namespace cuco::llm
