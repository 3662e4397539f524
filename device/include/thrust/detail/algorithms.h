// Thrust's algorithms. Each is written once, as a function object over raw iterators that runs on either side.
#pragma once

#include "thrust/detail/policies.h"
#include "thrust/functional.h"

#define CUCO_HD [=] __host__ __device__

namespace thrust {
namespace algorithms {

// How many bytes so many elements have.
template <class Iterator>
size_t bytes_in(std::ptrdiff_t count) {
  return count > 0 ? (size_t)count * sizeof(value_of<Iterator>) : 0;
}

// ---- Element by element.

template <class Policy, class In, class Function>
In for_each_n(const Policy& policy, In first, std::ptrdiff_t count, Function function) {
  auto in = raw(first);
  run_elements(policy, count, CUCO_HD(size_t i) mutable { function(in[i]); });
  return first + count;
}
template <class Policy, class In, class Function>
In for_each(const Policy& policy, In first, In last, Function function) {
  return algorithms::for_each_n(policy, first, last - first, function);
}
template <class Policy, class In, class Out, class Function>
Out transform(const Policy& policy, In first, In last, Out result, Function function) {
  auto in = raw(first);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = function(in[i]); });
  return result + (last - first);
}
template <class Policy, class In1, class In2, class Out, class Function,
          class = std::enable_if_t<!std::is_same_v<Function, void>>>
Out transform(const Policy& policy, In1 first, In1 last, In2 second, Out result, Function function) {
  auto in1 = raw(first);
  auto in2 = raw(second);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = function(in1[i], in2[i]); });
  return result + (last - first);
}
template <class Policy, class In, class Out, class Function, class Predicate>
Out transform_if(const Policy& policy, In first, In last, Out result, Function function, Predicate predicate) {
  auto in = raw(first);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable {
    if (predicate(in[i])) out[i] = function(in[i]);
  });
  return result + (last - first);
}
template <class Policy, class In, class Stencil, class Out, class Function, class Predicate>
Out transform_if(const Policy& policy, In first, In last, Stencil stencil, Out result, Function function,
                 Predicate predicate) {
  auto in = raw(first);
  auto at = raw(stencil);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable {
    if (predicate(at[i])) out[i] = function(in[i]);
  });
  return result + (last - first);
}
template <class Policy, class Out, class T>
void fill(const Policy& policy, Out first, Out last, T value) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = value; });
}
template <class Policy, class Out, class T>
Out fill_n(const Policy& policy, Out first, std::ptrdiff_t count, T value) {
  algorithms::fill(policy, first, first + count, value);
  return first + count;
}
template <class Policy, class Out, class T>
void uninitialized_fill(const Policy& policy, Out first, Out last, T value) {
  algorithms::fill(policy, first, last, value);
}
template <class Policy, class Out, class T, class Step>
void sequence(const Policy& policy, Out first, Out last, T start, Step step) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = (value_of<Out>)(start + step * (T)i); });
}
template <class Policy, class Out, class T>
void sequence(const Policy& policy, Out first, Out last, T start) {
  algorithms::sequence(policy, first, last, start, T(1));
}
template <class Policy, class Out>
void sequence(const Policy& policy, Out first, Out last) {
  algorithms::sequence(policy, first, last, value_of<Out>(0), value_of<Out>(1));
}
template <class Policy, class Out, class Function>
void generate(const Policy& policy, Out first, Out last, Function function) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = function(); });
}
template <class Policy, class Out, class Function>
void tabulate(const Policy& policy, Out first, Out last, Function function) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = function((std::ptrdiff_t)i); });
}
template <class Policy, class Map, class In, class Out>
Out gather(const Policy& policy, Map first, Map last, In input, Out result) {
  auto map = raw(first);
  auto in = raw(input);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[i] = in[(std::ptrdiff_t)map[i]]; });
  return result + (last - first);
}
template <class Policy, class In, class Map, class Out>
void scatter(const Policy& policy, In first, In last, Map map, Out result) {
  auto in = raw(first);
  auto to = raw(map);
  auto out = raw(result);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable { out[(std::ptrdiff_t)to[i]] = in[i]; });
}
template <class Policy, class InOut, class Predicate, class T>
void replace_if(const Policy& policy, InOut first, InOut last, Predicate predicate, T value) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable {
    if (predicate(out[i])) out[i] = value;
  });
}
template <class Policy, class InOut, class T>
void replace(const Policy& policy, InOut first, InOut last, T old_value, T value) {
  auto out = raw(first);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable {
    if (out[i] == old_value) out[i] = value;
  });
}
template <class Policy, class InOut>
void reverse(const Policy& policy, InOut first, InOut last) {
  auto out = raw(first);
  std::ptrdiff_t count = last - first;
  run_elements(policy, count / 2, CUCO_HD(size_t i) mutable {
    value_of<InOut> held = out[i];
    out[i] = (value_of<InOut>)out[count - 1 - (std::ptrdiff_t)i];
    out[count - 1 - (std::ptrdiff_t)i] = held;
  });
}
template <class Policy, class In, class Out>
Out reverse_copy(const Policy& policy, In first, In last, Out result) {
  return algorithms::transform(policy, make_reverse_iterator(last), make_reverse_iterator(first), result,
                               identity<value_of<In>>());
}
template <class Policy, class A, class B>
B swap_ranges(const Policy& policy, A first, A last, B second) {
  auto a = raw(first);
  auto b = raw(second);
  run_elements(policy, last - first, CUCO_HD(size_t i) mutable {
    value_of<A> held = a[i];
    a[i] = (value_of<A>)b[i];
    b[i] = held;
  });
  return second + (last - first);
}
template <class Policy, class In, class Out, class Function>
Out adjacent_difference(const Policy& policy, In first, In last, Out result, Function function) {
  auto in = raw(first);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_serial(policy, 2 * bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    value_of<In> before{};
    for (std::ptrdiff_t i = 0; i < count; i++) {
      value_of<In> now = in[i];
      if (i == 0)
        out[i] = now;
      else
        out[i] = function(now, before);
      before = now;
    }
  });
  return result + count;
}
template <class Policy, class In, class Out>
Out adjacent_difference(const Policy& policy, In first, In last, Out result) {
  return algorithms::adjacent_difference(policy, first, last, result, minus<value_of<In>>());
}

