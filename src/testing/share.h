// Which cases of a test run by default. ./test runs a share that fits into CI time; ./test --all, or CUCO_TESTS=all in
// the environment, runs every case. A share keeps every fact, every planted fault and every near miss, and leaves out
// that a fact holds for yet another backend, size or type.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace cuco::testing {

inline bool runs_all_cases() {
  const char* wanted = std::getenv("CUCO_TESTS");
  return wanted && std::string_view(wanted) == "all";
}

// Tests that are to hold for each of several parameters take every third of them, or every so manieth, each test
// beginning with another one than the test before, so that together they meet all.
template <typename Parameter, size_t kStride = 3>
class SharedOut : public ::testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    if (!runs_all_cases() && !is_in_share()) GTEST_SKIP() << "left to ./test --all";
  }

 private:
  // A suite lists its tests in the order of the source, each with all its parameters, as NAME/PARAMETER.
  static bool is_in_share() {
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    std::string_view running = all.current_test_info()->name(), last;
    size_t test = 0, parameter = 0;
    for (int i = 0; i < all.current_test_suite()->total_test_count(); i++) {
      std::string_view name = all.current_test_suite()->GetTestInfo(i)->name();
      std::string_view fact = name.substr(0, name.find('/'));
      bool is_same = fact == last;
      if (!is_same && i > 0) test++;
      parameter = is_same ? parameter + 1 : 0;
      if (name == running) break;
      last = fact;
    }
    return parameter % kStride == test % kStride;
  }
};

}  // namespace cuco::testing
