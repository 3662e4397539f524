// A language model as a proposer. Which kind of request it gets and how hot it is run depends on the phase; the reply's
// plan is compared with the one its code follows where something can infer that. Several models are several proposers.
//
// A reply that is no program (no plan, a plan of other sites, an edit that does not match, a change of frozen text) is
// a Proposal with a failure. A model that gives no reply (its budget is spent, its provider is down) is an error: the
// search silences this proposer, stores why as an event, and goes on with the others. The log has the failure as well,
// so the run repeats. Only a call that was cancelled leaves no trace: a resumed run asks it again. What was rejected
// comes back to the model as attempts of an assignment, with what was found.
//
// A parent of which nothing may change (no evolve block) gives way to the best member of which something may.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/proposal_reply.h"
#include "agent/proposer.h"
#include "agent/rejection_text.h"
#include "evolve/proposer.h"
#include "evolve/proposers/asked_plan.h"
#include "evolve/proposers/logged_calls.h"

namespace cuco::evolve {

// Shares of the kinds of requests; they need not add up to one. A crossover without a second parent is not drawn.
struct RequestMix {
  double full = 0, diff = 0, crossover = 0;
  std::optional<double> temperature = std::nullopt;  // Unset: the model's own.
  double asked = 0;                                  // How often a design is asked for; else the model chooses.
};

struct ModelMix {
  RequestMix explore = {.70, .15, .15, 1.0, .7};
  RequestMix exploit = {.10, .75, .15, .3, .3};
  size_t failures_max = 3;  // Of those that an assignment brings.
  agent::ProposerLimits limits = {};
};

using InferPlan = std::function<Result<space::Plan>(const std::vector<SourceFile>&)>;

struct ModelProposerInput {
  std::filesystem::path share;  // Where prompts/ lies.
  LoggedModel model;
  ModelMix mix = {};
  std::vector<std::string> sites;  // Of the program; empty: those of the parent's plan.
  // That some site can take: a model that chooses is told the API of these.
  std::vector<space::Backend> backends = {space::Backend::Lsa, space::Backend::Gin, space::Backend::Multimem};
  std::string machine;                // And what the design space leaves open on it, for the prompt.
  std::string analysis;               // Of the baseline, for the prompt.
  ChoosePlan choose_plan = {};        // Empty: the model always chooses.
  InferPlan infer_plan = {};          // Empty: what is stated is believed.
  llm::Progress* progress = nullptr;  // Null: nobody watches.
};

// Sets what follows from sites and machine: their description, the sites' names, backends, the plans to ask for.
void set_design_space(ModelProposerInput& input, const std::vector<space::SiteFacts>& sites,
                      const model::HardwareProfile& profile);

class ModelProposer : public Proposer {
 public:
  // An error when a prompt cannot be read. What the input points to must outlive the proposer.
  static Result<std::unique_ptr<Proposer>> make(ModelProposerInput input);

  std::string name() const override { return input_.model.name; }
  bool repairs() const override { return true; }
  Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) override;

 private:
  ModelProposer(ModelProposerInput input, agent::ProposerPrompts prompts)
      : input_(std::move(input)), prompts_(std::move(prompts)) {}

  // What one proposal is about.
  struct Turn {
    const Assignment& assignment;
    const Member& parent;
    agent::EditableProgram program;  // The parent's.
    agent::ProposalKind kind;
    std::optional<space::Plan> asked;
    std::string draw;
  };
  Result<Turn> new_turn(const Assignment& assignment, Random& random) const;
  Result<Turn> repair_turn(const Assignment& assignment, Random& random) const;
  const RequestMix& mix_of(Phase phase) const;
  std::optional<space::Plan> draw_plan(const Assignment& assignment, agent::ProposalKind kind, Random& random) const;
  Result<llm::Prompt> make_prompt(Turn& turn) const;
  Result<agent::ProposalRequest> make_request(const Turn& turn) const;
  std::vector<std::string> sites_of(const Member& parent) const;
  agent::Rejection rejection_of(const Assignment& assignment, const agent::ProgramText& program) const;
  Proposal read(const Turn& turn, const Answer& answer) const;
  void accept(const agent::StatedProposal& stated, Proposal& proposal) const;

  ModelProposerInput input_;
  agent::ProposerPrompts prompts_;
};

}  // namespace cuco::evolve