// ---- Reductions.

template <class Policy, class In, class T, class Function>
T reduce(const Policy& policy, In first, In last, T start, Function function) {
  auto in = raw(first);
  std::ptrdiff_t count = last - first;
  temporary<T, Policy> result(policy, 1);
  T* out = result.data();
  run_serial(policy, bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    T sum = start;
    for (std::ptrdiff_t i = 0; i < count; i++) sum = function(sum, (value_of<In>)in[i]);
    *out = sum;
  });
  return result.get();
}
template <class Policy, class In, class T>
T reduce(const Policy& policy, In first, In last, T start) {
  return algorithms::reduce(policy, first, last, start, plus<T>());
}
template <class Policy, class In>
value_of<In> reduce(const Policy& policy, In first, In last) {
  return algorithms::reduce(policy, first, last, value_of<In>(0), plus<value_of<In>>());
}
template <class Policy, class In, class Transform, class T, class Function>
T transform_reduce(const Policy& policy, In first, In last, Transform transform, T start, Function function) {
  auto in = raw(first);
  std::ptrdiff_t count = last - first;
  temporary<T, Policy> result(policy, 1);
  T* out = result.data();
  run_serial(policy, bytes_in<In>(count), 2 * (size_t)count, CUCO_HD() mutable {
    T sum = start;
    for (std::ptrdiff_t i = 0; i < count; i++) sum = function(sum, transform(in[i]));
    *out = sum;
  });
  return result.get();
}
template <class Policy, class A, class B, class T, class Plus, class Times>
T inner_product(const Policy& policy, A first, A last, B second, T start, Plus plus, Times times) {
  auto a = raw(first);
  auto b = raw(second);
  std::ptrdiff_t count = last - first;
  temporary<T, Policy> result(policy, 1);
  T* out = result.data();
  run_serial(policy, bytes_in<A>(count) + bytes_in<B>(count), 2 * (size_t)count, CUCO_HD() mutable {
    T sum = start;
    for (std::ptrdiff_t i = 0; i < count; i++) sum = plus(sum, times(a[i], b[i]));
    *out = sum;
  });
  return result.get();
}
template <class Policy, class A, class B, class T>
T inner_product(const Policy& policy, A first, A last, B second, T start) {
  return algorithms::inner_product(policy, first, last, second, start, plus<T>(), multiplies<T>());
}
template <class Policy, class In, class Predicate>
std::ptrdiff_t count_if(const Policy& policy, In first, In last, Predicate predicate) {
  auto one = CUCO_HD(const value_of<In>& value) -> std::ptrdiff_t { return predicate(value) ? 1 : 0; };
  return algorithms::transform_reduce(policy, first, last, one, std::ptrdiff_t(0), plus<std::ptrdiff_t>());
}
template <class Policy, class In, class T>
std::ptrdiff_t count(const Policy& policy, In first, In last, T wanted) {
  return algorithms::count_if(policy, first, last, CUCO_HD(const value_of<In>& value) { return value == wanted; });
}
// The index of the first element that none comes before.
template <class Policy, class In, class Less>
std::ptrdiff_t first_extreme(const Policy& policy, In first, In last, Less less) {
  auto in = raw(first);
  std::ptrdiff_t count = last - first;
  temporary<std::ptrdiff_t, Policy> result(policy, 1);
  std::ptrdiff_t* out = result.data();
  run_serial(policy, bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    std::ptrdiff_t best = 0;
    for (std::ptrdiff_t i = 1; i < count; i++)
      if (less((value_of<In>)in[i], (value_of<In>)in[best])) best = i;
    *out = best;
  });
  return result.get();
}
template <class Policy, class In, class Less>
In min_element(const Policy& policy, In first, In last, Less less) {
  return first + algorithms::first_extreme(policy, first, last, less);
}
template <class Policy, class In>
In min_element(const Policy& policy, In first, In last) {
  return algorithms::min_element(policy, first, last, thrust::less<value_of<In>>());
}
template <class Policy, class In, class Less>
In max_element(const Policy& policy, In first, In last, Less less) {
  return first + algorithms::first_extreme(policy, first, last, CUCO_HD(const value_of<In>& a, const value_of<In>& b) {
           return less(b, a);
         });
}
template <class Policy, class In>
In max_element(const Policy& policy, In first, In last) {
  return algorithms::max_element(policy, first, last, thrust::less<value_of<In>>());
}
template <class Policy, class In, class... Less>
pair<In, In> minmax_element(const Policy& policy, In first, In last, Less... less) {
  return pair<In, In>(algorithms::min_element(policy, first, last, less...),
                      algorithms::max_element(policy, first, last, less...));
}
// The index of the first element that the predicate holds for, or the number of elements.
template <class Policy, class In, class Predicate>
In find_if(const Policy& policy, In first, In last, Predicate predicate) {
  auto in = raw(first);
  std::ptrdiff_t count = last - first;
  temporary<std::ptrdiff_t, Policy> result(policy, 1);
  std::ptrdiff_t* out = result.data();
  run_serial(policy, bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    std::ptrdiff_t at = 0;
    while (at < count && !predicate((value_of<In>)in[at])) at++;
    *out = at;
  });
  return first + result.get();
}
template <class Policy, class In, class Predicate>
In find_if_not(const Policy& policy, In first, In last, Predicate predicate) {
  return algorithms::find_if(policy, first, last, not1(predicate));
}
template <class Policy, class In, class T>
In find(const Policy& policy, In first, In last, T wanted) {
  return algorithms::find_if(policy, first, last, CUCO_HD(const value_of<In>& value) { return value == wanted; });
}
template <class Policy, class In, class Predicate>
bool any_of(const Policy& policy, In first, In last, Predicate predicate) {
  return algorithms::find_if(policy, first, last, predicate) != last;
}
template <class Policy, class In, class Predicate>
bool all_of(const Policy& policy, In first, In last, Predicate predicate) {
  return !algorithms::any_of(policy, first, last, not1(predicate));
}
template <class Policy, class In, class Predicate>
bool none_of(const Policy& policy, In first, In last, Predicate predicate) {
  return !algorithms::any_of(policy, first, last, predicate);
}
template <class Policy, class A, class B, class Equal>
bool equal(const Policy& policy, A first, A last, B second, Equal equal) {
  auto b = raw(second);
  auto a = raw(first);
  auto differs = CUCO_HD(std::ptrdiff_t i) { return !equal(a[i], b[i]); };
  counting_iterator<std::ptrdiff_t> begin(0), end(last - first);
  return algorithms::find_if(policy, begin, end, differs) == end;
}
template <class Policy, class A, class B>
bool equal(const Policy& policy, A first, A last, B second) {
  return algorithms::equal(policy, first, last, second, equal_to<value_of<A>>());
}
template <class Policy, class In, class Less>
bool is_sorted(const Policy& policy, In first, In last, Less less) {
  auto in = raw(first);
  auto falls = CUCO_HD(std::ptrdiff_t i) { return less((value_of<In>)in[i + 1], (value_of<In>)in[i]); };
  std::ptrdiff_t count = last - first;
  counting_iterator<std::ptrdiff_t> begin(0), end(count > 1 ? count - 1 : 0);
  return algorithms::find_if(policy, begin, end, falls) == end;
}
template <class Policy, class In>
bool is_sorted(const Policy& policy, In first, In last) {
  return algorithms::is_sorted(policy, first, last, thrust::less<value_of<In>>());
}
template <class Policy, class Keys, class Values, class OutKeys, class OutValues, class Equal, class Function>
pair<OutKeys, OutValues> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values, OutKeys out_keys,
                                       OutValues out_values, Equal equal, Function function) {
  auto keys = raw(first);
  auto in = raw(values);
  auto to_keys = raw(out_keys);
  auto to_values = raw(out_values);
  std::ptrdiff_t count = last - first;
  temporary<std::ptrdiff_t, Policy> result(policy, 1);
  std::ptrdiff_t* out = result.data();
  run_serial(policy, 2 * (bytes_in<Keys>(count) + bytes_in<Values>(count)), (size_t)count, CUCO_HD() mutable {
    std::ptrdiff_t groups = 0;
    for (std::ptrdiff_t i = 0; i < count;) {
      value_of<Keys> key = keys[i];
      value_of<Values> sum = in[i];
      for (i++; i < count && equal(key, (value_of<Keys>)keys[i]); i++) sum = function(sum, (value_of<Values>)in[i]);
      to_keys[groups] = key;
      to_values[groups++] = sum;
    }
    *out = groups;
  });
  std::ptrdiff_t groups = result.get();
  return pair<OutKeys, OutValues>(out_keys + groups, out_values + groups);
}
template <class Policy, class Keys, class Values, class OutKeys, class OutValues, class Equal>
pair<OutKeys, OutValues> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values, OutKeys out_keys,
                                       OutValues out_values, Equal equal) {
  return algorithms::reduce_by_key(policy, first, last, values, out_keys, out_values, equal, plus<value_of<Values>>());
}
template <class Policy, class Keys, class Values, class OutKeys, class OutValues>
pair<OutKeys, OutValues> reduce_by_key(const Policy& policy, Keys first, Keys last, Values values, OutKeys out_keys,
                                       OutValues out_values) {
  return algorithms::reduce_by_key(policy, first, last, values, out_keys, out_values, equal_to<value_of<Keys>>());
}

