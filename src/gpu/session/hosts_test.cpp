#include "gpu/session/hosts.h"

#include <gtest/gtest.h>

#include "testing/fake_environment.h"

namespace cuco::gpu {
namespace {

TEST(Hosts, HaveSlotsOrOne) {
  std::vector<Host> hosts = parse_hosts("# two racks\nnode1 slots=4\n\n  node2\tslots=8 # big\nnode3\n", "h").value();
  EXPECT_EQ(hosts, (std::vector<Host>{{"node1", 4}, {"node2", 8}, {"node3", 1}}));
}

struct BadLine {
  const char* text;
  const char* message;
};
class BadHosts : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadHosts, AreRefusedWithTheirPlace) {
  EXPECT_EQ(parse_hosts(GetParam().text, "my.hosts").error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, BadHosts,
    ::testing::Values(BadLine{"a\nb slots=none", "my.hosts:2: 'slots=none': slots is a number from 1 to 1024"},
                      BadLine{"a slots=0", "my.hosts:1: 'slots=0': slots is a number from 1 to 1024"},
                      BadLine{"a slots=4x", "my.hosts:1: 'slots=4x': slots is a number from 1 to 1024"},
                      BadLine{"a slot=4", "my.hosts:1: 'slot=4' is not slots=N"},
                      BadLine{"a 4", "my.hosts:1: '4' is not slots=N"},
                      BadLine{"\n\nslots=4", "my.hosts:3: 'slots=4' stands where the name of a host should"},
                      BadLine{"a:4", "my.hosts:1: 'a:4': the form is a slots=N"},
                      BadLine{"a\nb\na slots=2", "my.hosts:3: host a is there twice"},
                      BadLine{"# nobody\n", "my.hosts: names no host; a line is NAME slots=N"}));

TEST(Hosts, FileThatIsNotThereIsAnError) {
  cuco::testing::FakeEnvironment environment;
  EXPECT_EQ(read_hosts("/none", environment).error().message, "/none: no such file");
}

TEST(Hosts, SlotsMustSufficeForTheRanks) {
  std::vector<Host> hosts = {{"a", 2}, {"b", 1}};
  EXPECT_TRUE(check_slots(hosts, 3, "h").ok());
  EXPECT_EQ(check_slots(hosts, 4, "h").error().message,
            "h: 2 hosts with 3 slots for 4 ranks; ranks have a GPU each, so add hosts or ask for fewer ranks");
}

}  // namespace
}  // namespace cuco::gpu
