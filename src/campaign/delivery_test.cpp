#include "campaign/delivery.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "testing/scratch_folder.h"

namespace cuco::campaign {
namespace {

namespace fs = std::filesystem;

// The program's folder is mine/, what ships is share/, and best/ or best.cu is written.
class DeliveryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add("share/device/cuco/comm.cuh", "#pragma once\n#include <cuco/put.cuh>\n");
    add("share/device/cuco/put.cuh", "#pragma once\nint put;\n");
    add("share/device/cuco/unused.cuh", "");
    add("share/device/cuco/harness.h", "");
    add("mine/shapes.h", "int shape;\n");
    fs::create_directory_symlink(fs::path(CUCO_SOURCE_DIR) / "profiles", path("share/profiles"));
    request_.configuration.profile = "a100x4-nvlink";
    request_.tools.share = path("share");
    request_.folder = path("mine");
    request_.baseline = {{"program.cu", "#include \"shapes.h\"\nint main() {}\n"}};
  }
  fs::path path(const std::string& name) const { return scratch_.path() / name; }
  void add(const std::string& name, const std::string& text) {
    fs::create_directories(path(name).parent_path());
    ASSERT_TRUE(write_file(path(name), text).ok());
  }
  Result<Delivery> make(const std::string& place, Form form = Form::Folder) const {
    return Delivery::make(request_, changed_, path(place), form);
  }
  std::string text(const std::string& name) const { return read_file(path(name)).value(); }
  // Of the delivery, without where this test happens to be.
  std::string build_command(const std::string& place, Form form = Form::Folder) const {
    return replace_all(make(place, form)->build_command(), scratch_.path().string(), "T");
  }

  cuco::testing::ScratchFolder scratch_;
  evaluate::EvaluationRequest request_;
  std::vector<SourceFile> changed_ = {
      {"program.cu", "#include \"shapes.h\"\n#include <cuco/comm.cuh>\nint main() { put = 1; }\n"}};
};

TEST_F(DeliveryTest, FolderHasTheProgramAndTheHeadersThatItIncludes) {
  Result<Delivery> delivery = make("best");
  ASSERT_TRUE(delivery.ok());
  delivery->add_beside(".plan", "s1\n");
  ASSERT_TRUE(delivery->write().ok());
  EXPECT_EQ(text("best/program.cu"), changed_[0].text);
  EXPECT_EQ(text("best/shapes.h"), "int shape;\n");
  EXPECT_EQ(text("best/cuco/put.cuh"), text("share/device/cuco/put.cuh"));
  EXPECT_FALSE(fs::exists(path("best/cuco/unused.cuh")));
  std::string prefix = scratch_.path().string();
  EXPECT_EQ(delivery->listing(), (std::vector<std::string>{
                                     prefix + "/best/: program.cu (1 line changed, 1 added), shapes.h",
                                     prefix + "/best/cuco/: comm.cuh, put.cuh", prefix + "/: best.plan, best.sha256"}));
}

TEST_F(DeliveryTest, BuildCommandHasTheUsersFlagsAndWhatTheProgramNeeds) {
  EXPECT_EQ(build_command("best"), "nvcc -std=c++17 -arch=sm_80 -I T/best T/best/program.cu -o program -lnccl");
  request_.flags.include_folders.push_back(path("other include"));
  request_.flags.definitions = {"N=4"};
  request_.flags.standard = "c++20";
  request_.flags.libraries = {"nccl", "cublas", "m"};
  changed_[0].text += "#include <mpi.h>\n#include <cublas_v2.h>\n#include \"cuco/harness.h\"\n";
  EXPECT_EQ(build_command("best"),
            "nvcc -std=c++20 -arch=sm_80 -ccbin mpicxx -I T/best -I 'T/other include' -I T/share/device -D N=4 "
            "T/best/program.cu -o program -lnccl -lcublas -lm");
}