// ---- Scans.

template <class Policy, class In, class Out, class Function>
Out inclusive_scan(const Policy& policy, In first, In last, Out result, Function function) {
  auto in = raw(first);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_serial(policy, bytes_in<In>(count) + bytes_in<Out>(count), (size_t)count, CUCO_HD() mutable {
    if (count <= 0) return;
    value_of<In> sum = in[0];
    out[0] = sum;
    for (std::ptrdiff_t i = 1; i < count; i++) {
      sum = function(sum, (value_of<In>)in[i]);
      out[i] = sum;
    }
  });
  return result + count;
}
template <class Policy, class In, class Out>
Out inclusive_scan(const Policy& policy, In first, In last, Out result) {
  return algorithms::inclusive_scan(policy, first, last, result, plus<value_of<In>>());
}
template <class Policy, class In, class Out, class T, class Function>
Out exclusive_scan(const Policy& policy, In first, In last, Out result, T start, Function function) {
  auto in = raw(first);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_serial(policy, bytes_in<In>(count) + bytes_in<Out>(count), (size_t)count, CUCO_HD() mutable {
    T sum = start;
    for (std::ptrdiff_t i = 0; i < count; i++) {
      T before = sum;
      sum = function(sum, (value_of<In>)in[i]);
      out[i] = before;
    }
  });
  return result + count;
}
template <class Policy, class In, class Out, class T>
Out exclusive_scan(const Policy& policy, In first, In last, Out result, T start) {
  return algorithms::exclusive_scan(policy, first, last, result, start, plus<T>());
}
template <class Policy, class In, class Out>
Out exclusive_scan(const Policy& policy, In first, In last, Out result) {
  return algorithms::exclusive_scan(policy, first, last, result, value_of<In>(0));
}
template <class Policy, class In, class Out, class Transform, class Function>
Out transform_inclusive_scan(const Policy& policy, In first, In last, Out result, Transform transform,
                             Function function) {
  return algorithms::inclusive_scan(policy, make_transform_iterator(first, transform),
                                    make_transform_iterator(last, transform), result, function);
}
template <class Policy, class In, class Out, class Transform, class T, class Function>
Out transform_exclusive_scan(const Policy& policy, In first, In last, Out result, Transform transform, T start,
                             Function function) {
  return algorithms::exclusive_scan(policy, make_transform_iterator(first, transform),
                                    make_transform_iterator(last, transform), result, start, function);
}
template <class Policy, class Keys, class Values, class Out, class Equal, class Function>
Out inclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out result, Equal equal,
                          Function function) {
  auto keys = raw(first);
  auto in = raw(values);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_serial(policy, 2 * (bytes_in<Keys>(count) + bytes_in<Values>(count)), (size_t)count, CUCO_HD() mutable {
    value_of<Values> sum{};
    for (std::ptrdiff_t i = 0; i < count; i++) {
      bool goes_on = i > 0 && equal((value_of<Keys>)keys[i - 1], (value_of<Keys>)keys[i]);
      sum = goes_on ? (value_of<Values>)function(sum, (value_of<Values>)in[i]) : (value_of<Values>)in[i];
      out[i] = sum;
    }
  });
  return result + count;
}
template <class Policy, class Keys, class Values, class Out>
Out inclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out result) {
  return algorithms::inclusive_scan_by_key(policy, first, last, values, result, equal_to<value_of<Keys>>(),
                                           plus<value_of<Values>>());
}
template <class Policy, class Keys, class Values, class Out>
Out exclusive_scan_by_key(const Policy& policy, Keys first, Keys last, Values values, Out result,
                          value_of<Values> start = value_of<Values>(0)) {
  auto keys = raw(first);
  auto in = raw(values);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_serial(policy, 2 * (bytes_in<Keys>(count) + bytes_in<Values>(count)), (size_t)count, CUCO_HD() mutable {
    value_of<Values> sum = start;
    for (std::ptrdiff_t i = 0; i < count; i++) {
      if (i > 0 && !(keys[i - 1] == keys[i])) sum = start;
      value_of<Values> before = sum;
      sum = sum + (value_of<Values>)in[i];
      out[i] = before;
    }
  });
  return result + count;
}

