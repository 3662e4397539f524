#include "gpu/session/device.h"

#include <gtest/gtest.h>

#include "testing/fake_process.h"

namespace cuco::gpu {
namespace {

const std::string kDevices =
    "nvidia-smi --query-gpu=index,uuid,name,compute_cap,memory.total,driver_version,compute_mode "
    "--format=csv,noheader,nounits";
const std::string kStateBegin = "nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw";
const std::string kStateEnd = " --format=csv,noheader,nounits -i GPU-a";

Device gpu_a() {
  Device device;
  device.uuid = "GPU-a";
  return device;
}

TEST(Device, IsReadFromARow) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kDevices] = {0,
                                 "0, GPU-a, NVIDIA H200, 9.0, 143771, 580.159.04, Default\n"
                                 "1, GPU-b, NVIDIA GB10, 12.1, [N/A], 580.159.04, Exclusive_Process\n"};
  std::vector<Device> devices = find_devices(processes).value();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].uuid, "GPU-a");
  EXPECT_EQ(devices[0].name, "NVIDIA H200");
  EXPECT_EQ(devices[0].architecture, "sm_90");
  EXPECT_EQ(devices[0].memory_bytes, uint64_t{143771} << 20);
  EXPECT_EQ(devices[0].driver, "580.159.04");
  EXPECT_EQ(devices[1].index, 1u);
  EXPECT_EQ(devices[1].architecture, "sm_121");
  EXPECT_EQ(devices[1].memory_bytes, 0u);
  EXPECT_EQ(devices[1].compute_mode, "Exclusive_Process");
}

TEST(Device, NoDriverNoGpuAndAFailingDriverAreToldApart) {
  cuco::testing::FakeProcessRunner processes;
  EXPECT_EQ(find_devices(processes).error().message,
            "there is no NVIDIA driver: nvidia-smi: No such file or directory");
  processes.answers[kDevices] = {0, "No devices were found\n"};
  EXPECT_EQ(find_devices(processes).error().message, "nvidia-smi lists no GPU");
  processes.answers[kDevices] = {9, "NVIDIA-SMI has failed because\nmore\n"};
  EXPECT_EQ(find_devices(processes).error().message,
            "nvidia-smi fails with exit code 9: NVIDIA-SMI has failed because");
}

TEST(Device, FieldThatAnOldNvidiaSmiDoesNotKnowIsLeftOut) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kDevices] = {2, "Field \"compute_cap\" is not a valid field to query.\n"};
  processes.answers[replace_all(kDevices, "compute_cap,", "")] = {0, "0, GPU-a, Tesla, 16160, 460.1, Default\n"};
  std::vector<Device> devices = find_devices(processes).value();
  EXPECT_EQ(devices.at(0).architecture, "");
  EXPECT_EQ(devices.at(0).driver, "460.1");
}

TEST(Device, AnotherHostIsAskedThroughThePrefix) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers["mpirun --host b " + kDevices] = {0, "0, GPU-x, NVIDIA H200, 9.0, 1, 580, Default\n"};
  EXPECT_EQ(find_devices(processes, {"mpirun", "--host", "b"}).value().at(0).uuid, "GPU-x");
}

TEST(DeviceState, HasClocksTemperatureAndPower) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kStateBegin + ",clocks_event_reasons.active" + kStateEnd] = {
      0, "1980, 3201, 41, 118.25, 0x0000000000000000\n"};
  DeviceState state = state_of(gpu_a(), processes).value();
  EXPECT_EQ(state.multiprocessor_mhz, 1980u);
  EXPECT_EQ(state.memory_mhz, 3201u);
  EXPECT_EQ(state.temperature_c, 41u);
  EXPECT_DOUBLE_EQ(state.power_w, 118.25);
  EXPECT_EQ(state.throttled, "");
}

class ThrottleReasons : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ThrottleReasons, AreNamedUnlessClocksAreAsAskedFor) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kStateBegin + ",clocks_event_reasons.active" + kStateEnd] = {
      0, concat("1, 1, 1, 1, ", GetParam().first, "\n")};
  EXPECT_EQ(state_of(gpu_a(), processes).value().throttled, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(DeviceState, ThrottleReasons,
                         ::testing::Values(std::pair("0x0000000000000001", ""), std::pair("0x0000000000000002", ""),
                                           std::pair("0x0000000000000004", "power cap"),
                                           std::pair("0x0000000000000065",
                                                     "power cap; thermal, software; thermal, "
                                                     "hardware"),
                                           std::pair("[N/A]", "")));

TEST(DeviceState, ReasonsAreAskedForByTheirOldNameThenNotAtAll) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kStateBegin + ",clocks_event_reasons.active" + kStateEnd] = {
      2, "Field \"clocks_event_reasons.active\" is not a valid field to query.\n"};
  processes.answers[kStateBegin + ",clocks_throttle_reasons.active" + kStateEnd] = {0, "5, 6, 7, [N/A], 0x08\n"};
  EXPECT_EQ(state_of(gpu_a(), processes).value().throttled, "hardware slowdown");
  processes.answers[kStateBegin + ",clocks_throttle_reasons.active" + kStateEnd] = {
      2, "Field \"clocks_throttle_reasons.active\" is not a valid field to query.\n"};
  processes.answers[kStateBegin + kStateEnd] = {0, "5, 6, 7, [Not Supported]\n"};
  DeviceState state = state_of(gpu_a(), processes).value();
  EXPECT_EQ(state.temperature_c, 7u);
  EXPECT_EQ(state.power_w, 0);
  EXPECT_EQ(state.throttled, "");
}

TEST(DeviceState, LostGpuIsAnError) {
  cuco::testing::FakeProcessRunner processes;
  processes.answers[kStateBegin + ",clocks_event_reasons.active" + kStateEnd] = {15, "GPU is lost. Reboot\n"};
  EXPECT_EQ(state_of(gpu_a(), processes).error().message, "nvidia-smi fails with exit code 15: GPU is lost. Reboot");
}

TEST(ComputeProcesses, AreListedWithTheirNames) {
  cuco::testing::FakeProcessRunner processes;
  std::string line = "nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader,nounits -i GPU-a";
  processes.answers[line] = {0, "41, nvidia-cuda-mps-server\n42, [Not Found]\n"};
  EXPECT_EQ(compute_processes(gpu_a(), processes).value(),
            (std::vector<ComputeProcess>{{41, "nvidia-cuda-mps-server"}, {42, ""}}));
  processes.answers[line] = {0, ""};
  EXPECT_TRUE(compute_processes(gpu_a(), processes).value().empty());
}

}  // namespace
}  // namespace cuco::gpu
