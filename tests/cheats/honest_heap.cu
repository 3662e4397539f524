// expect: passed
// Uses the heap as C++ programs do.
//--- kernels
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  explicit Square(int length) : side(length) {}
  int area() const override { return side * side; }
  int side;
};
int by_value(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
std::vector<int> order(64);
for (int i = 0; i < 64; i++) order[i] = (i * 37) % 64;
qsort(order.data(), order.size(), sizeof(int), by_value);
std::string text = "a text that is too long to stay inside of its object, " + std::to_string(order[3]);
alignas(Shape) char room[sizeof(Square)];
Shape* shape = new (room) Square(3);
std::unique_ptr<Shape> other(new Square(4));
std::function<int(int)> add = [&](int x) { return x + shape->area() + other->area(); };
char* copy = static_cast<char*>(realloc(malloc(4), 100));
memcpy(copy, text.c_str(), text.size());
bool is_caught = false;
try {
  if (order.at(3) == 3) throw std::runtime_error(text);
} catch (const std::exception& error) {
  is_caught = text == error.what();
}
int* numbers = static_cast<int*>(calloc(16, sizeof(int)));
int count = add(0) == 25 && is_caught && copy[0] == 'a' && numbers[7] == 0 ? job.count : 0;
free(numbers), free(copy);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
