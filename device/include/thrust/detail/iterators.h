// Thrust's iterators and which side they speak of. A raw iterator is what kernels use: plain pointers, and fancy iterators
// over these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime.h"

namespace thrust {

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

struct host_system_tag {};
struct device_system_tag {};
struct any_system_tag {};

// A number in device memory, as host code sees it: reads and writes copy.
template <class T>
class device_reference {
 public:
  __host__ __device__ explicit device_reference(T* address) : address_(address) {}
  __host__ __device__ device_reference(const device_reference& other) = default;
  __host__ __device__ operator T() const {
    if (on_device()) return *address_;
    std::remove_const_t<T> value;
    cudaMemcpy((void*)&value, (const void*)address_, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
  }
  __host__ __device__ const device_reference& operator=(const T& value) const {
    if (on_device())
      *address_ = value;
    else
      cudaMemcpy((void*)address_, (const void*)&value, sizeof(T), cudaMemcpyHostToDevice);
    return *this;
  }
  __host__ __device__ const device_reference& operator=(const device_reference& other) const { return *this = (T)other; }
  template <class V>
  __host__ __device__ const device_reference& operator+=(const V& value) const { return *this = (T)((T)*this + value); }
  template <class V>
  __host__ __device__ const device_reference& operator-=(const V& value) const { return *this = (T)((T)*this - value); }
  template <class V>
  __host__ __device__ const device_reference& operator*=(const V& value) const { return *this = (T)((T)*this * value); }
  template <class V>
  __host__ __device__ const device_reference& operator/=(const V& value) const { return *this = (T)((T)*this / value); }
  __host__ __device__ const device_reference& operator++() const { return *this += 1; }
  __host__ __device__ const device_reference& operator--() const { return *this -= 1; }
  __host__ __device__ T* address() const { return address_; }

 private:
  static __host__ __device__ bool on_device() {
#ifdef CUCO_CUDA_SOURCE
    return cuco_on_device();
#else
    return false;
#endif
  }
  T* address_;
};

// What every random-access iterator has in common, made of an `advance`, a `distance` and a `dereference`.
template <class Self, class Value, class Reference>
struct iterator_base {
  using value_type = Value;
  using reference = Reference;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using iterator_category = std::random_access_iterator_tag;

  __host__ __device__ Reference operator*() const { return self().dereference(); }
  template <class Index>
  __host__ __device__ Reference operator[](Index index) const { return *(self() + (difference_type)index); }
  __host__ __device__ Self& operator++() { return self() += 1; }
  __host__ __device__ Self& operator--() { return self() += -1; }
  __host__ __device__ Self operator++(int) {
    Self before = self();
    self() += 1;
    return before;
  }
  __host__ __device__ Self operator--(int) {
    Self before = self();
    self() += -1;
    return before;
  }
  __host__ __device__ Self& operator+=(difference_type steps) {
    self().advance(steps);
    return self();
  }
  __host__ __device__ Self& operator-=(difference_type steps) { return self() += -steps; }
  __host__ __device__ Self operator+(difference_type steps) const {
    Self moved = self();
    return moved += steps;
  }
  __host__ __device__ friend Self operator+(difference_type steps, const Self& from) { return from + steps; }
  __host__ __device__ Self operator-(difference_type steps) const { return self() + -steps; }
  __host__ __device__ difference_type operator-(const Self& other) const { return other.distance(self()); }
  __host__ __device__ bool operator==(const Self& other) const { return other.distance(self()) == 0; }
  __host__ __device__ bool operator!=(const Self& other) const { return !(*this == other); }
  __host__ __device__ bool operator<(const Self& other) const { return self().distance(other) > 0; }
  __host__ __device__ bool operator>(const Self& other) const { return other < self(); }
  __host__ __device__ bool operator<=(const Self& other) const { return !(other < self()); }
  __host__ __device__ bool operator>=(const Self& other) const { return !(self() < other); }