TEST_F(DeliveryTest, BuildCommandNamesTheProgramsFolderWhereItIsLeft) {
  changed_[0].text += "#include \"../above.h\"\n";
  EXPECT_EQ(build_command("best"),
            "nvcc -std=c++17 -arch=sm_80 -I T/best -I T/mine T/best/program.cu -o program -lnccl");
}

TEST_F(DeliveryTest, ChangedHeaderIsFoundBeforeTheOneItWas) {
  add("mine/include/world.h", "int world;\n");
  request_.flags.include_folders = {path("mine/include")};
  changed_[0].text = "#include <world.h>\nint main() {}\n";
  changed_.push_back({"include/world.h", "int world, changed;\n"});
  EXPECT_EQ(build_command("best"),
            "nvcc -std=c++17 -arch=sm_80 -I T/best -I T/best/include -I T/mine/include "
            "T/best/program.cu -o program -lnccl");
  Result<Delivery> delivery = make("best");
  delivery->add_beside(".plan", "");
  std::string prefix = scratch_.path().string();
  EXPECT_EQ(delivery->listing()[1], prefix + "/best/include/: world.h (1 line changed)");
}

TEST_F(DeliveryTest, PathUpInsideTheProgramsFolderStaysInside) {
  add("mine/common/above.h", "");
  request_.baseline[0] = {"src/program.cu", "#include \"../common/above.h\"\n"};
  changed_ = request_.baseline;
  EXPECT_EQ(build_command("best"), "nvcc -std=c++17 -arch=sm_80 -I T/best T/best/src/program.cu -o program -lnccl");
}

TEST_F(DeliveryTest, SingleFileHasTheHeadersOfCucoInIt) {
  Result<Delivery> delivery = make("best.cu", Form::SingleFile);
  ASSERT_TRUE(delivery.ok());
  delivery->add_beside(".plan", "s1\n");
  ASSERT_TRUE(delivery->write().ok());
  EXPECT_NE(text("best.cu").find("int put;"), std::string::npos);
  EXPECT_EQ(text("best.cu").find("#include <cuco"), std::string::npos);
  EXPECT_TRUE(fs::exists(path("best.plan")));
  EXPECT_FALSE(fs::exists(path("best")));
  EXPECT_EQ(build_command("best.cu", Form::SingleFile),
            "nvcc -std=c++17 -arch=sm_80 -I T/mine T/best.cu -o program -lnccl");
}

TEST_F(DeliveryTest, FormAndPlaceHaveToFit) {
  EXPECT_TRUE(make("best/").ok());
  EXPECT_NE(make("best.cu").error().message.find("is written to a folder"), std::string::npos);
  EXPECT_EQ(Delivery::make(request_, changed_, "./", Form::Folder).error().message,
            "./: names no folder of its own; choose one that is not there");
  changed_.push_back({"host.cpp", ""});
  request_.baseline.push_back({"host.cpp", ""});
  EXPECT_EQ(make("best.cu", Form::SingleFile).error().message,
            "--single-file: the program has 2 files; it can only be written to a folder");
  changed_[1].name = "../host.cpp";
  EXPECT_TRUE(make("best").error().message.starts_with("../host.cpp: lies outside of the program's folder"));
}

TEST_F(DeliveryTest, WhatIsThereAlreadyIsNotWrittenOver) {
  EXPECT_TRUE(make("best")->check().ok());
  ASSERT_TRUE(make("best")->write().ok());
  EXPECT_TRUE(make("best")->check().ok());
  add("best/cuco/put.cuh", "int put = 2;\n");
  EXPECT_TRUE(make("best")->check().error().message.starts_with(path("best/cuco/put.cuh").string()));
  add("mine/program.cu", request_.baseline[0].text);
  EXPECT_FALSE(make("mine")->write().ok());
  EXPECT_EQ(text("mine/program.cu"), request_.baseline[0].text);
}

}  // namespace
}  // namespace cuco::campaign
