
// Numbers of a launch, by which it is known whether it is like those that were traced: the bytes of an argument, or four
// of a larger one.
template <typename T>
int64_t number(const T& argument, size_t field = 0) {
  int64_t value = 0;
  if (field < sizeof(T))
    std::memcpy(&value, (const char*)&argument + field, std::min<size_t>(sizeof(T) > 8 ? 4 : 8, sizeof(T) - field));
  return value;
}
// Less than 0, which nothing is, where the divisor does not divide.
inline int64_t whole(int64_t product, int64_t divisor) {
  return divisor > 0 && product % divisor == 0 ? product / divisor : -1;
}
// An extent of 0 is as well any other.
inline bool has_shape(const dim3& extent, const dim3& traced) {
  return (traced.x == 0 || traced.x == extent.x) && (traced.y == 0 || traced.y == extent.y) &&
         (traced.z == 0 || traced.z == extent.z);
}
