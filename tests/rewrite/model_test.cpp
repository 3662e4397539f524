// The model path of transform, end to end: a program on the other side of `command:` answers, first with a text that
// does not build, then with one that does.
#include <gtest/gtest.h>

#include <sstream>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/command.h"
#include "trial.h"

namespace cuco {
namespace {

struct Outcome {
  int exit_code = 0;
  std::string out, err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  RealProcessRunner processes;
  RealEnvironment environment;
  cli::Context context{out, err, false, processes, environment, kSource};
  int exit_code = cli::run_command_line(arguments, context);
  return {exit_code, out.str(), err.str()};
}

std::string whole_file(const std::filesystem::path& path, const std::string& text) {
  return concat("FILE: ", path.string(), "\n```cuda\n", text, "\n```\n");
}

// Answers with reply1.txt, reply2.txt, ... of its folder in turn; keeps prompt1.txt, prompt2.txt, ... and
// the last as prompt.txt.
void write_answering_program(const std::filesystem::path& folder, const std::vector<std::string>& replies) {
  for (size_t i = 0; i < replies.size(); i++)
    ASSERT_TRUE(write_file(folder / concat("reply", i + 1, ".txt"), replies[i]));
  ASSERT_TRUE(write_file(folder / "answer.sh", concat("cd ", folder.string(),
                                                      "\nn=$(( $(cat count 2>/dev/null || echo 0) + 1 ))\n"
                                                      "echo $n > count\ntee prompt.txt > prompt$n.txt\ncat reply$n.txt\n")));
}

class ModelPath : public ::testing::Test {
 protected:
  ScratchFolder scratch_ = ScratchFolder::make("cuco-model").value();
  std::filesystem::path program_ = kFolder / "pipeline_of_ranks.cu";
  const std::filesystem::path output_ = scratch_.path() / "out.cu";