// ---- Selections: elements that pass keep their order.

template <class Policy, class In, class Stencil, class Out, class Predicate>
Out copy_if(const Policy& policy, In first, In last, Stencil stencil, Out result, Predicate predicate) {
  auto in = raw(first);
  auto at = raw(stencil);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  temporary<std::ptrdiff_t, Policy> kept(policy, 1);
  std::ptrdiff_t* total = kept.data();
  run_serial(policy, 3 * bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    std::ptrdiff_t next = 0;
    for (std::ptrdiff_t i = 0; i < count; i++)
      if (predicate(at[i])) {
        value_of<In> value = in[i];
        out[next++] = value;
      }
    *total = next;
  });
  return result + kept.get();
}
template <class Policy, class In, class Out, class Predicate>
Out copy_if(const Policy& policy, In first, In last, Out result, Predicate predicate) {
  return algorithms::copy_if(policy, first, last, first, result, predicate);
}
template <class Policy, class In, class Out, class Predicate>
Out remove_copy_if(const Policy& policy, In first, In last, Out result, Predicate predicate) {
  return algorithms::copy_if(policy, first, last, first, result, not1(predicate));
}
template <class Policy, class InOut, class Predicate>
InOut remove_if(const Policy& policy, InOut first, InOut last, Predicate predicate) {
  return algorithms::copy_if(policy, first, last, first, first, not1(predicate));
}
template <class Policy, class InOut, class Stencil, class Predicate>
InOut remove_if(const Policy& policy, InOut first, InOut last, Stencil stencil, Predicate predicate) {
  return algorithms::copy_if(policy, first, last, stencil, first, not1(predicate));
}
template <class Policy, class InOut, class T>
InOut remove(const Policy& policy, InOut first, InOut last, T unwanted) {
  return algorithms::remove_if(policy, first, last,
                               CUCO_HD(const value_of<InOut>& value) { return value == unwanted; });
}
template <class Policy, class In, class Out, class Equal>
Out unique_copy(const Policy& policy, In first, In last, Out result, Equal equal) {
  auto in = raw(first);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  temporary<std::ptrdiff_t, Policy> kept(policy, 1);
  std::ptrdiff_t* total = kept.data();
  run_serial(policy, 2 * bytes_in<In>(count), (size_t)count, CUCO_HD() mutable {
    std::ptrdiff_t next = 0;
    value_of<In> before{};
    for (std::ptrdiff_t i = 0; i < count; i++) {
      value_of<In> now = in[i];
      if (i == 0 || !equal(before, now)) out[next++] = now;
      before = now;
    }
    *total = next;
  });
  return result + kept.get();
}
template <class Policy, class In, class Out>
Out unique_copy(const Policy& policy, In first, In last, Out result) {
  return algorithms::unique_copy(policy, first, last, result, equal_to<value_of<In>>());
}
template <class Policy, class InOut>
InOut unique(const Policy& policy, InOut first, InOut last) {
  return algorithms::unique_copy(policy, first, last, first, equal_to<value_of<InOut>>());
}
template <class Policy, class InOut, class Equal>
InOut unique(const Policy& policy, InOut first, InOut last, Equal equal) {
  return algorithms::unique_copy(policy, first, last, first, equal);
}
template <class Policy, class Keys, class Values>
pair<Keys, Values> unique_by_key(const Policy& policy, Keys first, Keys last, Values values) {
  return algorithms::reduce_by_key(policy, first, last, values, first, values, equal_to<value_of<Keys>>(),
                                   project1st<value_of<Values>, value_of<Values>>());
}

