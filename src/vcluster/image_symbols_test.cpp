#include "vcluster/image_symbols.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"

namespace cuco::vcluster {
namespace {

const NameSet kExported = {"cudaMalloc", "ncclAllReduce", "MPI_Wtime", "main"};

TEST(ImageSymbols, AreReadFromTheRunningProgram) {
  Result<std::vector<ImageSymbol>> symbols = read_symbols(*read_file("/proc/self/exe"));
  ASSERT_TRUE(symbols) << symbols.error().message;
  auto named = [&](const char* part, bool is_defined) {
    return std::any_of(symbols->begin(), symbols->end(), [&](const ImageSymbol& symbol) {
      return symbol.is_defined == is_defined && symbol.name.find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(named("ImageSymbols_AreReadFromTheRunningProgram", true));
  EXPECT_TRUE(named("memcpy", false));
}

TEST(ImageSymbols, BrokenFilesAreErrors) {
  EXPECT_FALSE(read_symbols(""));
  EXPECT_FALSE(read_symbols("no image at all, but long enough to hold a header of sixty-four bytes and more"));
  std::string half = *read_file("/proc/self/exe");
  EXPECT_FALSE(read_symbols(half.substr(0, half.size() / 2)));
}

TEST(ImageSymbols, DefinitionsOfTheRunnersNamesAreRefused) {
  EXPECT_EQ(refusal_of({{"main", true}, {"cuco_harness_begin", true}}, {}),
            "the program defines cuco_harness_begin, which only the runner may");
  for (const char* name : {"cudaMalloc", "ncclAllReduce", "MPI_Wtime", "clock_gettime", "exit"})
    EXPECT_NE(refusal_of({{name, true}}, kExported), "") << name;
  EXPECT_NE(refusal_of({{"_ZN4cuco8vcluster5worldE", false}}, {}), "");
}

TEST(ImageSymbols, UseOfThemAndOwnNamesAreFine) {
  EXPECT_EQ(refusal_of({{"cudaMalloc", false}, {"cuco_image", true}, {"my_exit", true}, {"timeout", true}}, kExported),
            "");
  EXPECT_EQ(refusal_of({{"_Z10cudaMallocIfEiPPT_m", true}}, kExported), "");
}

TEST(ImageSymbols, NamesThatOnlyBeginLikeALibrarysAreThePrograms) {
  for (const char* name : {"nccl_unique_id", "cudaCheck", "ncclTypeSize", "MPI_main"})
    EXPECT_EQ(refusal_of({{name, true}}, kExported), "") << name;
}

}  // namespace
}  // namespace cuco::vcluster
