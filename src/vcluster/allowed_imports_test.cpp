#include "vcluster/allowed_imports.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(AllowedImports, AreWhatHonestProgramsCall) {
  for (const char* name :
       {"cudaMalloc", "ncclSend", "MPI_Barrier", "cuco_launch", "_Znwm", "_ZdlPvm", "__cxa_throw",
        "_ZSt20__throw_length_errorPKc", "_ZTIi", "memcpy", "qsort", "printf", "stdout", "sqrtf", "fmal"})
    EXPECT_TRUE(is_allowed_import(name)) << name;
}

TEST(AllowedImports, AreNothingThatReachesTheSystem) {
  for (const char* name : {"dlsym",
                           "dlopen",
                           "syscall",
                           "mprotect",
                           "mmap",
                           "personality",
                           "sigaction",
                           "environ",
                           "longjmp",
                           "_r_debug",
                           "program_invocation_name",
                           "__libc_malloc",
                           "process_vm_writev",
                           "prctl",
                           "pthread_create",
                           "sscanf",
                           "strcpy",
                           "_ZNSt6thread4joinEv",
                           "open",
                           "fopen"})
    EXPECT_FALSE(is_allowed_import(name)) << name;
}

TEST(AllowedImports, AreNamedWithoutTheirVersions) {
  EXPECT_EQ(
      unusual_imports({{"mmap@GLIBC_2.2.5", false}, {"mmap", false}, {"mine", true}, {"memcpy@GLIBC_2.14", false}}),
      std::vector<std::string>{"mmap"});
}

}  // namespace
}  // namespace cuco::vcluster