 private:
  __host__ __device__ Self& self() { return static_cast<Self&>(*this); }
  __host__ __device__ const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class T>
class device_ptr : public iterator_base<device_ptr<T>, std::remove_cv_t<T>, device_reference<T>> {
 public:
  using element_type = T;
  using raw_pointer = T*;
  __host__ __device__ device_ptr() : address_(nullptr) {}
  __host__ __device__ device_ptr(std::nullptr_t) : address_(nullptr) {}
  template <class U>
  __host__ __device__ explicit device_ptr(U* address) : address_((T*)address) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  __host__ __device__ device_ptr(const device_ptr<U>& other) : address_(other.get()) {}
  __host__ __device__ T* get() const { return address_; }
  __host__ __device__ explicit operator bool() const { return address_ != nullptr; }
  __host__ __device__ device_reference<T> dereference() const { return device_reference<T>(address_); }
  __host__ __device__ void advance(std::ptrdiff_t steps) { address_ += steps; }
  __host__ __device__ std::ptrdiff_t distance(const device_ptr& to) const { return to.address_ - address_; }

 private:
  T* address_;
};
template <>
class device_ptr<void> {
 public:
  __host__ __device__ explicit device_ptr(void* address = nullptr) : address_(address) {}
  __host__ __device__ void* get() const { return address_; }
  template <class T>
  explicit operator device_ptr<T>() const { return device_ptr<T>((T*)address_); }

 private:
  void* address_;
};

template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(T* address) { return device_ptr<T>(address); }
template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer) { return pointer; }
template <class T>
__host__ __device__ T* raw_pointer_cast(T* pointer) { return pointer; }
template <class T>
__host__ __device__ T* raw_pointer_cast(const device_ptr<T>& pointer) { return pointer.get(); }
template <class T>
__host__ __device__ T& raw_reference_cast(T& reference) { return reference; }
template <class T>
__host__ __device__ T& raw_reference_cast(const device_reference<T>& reference) { return *reference.address(); }
template <class T>
device_ptr<T> operator&(const device_reference<T>& reference) { return device_ptr<T>(reference.address()); }

template <class T>
class counting_iterator : public iterator_base<counting_iterator<T>, T, T> {
 public:
  __host__ __device__ counting_iterator() : value_() {}
  __host__ __device__ explicit counting_iterator(T value) : value_(value) {}
  __host__ __device__ T dereference() const { return value_; }
  __host__ __device__ void advance(std::ptrdiff_t steps) { value_ = (T)(value_ + steps); }
  __host__ __device__ std::ptrdiff_t distance(const counting_iterator& to) const {
    return (std::ptrdiff_t)to.value_ - (std::ptrdiff_t)value_;
  }

 private:
  T value_;
};
template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }

template <class T>
class constant_iterator : public iterator_base<constant_iterator<T>, T, T> {
 public:
  __host__ __device__ explicit constant_iterator(T value = T(), std::ptrdiff_t index = 0)
      : value_(value), index_(index) {}
  __host__ __device__ T dereference() const { return value_; }
  __host__ __device__ void advance(std::ptrdiff_t steps) { index_ += steps; }
  __host__ __device__ std::ptrdiff_t distance(const constant_iterator& to) const { return to.index_ - index_; }

 private:
  T value_;
  std::ptrdiff_t index_;
};
template <class T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

struct cuco_discard {
  template <class T>
  __host__ __device__ const cuco_discard& operator=(const T&) const { return *this; }
};
class discard_iterator : public iterator_base<discard_iterator, cuco_discard, cuco_discard> {
 public:
  __host__ __device__ explicit discard_iterator(std::ptrdiff_t index = 0) : index_(index) {}
  __host__ __device__ cuco_discard dereference() const { return {}; }
  __host__ __device__ void advance(std::ptrdiff_t steps) { index_ += steps; }
  __host__ __device__ std::ptrdiff_t distance(const discard_iterator& to) const { return to.index_ - index_; }