// ---- Order.

// The elements of `count` in the order that `less` of their indices gives, by way of copies.
template <class Policy, class Less>
struct sorted_order {
  sorted_order(const Policy& policy, std::ptrdiff_t count, size_t key_bytes, Less less)
      : order_(policy, (size_t)count), spare_(policy, (size_t)count), holder_(policy, 1) {
    uint32_t *order = order_.data(), *spare = spare_.data(), **holder = holder_.data();
    size_t rounds = cuco_parallel::log2_of((size_t)count) / 4 + 1;  // As many passes as a radix sort of 4 bits has.
    run_serial(policy, 2 * rounds * (size_t)count * (key_bytes + sizeof(uint32_t)), rounds * (size_t)count,
               CUCO_HD() mutable {
                 for (std::ptrdiff_t i = 0; i < count; i++) order[i] = (uint32_t)i;
                 *holder = cuco_parallel::sort_indices(order, spare, (size_t)count, less);
               });
  }
  // Puts the elements in their places.
  template <class InOut>
  void apply(const Policy& policy, InOut first, std::ptrdiff_t count) {
    auto out = raw(first);
    temporary<value_of<InOut>, Policy> copies(policy, (size_t)count);
    value_of<InOut>* kept = copies.data();
    uint32_t** holder = holder_.data();
    run_elements(policy, count, CUCO_HD(size_t i) mutable { kept[i] = out[(*holder)[i]]; });
    run_elements(policy, count, CUCO_HD(size_t i) mutable { out[i] = kept[i]; });
  }

