#include "store/schema.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::store {
namespace {

class SchemaTest : public ::testing::Test {
 protected:
  cuco::testing::ScratchFolder folder_;
  Database database_ = Database::open(folder_.path() / "a.sqlite", Access::Create).value();
};

const char* const kFirst = "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);";
const char* const kSecond = "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 8;";

int64_t value_of(const Database& database, const char* sql) {
  Query query(database, sql);
  return query.next() ? query.integer(0) : -1;
}

TEST_F(SchemaTest, MigratesOnlyWhatIsMissing) {
  ASSERT_TRUE(migrate(database_, {kFirst}).ok());
  EXPECT_EQ(schema_version(database_).value(), 1u);
  ASSERT_TRUE(migrate(database_, {kFirst, kSecond}).ok());
  ASSERT_TRUE(migrate(database_, {kFirst, kSecond}).ok());
  EXPECT_EQ(schema_version(database_).value(), 2u);
  EXPECT_EQ(value_of(database_, "SELECT x + y FROM a"), 15);
}

TEST_F(SchemaTest, AMigrationThatFailsLeavesTheOlderVersion) {
  ASSERT_TRUE(migrate(database_, {kFirst}).ok());
  EXPECT_FALSE(migrate(database_, {kFirst, kSecond, "CREATE TABLE a (z INTEGER);"}).ok());
  EXPECT_EQ(schema_version(database_).value(), 1u);
  EXPECT_EQ(value_of(database_, "SELECT count(*) FROM pragma_table_info('a')"), 1);
}

TEST_F(SchemaTest, ALaterVersionIsRefused) {
  ASSERT_TRUE(migrate(database_, {kFirst, kSecond}).ok());
  EXPECT_TRUE(check_identity(database_, {kFirst, kSecond}).ok());
  EXPECT_EQ(check_identity(database_, {kFirst}).error().message,
            concat(database_.file().string(),
                   ": was written by a later cuco (version 2 of the store; this one reads up to 1); use that one"));
}

TEST_F(SchemaTest, AnotherDatabaseIsNoStore) {
  ASSERT_TRUE(database_.run_script(kFirst).ok());
  EXPECT_EQ(check_identity(database_).error().message, concat(database_.file().string(), ": is not a store of cuco"));
}

TEST_F(SchemaTest, ReferencesAndIndicesAreWhole) {
  ASSERT_TRUE(migrate(database_).ok());
  EXPECT_EQ(value_of(database_, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
  EXPECT_EQ(schema_version(database_).value(), migrations().size());
}

}  // namespace
}  // namespace cuco::store