 private:
  std::ptrdiff_t index_;
};
template <class Unused = void>
__host__ __device__ discard_iterator make_discard_iterator(std::ptrdiff_t index = 0) { return discard_iterator(index); }

template <class Iterator>
using value_of = typename std::iterator_traits<Iterator>::value_type;
template <class Iterator>
using reference_of = typename std::iterator_traits<Iterator>::reference;

template <class Function, class Iterator, class Reference = void, class Value = void>
class transform_iterator
    : public iterator_base<transform_iterator<Function, Iterator, Reference, Value>,
                           std::decay_t<std::invoke_result_t<Function, value_of<Iterator>>>,
                           std::invoke_result_t<Function, value_of<Iterator>>> {
 public:
  __host__ __device__ transform_iterator(Iterator base, Function function) : base_(base), function_(function) {}
  __host__ __device__ explicit transform_iterator(Iterator base) : base_(base), function_() {}
  __host__ __device__ std::invoke_result_t<Function, value_of<Iterator>> dereference() const {
    return function_((value_of<Iterator>)*base_);
  }
  __host__ __device__ void advance(std::ptrdiff_t steps) { base_ += steps; }
  __host__ __device__ std::ptrdiff_t distance(const transform_iterator& to) const { return to.base_ - base_; }
  __host__ __device__ Iterator base() const { return base_; }
  __host__ __device__ Function functor() const { return function_; }

 private:
  Iterator base_;
  Function function_;
};
template <class Function, class Iterator>
__host__ __device__ transform_iterator<Function, Iterator> make_transform_iterator(Iterator base, Function function) {
  return transform_iterator<Function, Iterator>(base, function);
}

template <class Elements, class Indices>
class permutation_iterator
    : public iterator_base<permutation_iterator<Elements, Indices>, value_of<Elements>, reference_of<Elements>> {
 public:
  __host__ __device__ permutation_iterator(Elements elements, Indices indices)
      : elements_(elements), indices_(indices) {}
  __host__ __device__ reference_of<Elements> dereference() const {
    return elements_[(std::ptrdiff_t)(value_of<Indices>)*indices_];
  }
  __host__ __device__ void advance(std::ptrdiff_t steps) { indices_ += steps; }
  __host__ __device__ std::ptrdiff_t distance(const permutation_iterator& to) const { return to.indices_ - indices_; }
  __host__ __device__ Elements elements() const { return elements_; }
  __host__ __device__ Indices indices() const { return indices_; }

 private:
  Elements elements_;
  Indices indices_;
};
template <class Elements, class Indices>
__host__ __device__ permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements,
                                                                                      Indices indices) {
  return {elements, indices};
}

template <class Iterator>
class reverse_iterator
    : public iterator_base<reverse_iterator<Iterator>, value_of<Iterator>, reference_of<Iterator>> {
 public:
  __host__ __device__ explicit reverse_iterator(Iterator base) : base_(base) {}
  __host__ __device__ reference_of<Iterator> dereference() const { return *(base_ - 1); }
  __host__ __device__ void advance(std::ptrdiff_t steps) { base_ += -steps; }
  __host__ __device__ std::ptrdiff_t distance(const reverse_iterator& to) const { return base_ - to.base_; }
  __host__ __device__ Iterator base() const { return base_; }

 private:
  Iterator base_;
};
template <class Iterator>
__host__ __device__ reverse_iterator<Iterator> make_reverse_iterator(Iterator base) {
  return reverse_iterator<Iterator>(base);
}