 private:
  temporary<uint32_t, Policy> order_, spare_;
  temporary<uint32_t*, Policy> holder_;
};

template <class Policy, class InOut, class Less>
void sort(const Policy& policy, InOut first, InOut last, Less less) {
  auto keys = raw(first);
  auto by_index = CUCO_HD(uint32_t a, uint32_t b) {
    return less((value_of<InOut>)keys[a], (value_of<InOut>)keys[b]);
  };
  sorted_order<Policy, decltype(by_index)> order(policy, last - first, sizeof(value_of<InOut>), by_index);
  order.apply(policy, first, last - first);
}
template <class Policy, class InOut>
void sort(const Policy& policy, InOut first, InOut last) {
  algorithms::sort(policy, first, last, thrust::less<value_of<InOut>>());
}
template <class Policy, class InOut, class... Less>
void stable_sort(const Policy& policy, InOut first, InOut last, Less... less) {
  algorithms::sort(policy, first, last, less...);
}
template <class Policy, class Keys, class Values, class Less>
void sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Less less) {
  auto keys = raw(first);
  auto by_index = CUCO_HD(uint32_t a, uint32_t b) { return less((value_of<Keys>)keys[a], (value_of<Keys>)keys[b]); };
  sorted_order<Policy, decltype(by_index)> order(policy, last - first, sizeof(value_of<Keys>), by_index);
  order.apply(policy, values, last - first);
  order.apply(policy, first, last - first);
}
template <class Policy, class Keys, class Values>
void sort_by_key(const Policy& policy, Keys first, Keys last, Values values) {
  algorithms::sort_by_key(policy, first, last, values, thrust::less<value_of<Keys>>());
}
template <class Policy, class Keys, class Values, class... Less>
void stable_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Less... less) {
  algorithms::sort_by_key(policy, first, last, values, less...);
}
template <class Policy, class InOut, class Predicate>
InOut partition(const Policy& policy, InOut first, InOut last, Predicate predicate) {
  std::ptrdiff_t passing = algorithms::count_if(policy, first, last, predicate);
  algorithms::sort(policy, first, last, CUCO_HD(const value_of<InOut>& a, const value_of<InOut>& b) {
    return predicate(a) && !predicate(b);
  });
  return first + passing;
}
template <class Policy, class InOut, class Predicate>
InOut stable_partition(const Policy& policy, InOut first, InOut last, Predicate predicate) {
  return algorithms::partition(policy, first, last, predicate);
}
template <class Policy, class A, class B, class Out, class Less>
Out merge(const Policy& policy, A first1, A last1, B first2, B last2, Out result, Less less) {
  auto a = raw(first1);
  auto b = raw(first2);
  auto out = raw(result);
  std::ptrdiff_t a_count = last1 - first1, b_count = last2 - first2;
  run_serial(policy, 2 * (bytes_in<A>(a_count) + bytes_in<B>(b_count)), (size_t)(a_count + b_count),
             CUCO_HD() mutable {
               std::ptrdiff_t i = 0, j = 0;
               while (i < a_count || j < b_count)
                 if (i < a_count && (j >= b_count || !less((value_of<B>)b[j], (value_of<A>)a[i])))
                   out[i + j] = a[i], i++;
                 else
                   out[i + j] = b[j], j++;
             });
  return result + (a_count + b_count);
}
template <class Policy, class A, class B, class Out>
Out merge(const Policy& policy, A first1, A last1, B first2, B last2, Out result) {
  return algorithms::merge(policy, first1, last1, first2, last2, result, thrust::less<value_of<A>>());
}
// Where each of the values would go in a sorted range: before its equals, or behind them.
template <class Policy, class In, class Values, class Out, class Less>
Out find_bounds(const Policy& policy, In first, In last, Values values, Values values_end, Out result, Less less,
                bool goes_behind) {
  auto in = raw(first);
  auto wanted = raw(values);
  auto out = raw(result);
  std::ptrdiff_t count = last - first;
  run_elements(policy, values_end - values, CUCO_HD(size_t i) mutable {
    value_of<Values> value = wanted[i];
    std::ptrdiff_t low = 0, high = count;
    while (low < high) {
      std::ptrdiff_t middle = (low + high) / 2;
      bool is_below = goes_behind ? !less(value, (value_of<In>)in[middle]) : less((value_of<In>)in[middle], value);
      (is_below ? low : high) = is_below ? middle + 1 : middle;
    }
    out[i] = low;
  });
  return result + (values_end - values);
}
template <class Policy, class In, class Values, class Out>
Out lower_bound(const Policy& policy, In first, In last, Values values, Values values_end, Out result) {
  return algorithms::find_bounds(policy, first, last, values, values_end, result, thrust::less<value_of<In>>(), false);
}
template <class Policy, class In, class Values, class Out>
Out upper_bound(const Policy& policy, In first, In last, Values values, Values values_end, Out result) {
  return algorithms::find_bounds(policy, first, last, values, values_end, result, thrust::less<value_of<In>>(), true);
}
template <class Policy, class In, class T>
In lower_bound(const Policy& policy, In first, In last, T value) {
  return algorithms::find_if(policy, first, last, CUCO_HD(const value_of<In>& held) { return !(held < value); });
}
template <class Policy, class In, class T>
In upper_bound(const Policy& policy, In first, In last, T value) {
  return algorithms::find_if(policy, first, last, CUCO_HD(const value_of<In>& held) { return value < held; });
}
template <class Policy, class In, class T>
bool binary_search(const Policy& policy, In first, In last, T value) {
  In at = algorithms::lower_bound(policy, first, last, value);
  return at != last && !(value < (value_of<In>)*at);
}

