#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "campaign/transform/transform.h"
#include "space/fast_path.h"
#include "space/plan_legality.h"

namespace cuco::campaign {

namespace {

// Of the first line that speaks of the site.
std::string place_of(const std::string& file, const std::string& text, const std::string& site) {
  size_t line = 0;
  for (const std::string& content : split(text, '\n')) {
    line++;
    size_t begin = content.find_first_not_of(" \t");
    if (begin != content.npos && content.compare(begin, site.size(), site) == 0)
      return concat(file, ":", line, ":", begin + 1);
  }
  return file;
}

// Sites that the plan leaves out stay on the host.
Result<space::Plan> complete(const space::Plan& plan, const std::vector<space::SiteFacts>& sites,
                             const std::string& file, const std::string& text) {
  space::Plan whole{{}, plan.schedule};
  std::vector<std::string> names;
  for (const space::SiteFacts& site : sites) {
    const space::Directive* directive = space::find_directive(plan, site.name);
    whole.choices.push_back({site.name, directive ? *directive : space::Directive{}});
    names.push_back(site.name);
  }
  for (const space::SiteChoice& choice : plan.choices)
    if (std::ranges::find(names, choice.site) == names.end())
      return Error{concat(place_of(file, text, choice.site), ": the program has no site `", choice.site, "`; it has ",
                          join(names, ", "))};
  return whole;
}

}  // namespace

Result<space::Plan> chosen_plan(const TransformOptions& options, const Original& original,
                                std::optional<space::Backend> wished, Context& context) {
  if (options.plan.empty()) return space::fast_path_plan(original.sites, original.profile, wished);
  Result<std::string> text = read_file(options.plan);
  if (!text) return text.error();
  Result<space::Plan> stated = space::parse_plan(*text, options.plan);
  if (!stated) return stated.error();
  Result<space::Plan> plan = complete(*stated, original.sites, options.plan, *text);
  if (!plan) return plan.error();
  for (const space::Violation& violation : space::check(original.sites, *plan, original.profile))
    context.out << "against the plan (" << violation.rule << "): " << violation.reason << "\n";
  return plan;
}

}  // namespace cuco::campaign
