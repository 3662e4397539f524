// cuco doctor: what this machine has, and for each executor and proposer whether it could work here.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/machine.h"

namespace cuco::cli {

// An executor, which runs candidates, or a proposer, which writes them.
struct Facility {
  std::string name;
  std::string purpose;
  bool in_this_version = false;
  std::vector<std::string> needs;  // Names of findings.
};

const std::vector<Facility>& executors();
const std::vector<Facility>& proposers();

// The needs that the machine does not meet.
std::vector<Finding> missing_for(const Facility& facility, const Machine& machine);

// Another executor that would run candidates here, in a sentence: real GPUs before the virtual cluster. Empty: none.
std::string instead_of(const Facility& facility, const Machine& machine);

std::string doctor_text(const Machine& machine);
std::string doctor_json(const Machine& machine);

struct DoctorRequest {
  bool json = false;
};

Status show_doctor(const DoctorRequest& request, Context& context);

}  // namespace cuco::cli