// ---- Copies, also between the sides.

template <class Iterator>
constexpr bool is_contiguous = std::is_pointer_v<raw_of<Iterator>>;

template <class Policy, class In, class Out>
Out copy(const Policy& policy, In first, In last, Out result) {
  return algorithms::transform(policy, first, last, result, identity<value_of<In>>());
}
template <class Policy, class In, class Out>
Out copy_n(const Policy& policy, In first, std::ptrdiff_t count, Out result) {
  return algorithms::copy(policy, first, first + count, result);
}
template <class Policy, class In, class Out>
Out uninitialized_copy(const Policy& policy, In first, In last, Out result) {
  return algorithms::copy(policy, first, last, result);
}

}  // namespace algorithms

#define CUCO_ALGORITHM(NAME)                                                                 \
  template <class First, class... Rest>                                                      \
  auto NAME(const First& first, const Rest&... rest) {                                       \
    if constexpr (is_policy<First>)                                                          \
      return algorithms::NAME(first, rest...);                                               \
    else                                                                                     \
      return algorithms::NAME(usual_policy(first, rest...), first, rest...);                 \
  }
CUCO_ALGORITHM(for_each)
CUCO_ALGORITHM(for_each_n)
CUCO_ALGORITHM(transform)
CUCO_ALGORITHM(transform_if)
CUCO_ALGORITHM(fill)
CUCO_ALGORITHM(fill_n)
CUCO_ALGORITHM(uninitialized_fill)
CUCO_ALGORITHM(sequence)
CUCO_ALGORITHM(generate)
CUCO_ALGORITHM(tabulate)
CUCO_ALGORITHM(gather)
CUCO_ALGORITHM(scatter)
CUCO_ALGORITHM(replace)
CUCO_ALGORITHM(replace_if)
CUCO_ALGORITHM(reverse)
CUCO_ALGORITHM(reverse_copy)
CUCO_ALGORITHM(swap_ranges)
CUCO_ALGORITHM(adjacent_difference)
CUCO_ALGORITHM(reduce)
CUCO_ALGORITHM(transform_reduce)
CUCO_ALGORITHM(inner_product)
CUCO_ALGORITHM(count)
CUCO_ALGORITHM(count_if)
CUCO_ALGORITHM(min_element)
CUCO_ALGORITHM(max_element)
CUCO_ALGORITHM(minmax_element)
CUCO_ALGORITHM(find)
CUCO_ALGORITHM(find_if)
CUCO_ALGORITHM(find_if_not)
CUCO_ALGORITHM(any_of)
CUCO_ALGORITHM(all_of)
CUCO_ALGORITHM(none_of)
CUCO_ALGORITHM(equal)
CUCO_ALGORITHM(is_sorted)
CUCO_ALGORITHM(reduce_by_key)
CUCO_ALGORITHM(inclusive_scan)
CUCO_ALGORITHM(exclusive_scan)
CUCO_ALGORITHM(transform_inclusive_scan)
CUCO_ALGORITHM(transform_exclusive_scan)
CUCO_ALGORITHM(inclusive_scan_by_key)
CUCO_ALGORITHM(exclusive_scan_by_key)
CUCO_ALGORITHM(copy_if)
CUCO_ALGORITHM(remove)
CUCO_ALGORITHM(remove_if)
CUCO_ALGORITHM(remove_copy_if)
CUCO_ALGORITHM(unique)
CUCO_ALGORITHM(unique_copy)
CUCO_ALGORITHM(unique_by_key)
CUCO_ALGORITHM(sort)
CUCO_ALGORITHM(stable_sort)
CUCO_ALGORITHM(sort_by_key)
CUCO_ALGORITHM(stable_sort_by_key)
CUCO_ALGORITHM(partition)
CUCO_ALGORITHM(stable_partition)
CUCO_ALGORITHM(merge)
CUCO_ALGORITHM(lower_bound)
CUCO_ALGORITHM(upper_bound)
CUCO_ALGORITHM(binary_search)
#undef CUCO_ALGORITHM

