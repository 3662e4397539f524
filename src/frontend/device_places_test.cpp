#include "frontend/device_places.h"

#include <gtest/gtest.h>

namespace cuco::frontend {
namespace {

Place parameter(std::vector<std::string_view> steps) { return {{RootKind::Parameter, 0}, std::move(steps)}; }
Place local(std::vector<std::string_view> steps) { return {{RootKind::Local, 7}, std::move(steps)}; }
Place result(std::vector<std::string_view> steps) { return {{RootKind::Result, 0}, std::move(steps)}; }

TEST(DevicePlaces, UnwrittenParameterHoldsItsOwnTarget) {
  EXPECT_EQ(Memory().load(parameter({}), kDereference), (Places{parameter({"*"})}));
  EXPECT_EQ(Memory().load(local({}), kDereference), Places());
}

TEST(DevicePlaces, CopyOfStructHoldsWhatItsSourceHoldsLater) {
  Memory memory;
  memory.copy(local({}), {parameter({})});
  EXPECT_EQ(memory.load(local({"out"}), kDereference), (Places{parameter({"out", "*"})}));
}

TEST(DevicePlaces, CopiesInACircleEnd) {
  Memory memory;
  Place other{{RootKind::Local, 8}, {}};
  memory.copy(local({}), {other});
  memory.copy(other, {local({})});
  memory.store(other, {parameter({"*"})});
  EXPECT_EQ(memory.load(local({}), kDereference), (Places{parameter({"*"})}));
}

TEST(DevicePlaces, RepeatedFieldLeadsWhereItLedBefore) {
  Place next = parameter({"*", "next", "*"});
  EXPECT_EQ(extended(extended(next, "next"), kDereference), next);
  EXPECT_NE(extended(next, "next"), next);
}

TEST(DevicePlaces, PathsStayFinite) {
  Place place = parameter({});
  for (int i = 0; i < 100; ++i) place = extended(place, kDereference);
  EXPECT_EQ(extended(place, kDereference), place);
}

TEST(DevicePlaces, CallerSeesResultButNoLocals) {
  Memory memory;
  memory.store(local({"data"}), {parameter({"*"})});
  memory.store(local({"self"}), {local({})});
  memory.copy(result({}), {local({})});
  Memory visible = memory.visible_to_caller();
  EXPECT_EQ(visible.load(result({"data"}), kDereference), (Places{parameter({"*"})}));
  EXPECT_EQ(visible.load(result({"self"}), kDereference), Places());
  EXPECT_EQ(visible.stores().size(), 1u);
}

TEST(DevicePlaces, CallerDoesNotSeeWritesToParametersByValue) {
  Memory memory;
  memory.store(parameter({"out"}), {parameter({"in", "*"})});
  memory.store(parameter({"*", "out"}), {parameter({"in", "*"})});
  EXPECT_EQ(memory.visible_to_caller().stores().size(), 1u);
}

TEST(DevicePlaces, IntegersInAnAddressAreOffsets) {
  Place offset = parameter({"#"}), base = parameter({"*"});
  EXPECT_EQ(without_offsets({offset, base}), (Places{base}));
  EXPECT_EQ(without_offsets({offset}), (Places{offset}));
}

}  // namespace
}  // namespace cuco::frontend
