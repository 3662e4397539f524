#include "model/compiler_words.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

using Words = std::vector<std::string>;

TEST(CompilerWords, HowCodeIsMadeIsLeftOut) {
  EXPECT_EQ(without_code_generation(
                {"-O3", "-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "--ptxas-options=-v", "-g",
                 "-lineinfo", "-Xptxas", "-v", "-ccbin", "mpicxx", "-Wall", "-x", "c++", "a.cu", "-o", "a"},
                OutputWord::Dropped),
            Words{"a.cu"});
}

TEST(CompilerWords, WhatNvccNeedsIsKeptForIt) {
  EXPECT_EQ(without_code_generation(
                {"--extended-lambda", "-rdc=true", "-dc", "-maxrregcount", "64", "-Xcompiler", "-fopenmp,-O2", "-x", "cu"},
                OutputWord::Kept),
            (Words{"--nvcc-option=--extended-lambda", "--nvcc-option=-rdc=true", "--nvcc-option=-rdc=true",
                   "--nvcc-option=-maxrregcount=64", "--nvcc-option=-Xcompiler=-fopenmp", "--nvcc-option=-x=cu"}));
}

TEST(CompilerWords, WordsOfTheTextStay) {
  Words words = {"-I", "include", "-DN=4", "-lcublas", "-L/lib", "-n", "4", "-o", "OUT", "--check", "-isystem", "x"};
  EXPECT_EQ(without_code_generation(words, OutputWord::Kept), words);
  EXPECT_EQ(without_code_generation({"-std=c++20", "-std", "c++17", "--std=c++14", "--std", "c11"}, OutputWord::Kept),
            (Words{"--std", "c++20", "--std", "c++17", "--std", "c++14", "--std", "c11"}));
}

TEST(CompilerWords, HostCompilersWordsAreReadThroughXcompiler) {
  EXPECT_EQ(without_code_generation({"-Xcompiler=-DHOST=1,-Wextra", "-Xlinker", "-rpath=/lib"}, OutputWord::Kept),
            Words{"-DHOST=1"});
}

TEST(CompilerWords, OpenMpIsToldInAnyOfTheWaysOfCompilers) {
  const Words wanted = {"--nvcc-option=-Xcompiler=-fopenmp"};
  for (const Words& words :
       {Words{"-fopenmp"}, Words{"-Xcompiler", "-fopenmp"}, Words{"-Xcompiler=-fopenmp"},
        Words{"--compiler-options", "-fopenmp"}, Words{"-Xcompiler", "-Wall -fopenmp"}})
    EXPECT_EQ(without_code_generation(words, OutputWord::Kept), wanted) << words.back();
}

}  // namespace
}  // namespace cuco::model
