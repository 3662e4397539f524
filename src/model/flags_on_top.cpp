#include "model/flags_on_top.h"

namespace cuco::model {

namespace {

using Words = std::vector<std::string>;

constexpr Words BuildFlags::*kSearched[] = {&BuildFlags::include_folders, &BuildFlags::system_include_folders,
                                            &BuildFlags::quote_folders,   &BuildFlags::forced_includes,
                                            &BuildFlags::libraries,       &BuildFlags::library_folders,
                                            &BuildFlags::nvcc_options};
constexpr Words BuildFlags::*kMacros[] = {&BuildFlags::definitions, &BuildFlags::undefinitions};
constexpr std::string BuildFlags::*kSingle[] = {&BuildFlags::standard, &BuildFlags::c_standard, &BuildFlags::region};

}  // namespace

BuildFlags on_top(const BuildFlags& given, BuildFlags own) {
  const BuildFlags usual;
  for (Words BuildFlags::*list : kSearched)
    (own.*list).insert((own.*list).begin(), (given.*list).begin(), (given.*list).end());
  for (Words BuildFlags::*list : kMacros)
    (own.*list).insert((own.*list).end(), (given.*list).begin(), (given.*list).end());
  for (std::string BuildFlags::*word : kSingle)
    if (given.*word != usual.*word) own.*word = given.*word;
  for (BuildFlags& each : own.of_files) each = on_top(given, std::move(each));
  return own;
}

}  // namespace cuco::model