// Copies go between any two sides: by the runtime where one is the host's, else by a kernel.
template <class In, class Out>
constexpr bool crosses_sides = !std::is_same_v<typename common_system<In>::type, typename common_system<Out>::type> &&
                               !std::is_same_v<typename common_system<In>::type, any_system_tag> &&
                               !std::is_same_v<typename common_system<Out>::type, any_system_tag>;
template <class In, class Out>
Out cross_copy(cudaStream_t stream, In first, In last, Out result) {
  std::ptrdiff_t count = last - first;
  using value = value_of<Out>;
  constexpr bool to_host = std::is_same_v<typename common_system<Out>::type, host_system_tag>;
  if constexpr (std::is_same_v<value_of<In>, value> && sizeof(value) > 0) {
    if (count <= 0) return result;
    if constexpr (algorithms::is_contiguous<In> && algorithms::is_contiguous<Out>) {
      cudaMemcpyAsync((void*)raw(result), (const void*)raw(first), (size_t)count * sizeof(value), cudaMemcpyDefault,
                      stream);
      cudaStreamSynchronize(stream);
      return result + count;
    } else if constexpr (!to_host && algorithms::is_contiguous<Out>) {
      value* kept = new value[(size_t)count];
      for (std::ptrdiff_t i = 0; i < count; i++) kept[i] = first[i];
      cudaMemcpyAsync((void*)raw(result), (const void*)kept, (size_t)count * sizeof(value), cudaMemcpyDefault, stream);
      cudaStreamSynchronize(stream);
      delete[] kept;
      return result + count;
    } else if constexpr (to_host && algorithms::is_contiguous<In>) {
      value* kept = new value[(size_t)count];
      cudaMemcpyAsync((void*)kept, (const void*)raw(first), (size_t)count * sizeof(value), cudaMemcpyDefault, stream);
      cudaStreamSynchronize(stream);
      for (std::ptrdiff_t i = 0; i < count; i++) result[i] = kept[i];
      delete[] kept;
      return result + count;
    }
  }
  for (std::ptrdiff_t i = 0; i < count; i++) {
    value held = (value)(value_of<In>)first[i];
    result[i] = held;
  }
  return result + count;
}
template <class First, class Second, class... Rest>
auto copy(const First& first, const Second& second, const Rest&... rest) {
  if constexpr (is_policy<First>) {
    using out = std::decay_t<decltype(std::get<1>(std::tie(rest...)))>;
    if constexpr (is_device_policy<First> && crosses_sides<Second, out> && !std::is_pointer_v<Second> &&
                  !std::is_pointer_v<out>)
      return cross_copy(first.stream, second, rest...);
    else
      return algorithms::copy(first, second, rest...);
  } else {
    using out = std::decay_t<decltype(std::get<0>(std::tie(rest...)))>;
    if constexpr (crosses_sides<First, out>)
      return cross_copy(cudaStream_t(nullptr), first, second, rest...);
    else
      return algorithms::copy(usual_policy(first, rest...), first, second, rest...);
  }
}
template <class First, class Second, class... Rest>
auto copy_n(const First& first, const Second& second, const Rest&... rest) {
  if constexpr (is_policy<First>)
    return thrust::copy(first, second, second + std::get<0>(std::tie(rest...)), std::get<1>(std::tie(rest...)));
  else
    return thrust::copy(first, first + second, rest...);
}
template <class... Arguments>
auto uninitialized_copy(const Arguments&... arguments) {
  return thrust::copy(arguments...);
}

}  // namespace thrust
