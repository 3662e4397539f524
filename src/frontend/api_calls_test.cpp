#include "frontend/api_calls.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::frontend {
namespace {

bool has_role(const ApiCall& call, Role role) {
  return std::find(call.roles.begin(), call.roles.end(), role) != call.roles.end();
}

TEST(ApiCalls, EveryCollectiveOfNcclIsKnownWithItsOperands) {
  for (const char* name : {"ncclAllGather", "ncclAllReduce", "ncclReduceScatter", "ncclBroadcast", "ncclBcast",
                           "ncclReduce", "ncclAlltoAll", "ncclGather", "ncclScatter", "ncclSend", "ncclRecv"}) {
    const ApiCall* call = find_api_call(name);
    ASSERT_NE(call, nullptr) << name;
    EXPECT_TRUE(model::collective_named(name)) << name;
    EXPECT_TRUE(has_role(*call, Role::Count) && has_role(*call, Role::Type) && has_role(*call, Role::Comm) &&
                has_role(*call, Role::Stream))
        << name;
    EXPECT_TRUE(has_role(*call, Role::SendBuffer) || has_role(*call, Role::RecvBuffer)) << name;
  }
}

TEST(ApiCalls, ProfilingNamesMeanTheSame) {
  EXPECT_EQ(find_api_call("pncclAllGather"), find_api_call("ncclAllGather"));
  EXPECT_EQ(find_api_call("PMPI_Bcast"), find_api_call("MPI_Bcast"));
}

TEST(ApiCalls, OtherFunctionsAreNotKnown) {
  EXPECT_EQ(find_api_call("ncclGetUniqueId"), nullptr);
  EXPECT_EQ(find_api_call("printf"), nullptr);
  EXPECT_EQ(find_api_call(""), nullptr);
}

TEST(ApiCalls, TypesHaveTheirSizes) {
  EXPECT_EQ(nccl_type_bytes("ncclBfloat16"), 2u);
  EXPECT_EQ(nccl_type_bytes("ncclFloat8e4m3"), 1u);
  EXPECT_EQ(nccl_type_bytes("ncclDouble"), 8u);
  EXPECT_EQ(nccl_type_bytes("my_type"), 0u);
}

}  // namespace
}  // namespace cuco::frontend