template <class Tuple>
class zip_iterator;
template <class... Iterators>
class zip_iterator<tuple<Iterators...>>
    : public iterator_base<zip_iterator<tuple<Iterators...>>, tuple<value_of<Iterators>...>,
                           tuple<reference_of<Iterators>...>> {
 public:
  __host__ __device__ explicit zip_iterator(tuple<Iterators...> iterators) : iterators_(iterators) {}
  __host__ __device__ tuple<reference_of<Iterators>...> dereference() const {
    return std::apply([](const Iterators&... each) { return tuple<reference_of<Iterators>...>(*each...); }, iterators_);
  }
  __host__ __device__ void advance(std::ptrdiff_t steps) {
    std::apply([steps](Iterators&... each) { ((each += steps), ...); }, iterators_);
  }
  __host__ __device__ std::ptrdiff_t distance(const zip_iterator& to) const {
    return std::get<0>(to.iterators_) - std::get<0>(iterators_);
  }
  __host__ __device__ const tuple<Iterators...>& get_iterator_tuple() const { return iterators_; }

 private:
  tuple<Iterators...> iterators_;
};
template <class... Iterators>
__host__ __device__ zip_iterator<tuple<Iterators...>> make_zip_iterator(tuple<Iterators...> iterators) {
  return zip_iterator<tuple<Iterators...>>(iterators);
}
template <class... Iterators>
__host__ __device__ zip_iterator<tuple<Iterators...>> make_zip_iterator(Iterators... iterators) {
  return zip_iterator<tuple<Iterators...>>(tuple<Iterators...>(iterators...));
}
// Calls a function of several arguments with the members of a tuple.
template <class Function>
struct zip_function {
  Function function;
  template <class Tuple>
  __host__ __device__ decltype(auto) operator()(Tuple&& members) const {
    return std::apply(function, std::forward<Tuple>(members));
  }
};
template <class Function>
__host__ __device__ zip_function<Function> make_zip_function(Function function) { return {function}; }

// The side that an iterator speaks of.
template <class A, class B>
using either_system = std::conditional_t<std::is_same_v<A, any_system_tag>, B, A>;
template <class Iterator>
struct iterator_system {
  using type = host_system_tag;
};
template <class T>
struct iterator_system<device_ptr<T>> {
  using type = device_system_tag;
};
template <class T>
struct iterator_system<counting_iterator<T>> {
  using type = any_system_tag;
};
template <class T>
struct iterator_system<constant_iterator<T>> {
  using type = any_system_tag;
};
template <>
struct iterator_system<discard_iterator> {
  using type = any_system_tag;
};
template <class F, class I, class R, class V>
struct iterator_system<transform_iterator<F, I, R, V>> : iterator_system<I> {};
template <class I>
struct iterator_system<reverse_iterator<I>> : iterator_system<I> {};
template <class E, class I>
struct iterator_system<permutation_iterator<E, I>> {
  using type = either_system<typename iterator_system<E>::type, typename iterator_system<I>::type>;
};
template <>
struct iterator_system<zip_iterator<tuple<>>> {
  using type = any_system_tag;
};
template <class First, class... Rest>
struct iterator_system<zip_iterator<tuple<First, Rest...>>> {
  using type = either_system<typename iterator_system<First>::type,
                             typename iterator_system<zip_iterator<tuple<Rest...>>>::type>;
};

template <class Iterator>
__host__ __device__ Iterator raw(Iterator iterator) { return iterator; }
template <class T>
__host__ __device__ T* raw(device_ptr<T> iterator) { return iterator.get(); }
template <class F, class I, class R, class V>
__host__ __device__ auto raw(transform_iterator<F, I, R, V> iterator) {
  return make_transform_iterator(raw(iterator.base()), iterator.functor());
}
template <class I>
__host__ __device__ auto raw(reverse_iterator<I> iterator) { return make_reverse_iterator(raw(iterator.base())); }
template <class E, class I>
__host__ __device__ auto raw(permutation_iterator<E, I> iterator) {
  return make_permutation_iterator(raw(iterator.elements()), raw(iterator.indices()));
}
template <class... I>
__host__ __device__ auto raw(zip_iterator<tuple<I...>> iterator) {
  return std::apply([](const I&... each) { return make_zip_iterator(tuple<decltype(raw(each))...>(raw(each)...)); },
                    iterator.get_iterator_tuple());
}
template <class Iterator>
using raw_of = decltype(raw(std::declval<Iterator>()));

template <class Iterator>
typename std::iterator_traits<Iterator>::difference_type distance(Iterator first, Iterator last) { return last - first; }
template <class Iterator, class Steps>
void advance(Iterator& iterator, Steps steps) { iterator += (std::ptrdiff_t)steps; }
template <class Iterator>
Iterator next(Iterator iterator, std::ptrdiff_t steps = 1) { return iterator + steps; }
template <class Iterator>
Iterator prev(Iterator iterator, std::ptrdiff_t steps = 1) { return iterator - steps; }

}  // namespace thrust