  std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {"transform", program_.string(), "--with", "model",      "-n",
                                    "4",         "--seeds",         "1",      "--no-cache", "--no-nvcc",
                                    "-o",        output_.string()};
    all.push_back("--single-file");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string model() const { return concat("command:sh ", (scratch_.path() / "answer.sh").string()); }
};

TEST_F(ModelPath, GoesOnAfterAReplyThatDoesNotBuildAndCanBeReplayed) {
  Result<std::string> good = rewritten({program_, {}, {}}, space::Backend::Lsa);
  ASSERT_TRUE(good) << good.error().message;
  write_answering_program(scratch_.path(), {whole_file(program_, "int main() { return undeclared; }"),
                                            "I would rather not.", whole_file(program_, *good)});
  std::string record = (scratch_.path() / "calls.jsonl").string();
  Outcome first = run(command({"--model", model(), "--record", record}));
  EXPECT_EQ(first.exit_code, 0) << first.out << first.err;
  EXPECT_NE(first.out.find("attempt 1: rejected"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("attempt 2: malformed"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("attempt 3: accepted"), std::string::npos) << first.out;
  std::string text = *read_file(output_);
  EXPECT_EQ(text.find("ncclSend("), std::string::npos);

  std::filesystem::remove(output_);
  std::filesystem::remove(scratch_.path() / "answer.sh");
  Outcome again = run(command({"--model", model(), "--replay", record}));
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(*read_file(output_), text);
}

TEST_F(ModelPath, AJudgeThatWasNeverAskedCanBeReplayed) {
  Result<std::string> good = rewritten({program_, {}, {}}, space::Backend::Lsa);
  ASSERT_TRUE(good) << good.error().message;
  write_answering_program(scratch_.path(), {whole_file(program_, *good)});
  std::string record = (scratch_.path() / "calls.jsonl").string();
  for (const char* way : {"--record", "--replay"}) {
    Outcome outcome = run(command({"--model", model(), "--judge", "command:false", way, record}));
    EXPECT_EQ(outcome.exit_code, 0) << way << outcome.out << outcome.err;
  }
}

// A model is asked where `auto` finds that no rule applies.
class AskedByAuto : public ModelPath {
 protected:
  Outcome run_auto(const std::filesystem::path& program, const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"transform",  program.string(),
                                    "--backend",  "lsa",
                                    "-I",         kFolder.string(),
                                    "-n",         "4",
                                    "--seeds",    "1",
                                    "--no-cache", "--no-nvcc",
                                    "-o",         output_.string(),
                                    "--model",    model()};
    all.push_back("--single-file");
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  std::string prompt() const { return *read_file(scratch_.path() / "prompt.txt"); }
};

TEST_F(AskedByAuto, ACallInAMacroIsConvertedByTheModel) {
  std::string text = *read_file(program_), call = "ncclSend(out, kCount, ncclDouble, self.rank + 1, comm, stream)";
  ASSERT_NE(text.find(call), text.npos);
  text = concat("#define PASS_ON(kind) nccl##kind", call.substr(8), "\n", replace_all(text, call, "PASS_ON(Send)"));
  std::filesystem::path program = scratch_.path() / "program.cu";
  ASSERT_TRUE(write_file(program, text));
  Result<std::string> good = rewritten({program_, {}, {}}, space::Backend::Lsa);
  ASSERT_TRUE(good) << good.error().message;
  write_answering_program(scratch_.path(), {whole_file(program, *good)});
  EXPECT_EQ(run_auto(program, {"--with", "rules"}).exit_code, 2);
  Outcome outcome = run_auto(program, {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(prompt().find("the call to ncclSend is put together by macros"), std::string::npos);
  EXPECT_EQ(read_file(output_)->find("PASS_ON("), std::string::npos);
}

struct Refused {
  const char *name, *program, *obstacle;
};
class RefusedByRules : public AskedByAuto, public ::testing::WithParamInterface<Refused> {};
INSTANTIATE_TEST_SUITE_P(
    ModelPath, RefusedByRules,
    ::testing::Values(Refused{"OwnReduction", "analyze/custom_reduction.cu", "ncclAllReduce cannot be converted"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(RefusedByRules, TheModelIsToldTheObstacleAndTheBackendThatIsWanted) {
  write_answering_program(scratch_.path(), {"I would rather not."});
  Outcome outcome = run_auto(kSource / "tests" / GetParam().program, {"--attempts", "1"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_NE(prompt().find(GetParam().obstacle), std::string::npos) << prompt();
  EXPECT_NE(prompt().find("- backend: lsa ("), std::string::npos) << prompt();
}

TEST_F(AskedByAuto, NobodyIsAskedWhereRulesConvertEverySite) {
  write_answering_program(scratch_.path(), {"never read"});
  Outcome outcome = run_auto(program_, {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "count"));
}

TEST_F(ModelPath, RefusesACandidateThatKeepsTheHostsCollectives) {
  write_answering_program(scratch_.path(), {whole_file(program_, *read_file(program_))});
  Outcome outcome = run(command({"--model", model(), "--attempts", "1"}));
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("nothing was written"), std::string::npos) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(output_));
}

// Of a program whose result would be the same without communication.
class EqualParts : public ModelPath {
 protected:
  EqualParts() { program_ = kFolder / "equal_parts.cu"; }
  std::string told(int attempt) const { return *read_file(scratch_.path() / concat("prompt", attempt, ".txt")); }
};

TEST_F(EqualParts, RefusesWhatDoesNotCommunicateAndWhatOnlyChangesComments) {
  std::string original = *read_file(program_);
  std::string alone = replace_all(original, "CHECK(ncclAllGather(own, all, kCount, ncclFloat, comm, 0));",
                                  "make<<<kCount * self.count / 256, 256>>>(all, kCount * self.count);");
  ASSERT_NE(alone, original);
  Result<std::string> good = rewritten({program_, {}, {}}, space::Backend::Lsa);
  ASSERT_TRUE(good) << good.error().message;
  write_answering_program(scratch_.path(), {whole_file(program_, alone), whole_file(program_, original + "// Done.\n"),
                                            whole_file(program_, *good)});
  Outcome outcome = run(command({"--model", model()}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(told(2).find("not_communicated"), std::string::npos) << told(2);
  EXPECT_NE(told(3).find("no change"), std::string::npos) << told(3);
  EXPECT_NE(outcome.out.find("attempt 3: accepted"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("bytes from each rank to each other by lsa"), std::string::npos) << outcome.out;
}

TEST_F(EqualParts, RefusesABackendThatWasNotAskedFor) {
  Result<std::string> network = rewritten({program_, {}, {}}, space::Backend::Gin);
  Result<std::string> near = rewritten({program_, {}, {}}, space::Backend::Lsa);
  ASSERT_TRUE(network && near);
  write_answering_program(scratch_.path(), {whole_file(program_, *network), whole_file(program_, *near)});
  Outcome outcome = run(command({"--model", model(), "--backend", "lsa"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(told(2).find("s1: lsa is asked for, and kernel exchange_for<1"), std::string::npos) << told(2);
  EXPECT_NE(outcome.out.find("attempt 2: accepted"), std::string::npos) << outcome.out;
  EXPECT_NE(read_file(std::filesystem::path(output_).replace_extension(".plan"))->find("s1 lsa/"), std::string::npos);
}

TEST_F(ModelPath, AsksNobodyWithABudgetOfZero) {
  write_answering_program(scratch_.path(), {"never read"});
  Outcome outcome = run(command({"--model", model(), "--budget-calls", "0"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "count"));
}

TEST_F(ModelPath, NamesTheVariableOfAMissingKey) {
  Outcome outcome = run(command({"--model", "openai:some-model"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("OPENAI_API_KEY"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace cuco
