// How a program reaches the user. As a folder, which builds as it is: the program's files under their own names, the
// headers of its own folder and those of cuco that they include. Or as one file that has those of cuco in it. Beside it
// come results of the same name (best.plan beside best/) and the list of all that was written (best.sha256).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "evaluate/evaluate.h"

namespace cuco::campaign {

enum class Form : uint8_t { Folder, SingleFile };

class Delivery {
 public:
  // `request` is what the program was judged by: its baseline, its folder (the first include folder) and its flags. An
  // error says why the place or the form does not fit.
  static Result<Delivery> make(const evaluate::EvaluationRequest& request, const std::vector<SourceFile>& program,
                               const std::filesystem::path& place, Form form);

  // A result that goes beside the program: NAME.EXTENSION.
  void add_beside(const std::string& extension, const std::string& text);
  void add(const std::string& name, const std::string& text) { texts_[name] = text; }

  // An error names what is there and not cuco's.
  Status check() const;
  Status write() const;

  const std::filesystem::path& place() const { return place_; }
  // Everything that is written, a line for each folder; files that differ from the original's with how much.
  std::vector<std::string> listing() const;
  // The nvcc line that builds the program.
  const std::string& build_command() const { return build_command_; }

 private:
  Delivery(std::filesystem::path place, Form form) : place_(std::move(place)), form_(form) {}
  // The first of its own files are the baseline's.
  void add_folder(const evaluate::EvaluationRequest& request, const std::vector<SourceFile>& own,
                  const std::vector<SourceFile>& library);
  std::string stem() const;
  std::filesystem::path list() const;

  std::filesystem::path place_;
  Form form_;
  std::map<std::string, std::string> texts_;    // By name, seen from the folder that the place lies in.
  std::map<std::string, std::string> changes_;  // Of some of them, in words.
  std::string build_command_;
};

// "2 headers of cuco, 310 lines"; empty for none.
std::string library_words(const std::vector<SourceFile>& headers);

}  // namespace cuco::campaign
