// host_vector, device_vector and universal_vector.
#pragma once

#include <initializer_list>
#include <iostream>
#include <memory>
#include <vector>

#include "thrust/detail/algorithms.h"

namespace thrust {

template <class T, class Allocator = void>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  host_vector() = default;
  host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
  // Elements of a device's vector are copied.
  template <class Vector, class Pointer = decltype(std::declval<const Vector&>().cuco_device_begin())>
  host_vector(const Vector& other) : std::vector<T>(other.size()) {
    thrust::copy(other.begin(), other.end(), this->data());
  }
  template <class Vector, class Pointer = decltype(std::declval<const Vector&>().cuco_device_begin())>
  host_vector& operator=(const Vector& other) {
    this->resize(other.size());
    thrust::copy(other.begin(), other.end(), this->data());
    return *this;
  }
  template <class U>
  host_vector(device_ptr<U> first, device_ptr<U> last) : std::vector<T>((size_t)(last - first)) {
    thrust::copy(first, last, this->data());
  }
};

// `Managed`: the host reads it in place.
template <class T, bool Managed>
class vector_of_device {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = std::conditional_t<Managed, T*, device_ptr<T>>;
  using const_pointer = std::conditional_t<Managed, const T*, device_ptr<const T>>;
  using iterator = pointer;
  using const_iterator = const_pointer;
  using reference = std::conditional_t<Managed, T&, device_reference<T>>;
  using const_reference = std::conditional_t<Managed, const T&, device_reference<const T>>;

  vector_of_device() = default;
  explicit vector_of_device(size_t count) { grow(count, T()); }
  vector_of_device(size_t count, const T& value) { grow(count, value); }
  vector_of_device(const vector_of_device& other) { assign(other.begin(), other.end()); }
  vector_of_device(vector_of_device&& other) noexcept { swap(other); }
  template <class U, class A>
  vector_of_device(const host_vector<U, A>& other) { assign(other.begin(), other.end()); }
  template <class U>
  vector_of_device(const std::vector<U>& other) { assign(other.begin(), other.end()); }
  template <class U, bool M>
  vector_of_device(const vector_of_device<U, M>& other) { assign(other.begin(), other.end()); }
  vector_of_device(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  vector_of_device(Iterator first, Iterator last) { assign(first, last); }
  ~vector_of_device() {
    if (data_) cudaFree((void*)data_);
  }
  vector_of_device& operator=(const vector_of_device& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  vector_of_device& operator=(vector_of_device&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class Vector>
  vector_of_device& operator=(const Vector& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last) {
    reallocate((size_t)(last - first), 0);
    size_ = (size_t)(last - first);
    if (size_ > 0) thrust::copy(first, last, device_ptr<T>(data_));
  }
  void assign(size_t count, const T& value) {
    size_ = 0;
    grow(count, value);
  }

  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  auto rbegin() { return make_reverse_iterator(end()); }
  auto rend() { return make_reverse_iterator(begin()); }
  pointer data() { return pointer(data_); }
  const_pointer data() const { return const_pointer(data_); }
  device_ptr<const T> cuco_device_begin() const { return device_ptr<const T>(data_); }
  reference operator[](size_t index) { return *(begin() + (difference_type)index); }
  const_reference operator[](size_t index) const { return *(begin() + (difference_type)index); }
  reference front() { return (*this)[0]; }
  const_reference front() const { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  const_reference back() const { return (*this)[size_ - 1]; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

  void reserve(size_t count) {
    if (count > capacity_) reallocate(count, size_);
  }
  void resize(size_t count, const T& value = T()) {
    if (count > size_)
      grow(count, value);
    else
      size_ = count;
  }
  void clear() { size_ = 0; }
  void shrink_to_fit() {
    if (capacity_ > size_) reallocate(size_, size_, true);
  }
  void push_back(const T& value) {
    if (size_ == capacity_) reallocate(size_ ? 2 * size_ : 1, size_);
    size_++;
    back() = value;
  }
  void pop_back() { size_--; }
  iterator erase(iterator first, iterator last) {
    size_t kept = (size_t)(end() - last);
    vector_of_device rest(last, end());
    if (kept > 0) thrust::copy(rest.begin(), rest.end(), first);
    size_ = (size_t)(first - begin()) + kept;
    return first;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  void swap(vector_of_device& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  // Room for `count`, with the first `kept` elements.
  void reallocate(size_t count, size_t kept, bool exactly = false) {
    if (count <= capacity_ && !exactly) return;
    T* data = nullptr;
    if (count > 0) {
      if (Managed)
        cudaMallocManaged((void**)&data, count * sizeof(T));
      else
        cudaMalloc((void**)&data, count * sizeof(T));
    }
    if (kept > 0) cudaMemcpy((void*)data, (const void*)data_, kept * sizeof(T), cudaMemcpyDeviceToDevice);
    if (data_) cudaFree((void*)data_);
    data_ = data, capacity_ = count;
  }
  void grow(size_t count, const T& value) {
    reallocate(count, size_);
    if (count > size_) thrust::fill(thrust::device, device_ptr<T>(data_) + (difference_type)size_, device_ptr<T>(data_) + (difference_type)count, value);
    size_ = count;
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};
template <class T, class Allocator = void>
class device_vector : public vector_of_device<T, false> {
 public:
  using vector_of_device<T, false>::vector_of_device;
  using vector_of_device<T, false>::operator=;
  device_vector() = default;
};
template <class T, class Allocator = void>
class universal_vector : public vector_of_device<T, true> {
 public:
  using vector_of_device<T, true>::vector_of_device;
  using vector_of_device<T, true>::operator=;
  universal_vector() = default;
};

template <class T, bool M>
bool operator==(const vector_of_device<T, M>& a, const vector_of_device<T, M>& b) {
  return a.size() == b.size() && thrust::equal(thrust::device, a.begin(), a.end(), b.begin());
}
template <class T, bool M>
bool operator!=(const vector_of_device<T, M>& a, const vector_of_device<T, M>& b) { return !(a == b); }
template <class T, bool M, class A>
bool operator==(const vector_of_device<T, M>& a, const host_vector<T, A>& b) { return host_vector<T>(a) == b; }
template <class T, class A, bool M>
bool operator==(const host_vector<T, A>& a, const vector_of_device<T, M>& b) { return a == host_vector<T>(b); }

template <class T>
device_ptr<T> device_malloc(size_t count) {
  T* data = nullptr;
  cudaMalloc((void**)&data, count * sizeof(T));
  return device_ptr<T>(data);
}
inline device_ptr<void> device_malloc(size_t bytes) {
  void* data = nullptr;
  cudaMalloc(&data, bytes);
  return device_ptr<void>(data);
}
template <class T>
void device_free(device_ptr<T> pointer) { cudaFree((void*)pointer.get()); }
template <class T>
device_ptr<T> device_new(size_t count = 1) {
  device_ptr<T> data = device_malloc<T>(count);
  thrust::fill(data, data + (std::ptrdiff_t)count, T());
  return data;
}
template <class T>
void device_delete(device_ptr<T> pointer, size_t = 0) { device_free(pointer); }

}  // namespace thrust
