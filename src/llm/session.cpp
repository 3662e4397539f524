#include "llm/session.h"

#include "base/number_text.h"
#include "base/text.h"

namespace cuco::llm {

Session::Session(SessionOptions options, PriceList prices, const Environment& environment, Clock& clock)
    : options_(std::move(options.models)),
      prices_(std::move(prices)),
      budget_(options.caps),
      environment_(environment),
      clock_(clock) {}

Result<std::unique_ptr<Session>> Session::open(const std::filesystem::path& share, SessionOptions options,
                                               const Environment& environment, Clock& clock) {
  CUCO_TRY(PriceList prices, load_prices(share, options.prices));
  return std::unique_ptr<Session>(new Session(std::move(options), std::move(prices), environment, clock));
}

Result<Model*> Session::model(const std::string& spec) {
  auto known = models_.find(spec);
  if (known != models_.end()) return known->second.get();
  CUCO_TRY(std::unique_ptr<Model> opened, open_model(spec, options_, {environment_, clock_, budget_, prices_}));
  return models_.emplace(spec, std::move(opened)).first->second.get();
}

std::string Session::spending() const {
  Spending spent = budget_.spent();
  std::string unpriced =
      spent.unpriced_calls > 0 ? concat(", ", counted(spent.unpriced_calls, "call"), " at unknown cost") : "";
  return concat(counted(spent.calls, "call"), ", ", dollars(spent.usd, 4), unpriced);
}

}  // namespace cuco::llm
