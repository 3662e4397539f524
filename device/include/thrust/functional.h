// Function objects, and expressions of placeholders: 2 * _1 + _2.
#pragma once

#include <functional>
#include <type_traits>

#include "thrust/detail/iterators.h"

namespace thrust {

#define CUCO_BINARY(NAME, EXPRESSION)                                     \
  template <class T = void>                                               \
  struct NAME {                                                           \
    __host__ __device__ constexpr auto operator()(const T& a, const T& b) const { return EXPRESSION; } \
  };                                                                      \
  template <>                                                             \
  struct NAME<void> {                                                     \
    template <class A, class B>                                           \
    __host__ __device__ constexpr auto operator()(const A& a, const B& b) const { return EXPRESSION; } \
  };
CUCO_BINARY(plus, a + b)
CUCO_BINARY(minus, a - b)
CUCO_BINARY(multiplies, a* b)
CUCO_BINARY(divides, a / b)
CUCO_BINARY(modulus, a % b)
CUCO_BINARY(equal_to, a == b)
CUCO_BINARY(not_equal_to, a != b)
CUCO_BINARY(greater, a > b)
CUCO_BINARY(less, a < b)
CUCO_BINARY(greater_equal, a >= b)
CUCO_BINARY(less_equal, a <= b)
CUCO_BINARY(logical_and, a&& b)
CUCO_BINARY(logical_or, a || b)
CUCO_BINARY(bit_and, a& b)
CUCO_BINARY(bit_or, a | b)
CUCO_BINARY(bit_xor, a ^ b)
CUCO_BINARY(maximum, a < b ? b : a)
CUCO_BINARY(minimum, b < a ? b : a)
#undef CUCO_BINARY
#define CUCO_UNARY(NAME, EXPRESSION)                                                 \
  template <class T = void>                                                          \
  struct NAME {                                                                      \
    __host__ __device__ constexpr auto operator()(const T& a) const { return EXPRESSION; } \
  };                                                                                 \
  template <>                                                                        \
  struct NAME<void> {                                                                \
    template <class A>                                                               \
    __host__ __device__ constexpr auto operator()(const A& a) const { return EXPRESSION; } \
  };
CUCO_UNARY(negate, -a)
CUCO_UNARY(logical_not, !a)
CUCO_UNARY(square, a* a)
CUCO_UNARY(identity, a)
#undef CUCO_UNARY
template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
template <class Predicate>
struct unary_negate {
  Predicate predicate;
  template <class T>
  __host__ __device__ bool operator()(const T& value) const { return !predicate(value); }
};
template <class Predicate>
__host__ __device__ unary_negate<Predicate> not1(const Predicate& predicate) { return {predicate}; }
template <class Predicate>
__host__ __device__ unary_negate<Predicate> not_fn(const Predicate& predicate) { return {predicate}; }
template <class T1, class T2>
struct project1st {
  __host__ __device__ const T1& operator()(const T1& a, const T2&) const { return a; }
};
template <class T1, class T2>
struct project2nd {
  __host__ __device__ const T2& operator()(const T1&, const T2& b) const { return b; }
};

namespace placeholders {

template <class Function>
struct actor {
  Function function;
  template <class... Arguments>
  __host__ __device__ auto operator()(const Arguments&... arguments) const {
    return function(std::tuple<const Arguments&...>(arguments...));
  }
};
template <size_t Index>
struct argument {
  template <class Tuple>
  __host__ __device__ auto operator()(const Tuple& arguments) const { return std::get<Index>(arguments); }
};
template <class T>
struct value {
  T held;
  template <class Tuple>
  __host__ __device__ T operator()(const Tuple&) const { return held; }
};
template <class Operation, class A, class B>
struct binary {
  A a;
  B b;
  template <class Tuple>
  __host__ __device__ auto operator()(const Tuple& arguments) const { return Operation()(a(arguments), b(arguments)); }
};
template <class Operation, class A>
struct unary {
  A a;
  template <class Tuple>
  __host__ __device__ auto operator()(const Tuple& arguments) const { return Operation()(a(arguments)); }
};

#define CUCO_OPERATOR(SIGN, OPERATION)                                                                       \
  template <class A, class B>                                                                                \
  __host__ __device__ auto operator SIGN(const actor<A>& a, const actor<B>& b) {                             \
    return actor<binary<OPERATION<void>, A, B>>{{a.function, b.function}};                                   \
  }                                                                                                          \
  template <class A, class T>                                                                                \
  __host__ __device__ auto operator SIGN(const actor<A>& a, const T& b) {                                    \
    return actor<binary<OPERATION<void>, A, value<T>>>{{a.function, {b}}};                                   \
  }                                                                                                          \
  template <class T, class B>                                                                                \
  __host__ __device__ auto operator SIGN(const T& a, const actor<B>& b) {                                    \
    return actor<binary<OPERATION<void>, value<T>, B>>{{{a}, b.function}};                                   \
  }
CUCO_OPERATOR(+, plus)
CUCO_OPERATOR(-, minus)
CUCO_OPERATOR(*, multiplies)
CUCO_OPERATOR(/, divides)
CUCO_OPERATOR(%, modulus)
CUCO_OPERATOR(==, equal_to)
CUCO_OPERATOR(!=, not_equal_to)
CUCO_OPERATOR(<, less)
CUCO_OPERATOR(>, greater)
CUCO_OPERATOR(<=, less_equal)
CUCO_OPERATOR(>=, greater_equal)
CUCO_OPERATOR(&&, logical_and)
CUCO_OPERATOR(||, logical_or)
#undef CUCO_OPERATOR
template <class A>
__host__ __device__ auto operator-(const actor<A>& a) { return actor<unary<negate<void>, A>>{{a.function}}; }
template <class A>
__host__ __device__ auto operator!(const actor<A>& a) { return actor<unary<logical_not<void>, A>>{{a.function}}; }

constexpr actor<argument<0>> _1{};
constexpr actor<argument<1>> _2{};
constexpr actor<argument<2>> _3{};
constexpr actor<argument<3>> _4{};

}  // namespace placeholders
}  // namespace thrust
