#include "llm/budget.h"

#include "base/number_text.h"
#include "base/text.h"

namespace cuco::llm {

namespace {}  // namespace

Result<Budget::Reservation> Budget::reserve(const std::string& model, std::optional<double> usd_most) {
  std::lock_guard lock(mutex_);
  uint64_t calls = spent_.calls + reserved_calls_;
  if (caps_.calls && calls >= *caps_.calls)
    return Error{concat("the budget of ", counted(*caps_.calls, "call"), " is used up (", calls,
                        " made or under way); raise --budget-calls")};
  if (caps_.usd && !usd_most)
    return Error{concat("the price of ", model,
                        " is not known, so that --budget-usd cannot hold; add it to a price "
                        "file or leave the cap out")};
  double usd = spent_.usd + reserved_usd_;
  if (caps_.usd && usd + *usd_most > *caps_.usd)
    return Error{concat("this call of ", model, " may cost up to ", dollars(*usd_most, 4), "; ", dollars(usd, 4),
                        " of ", dollars(*caps_.usd, 4),
                        " are spent or set aside; raise --budget-usd or lower the length of the "
                        "reply")};
  Reservation reservation{usd_most.value_or(0)};
  reserved_usd_ += reservation.usd;
  ++reserved_calls_;
  return reservation;
}

void Budget::settle(Reservation reservation, bool answered, std::optional<double> usd) {
  std::lock_guard lock(mutex_);
  reserved_usd_ -= reservation.usd;
  --reserved_calls_;
  // Sums of fractions leave a rest that would read as money set aside.
  if (reserved_calls_ == 0) reserved_usd_ = 0;
  if (answered) add(usd);
}

void Budget::charge(std::optional<double> usd) {
  std::lock_guard lock(mutex_);
  add(usd);
}

void Budget::add(std::optional<double> usd) {
  ++spent_.calls;
  if (!usd) ++spent_.unpriced_calls;
  spent_.usd += usd.value_or(0);
}

Spending Budget::spent() const {
  std::lock_guard lock(mutex_);
  return spent_;
}

}  // namespace cuco::llm
