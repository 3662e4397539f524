// What kernels read and write, by the language alone.
#include <gtest/gtest.h>

#include "frontend/kernels_testing.h"

namespace cuco::frontend {
namespace {

std::string describe(const std::string& code) { return describe_kernels(code, CUCO_SOURCE_DIR); }

TEST(Kernels, LoadsAreReadsAndAssignmentsAreWrites) {
  EXPECT_EQ(describe("__global__ void add(const float* a, float* b, float* c) { c[0] = a[0] + *b; }"),
            "add: a read, b read, c write");
}

TEST(Kernels, CompoundAssignmentAndIncrementReadAndWrite) {
  EXPECT_EQ(describe("__global__ void k(float* a, int* b, int* c) { a[0] += 1; b[1]++; --c[2]; }"),
            "k: a read_write, b read_write, c read_write");
}

TEST(Kernels, ChainedAssignmentDoesNotReadItsMiddle) {
  EXPECT_EQ(describe("__global__ void k(float* a, float* b) { a[0] = b[0] = 1; }"), "k: a write, b write");
}

TEST(Kernels, PointerThatIsOnlyComparedIsUntouched) {
  EXPECT_EQ(describe("__global__ void k(float* a, float* b, int n) { if (a != nullptr && a < b) n = 1; }"),
            "k: a untouched, b untouched");
}

TEST(Kernels, PointerThatIsOnlyPassedOnIsUntouched) {
  EXPECT_EQ(describe("__device__ bool is_set(const float* p) { return p; }\n"
                     "__global__ void k(float* a, int* n) { *n = is_set(a); }"),
            "k: a untouched, n write");
}

TEST(Kernels, SizeofDoesNotEvaluateItsOperand) {
  EXPECT_EQ(describe("__global__ void k(float* a, size_t* n) { *n = sizeof(a[0]); }"), "k: a untouched, n write");
}

TEST(Kernels, AddressOfElementIsNoAccess) {
  EXPECT_EQ(describe("__global__ void k(float* a, float** slot) { *slot = &a[4]; }"), "k: a untouched, slot write");
}

TEST(Kernels, WriteThroughAliasCountsForItsSource) {
  EXPECT_EQ(describe("__global__ void k(float* out, const float* in) {\n"
                     "  float* row = out + 64; float* cell = row + threadIdx.x; *cell = in[0]; }"),
            "k: out write, in read");
}

TEST(Kernels, PointerAssignedInLaterStatementOfLoopIsFollowed) {
  EXPECT_EQ(describe("__global__ void k(float* a, float* b, int n) {\n"
                     "  float* front = nullptr; float* back = a;\n"
                     "  for (int i = 0; i < n; i++) { if (front) *front = 1; front = back; back = b; } }"),
            "k: a write, b write");
}

TEST(Kernels, ConditionalOperatorReachesBothSides) {
  EXPECT_EQ(describe("__global__ void k(const float* a, const float* b, float* c, float* d, bool first) {\n"
                     "  const float* in = first ? a : b; *(first ? c : d) = *in; }"),
            "k: a read, b read, c write, d write");
}

TEST(Kernels, WriteThroughConstCastIsAWrite) {
  EXPECT_EQ(describe("__global__ void k(const float* a, const float* b) { const_cast<float*>(a)[0] = b[0]; }"),
            "k: a write, b read");
}

TEST(Kernels, WideCastsKeepTheirPointer) {
  EXPECT_EQ(describe("__global__ void k(float* out, const float* in) {\n"
                     "  reinterpret_cast<float4*>(out)[1] = reinterpret_cast<const float4*>(in)[2]; }"),
            "k: out write, in read");
}

TEST(Kernels, ComponentOfVectorIsPartOfItsBuffer) {
  EXPECT_EQ(describe("__global__ void k(float4* out, const float4* in) { out[0].x = in[0].w; }"),
            "k: out write, in read");
}

TEST(Kernels, IntegerMadeFromPointerStillPointsThere) {
  EXPECT_EQ(describe("__global__ void k(char* base, size_t offset) {\n"
                     "  auto address = reinterpret_cast<unsigned long long>(base) + offset;\n"
                     "  *reinterpret_cast<float*>(address & ~15ull) = 1; }"),
            "k: base write");
}

TEST(Kernels, IntegerParameterUsedAsAddressIsAPointer) {
  EXPECT_EQ(describe("__global__ void k(unsigned long long address) { *reinterpret_cast<int*>(address) = 1; }"),
            "k: address write");
}

TEST(Kernels, IndexReadFromBufferIsNoAddress) {
  EXPECT_EQ(describe("__global__ void k(float* out, const size_t* index) { out[index[0] + 1] = 1; }"),
            "k: out write, index read");
}

TEST(Kernels, RestrictChangesNothing) {
  EXPECT_EQ(describe("__global__ void k(float* __restrict__ out, const float* __restrict__ in) { out[0] = in[0]; }"),
            "k: out write, in read");
}

TEST(Kernels, ShadowingNameIsAnotherVariable) {
  EXPECT_EQ(describe("__global__ void k(float* a, float* b) { { float* a = b; a[0] = 1; } }"),
            "k: a untouched, b write");
}

TEST(Kernels, FieldsOfStructByValueAreToldApart) {
  EXPECT_EQ(describe("struct Inner { float* deep; const int* index; };\n"
                     "struct Args { const float* in; float* out; Inner inner; float* spare; int n; };\n"
                     "__global__ void k(Args args, int m) { args.out[m] = args.in[args.n];\n"
                     "  args.inner.deep[args.inner.index[0]] += 1; }"),
            "k: args.in read, args.out write, args.inner.deep read_write, args.inner.index read, "
            "args.spare untouched");
}

TEST(Kernels, ArrayOfPointersInStructIsOnePointer) {
  EXPECT_EQ(describe("struct Peers { float* at[8]; };\n"
                     "__global__ void k(Peers peers, int n) { for (int i = 0; i < n; i++) peers.at[i][0] = 1; }"),
            "k: peers.at write");
}

TEST(Kernels, InheritedFieldGoesByTheParametersName) {
  EXPECT_EQ(describe("struct Base { float* out; }; struct Args : Base { const float* in; };\n"
                     "__global__ void k(Args args) { args.out[0] = args.in[0]; }"),
            "k: args.out write, args.in read");
}

TEST(Kernels, StructBehindPointerIsReadAndItsFieldsFollowed) {
  EXPECT_EQ(describe("struct Args { const float* in; float* out; };\n"
                     "__global__ void k(const Args* args) { args->out[0] = args->in[0]; }"),
            "k: args read, args->in read, args->out write");
}

TEST(Kernels, PointerToPointersIsReadAndItsTargetsWritten) {
  EXPECT_EQ(describe("__global__ void k(float** rows) { rows[1][2] = 1; }"), "k: rows read, *rows write");
}

TEST(Kernels, LinkedListEnds) {
  EXPECT_EQ(describe("struct Node { Node* next; int value; };\n"
                     "__global__ void k(Node* head) { for (Node* n = head; n; n = n->next) n->value = 1; }"),
            "k: head read_write, head->next read_write");
}

TEST(Kernels, StructBuiltInKernelCarriesPointers) {
  EXPECT_EQ(describe("struct View { float* data; int size; };\n"
                     "__device__ void fill(View view) { view.data[0] = 1; }\n"
                     "__global__ void k(float* a, float* b, int n) { View v{a, n}; View w; w = v; fill(w); }"),
            "k: a write, b untouched");
}

TEST(Kernels, StructReturnedFromFunctionKeepsCallsApart) {
  EXPECT_EQ(describe("struct View { float* data; int size; };\n"
                     "__device__ View view_of(float* p, int n) { View v; v.data = p; v.size = n; return v; }\n"
                     "__global__ void k(float* a, const float* b) {\n"
                     "  View v = view_of(a, 1), w = view_of(const_cast<float*>(b), 2); v.data[0] = w.data[0]; }"),
            "k: a write, b read");
}

TEST(Kernels, SwappedArgumentsFollowTheCall) {
  EXPECT_EQ(describe("__device__ void copy(float* to, const float* from) { *to = *from; }\n"
                     "__global__ void k(float* a, float* b) { copy(b, a); }"),
            "k: a read, b write");
}

TEST(Kernels, TwoCallsOfOneFunctionAreKeptApart) {
  EXPECT_EQ(describe("__device__ float* at(float* p, int i) { return p + i; }\n"
                     "__global__ void k(float* a, float* b) { *at(a, 1) = *at(b, 2); }"),
            "k: a write, b read");
}

TEST(Kernels, ReferenceParametersAreFollowed) {
  EXPECT_EQ(describe("__device__ void add(float& sum, const float& term) { sum += term; }\n"
                     "__global__ void k(float* a, const float* b) { add(a[0], b[0]); }"),
            "k: a read_write, b read");
}

TEST(Kernels, OutParameterCarriesPointer) {
  EXPECT_EQ(describe("__device__ void pick(float** slot, float* p) { *slot = p; }\n"
                     "__global__ void k(float* a, float* b) { float* q; pick(&q, b); q[0] = 1; }"),
            "k: a untouched, b write");
}

TEST(Kernels, RecursionEnds) {
  EXPECT_EQ(describe("__device__ void even(float* a, float* b, int n);\n"
                     "__device__ void odd(float* a, float* b, int n) { a[n] = 1; if (n) even(b, a, n - 1); }\n"
                     "__device__ void even(float* a, float* b, int n) { if (n) odd(a, b, n - 1); }\n"
                     "__global__ void k(float* x, float* y, float* z) { odd(x, y, 8); }"),
            "k: x write, y write, z untouched");
}

TEST(Kernels, FunctionsReadInsideARecursionAreCompleteForLaterKernels) {
  EXPECT_EQ(describe("__device__ void even(float* a, float* b, int n);\n"
                     "__device__ void odd(float* a, float* b, int n) { if (n) even(b, a, n - 1); }\n"
                     "__device__ void even(float* a, float* b, int n) { odd(a, b, n); *a = 1; }\n"
                     "__global__ void first(float* x, float* y) { odd(x, y, 8); }\n"
                     "__global__ void second(float* x, float* y) { even(x, y, 8); }"),
            "first: x write, y write\nsecond: x write, y write");
}

TEST(Kernels, MemberFunctionsReachTheirObject) {
  EXPECT_EQ(
      describe("struct Tile { float* p; __device__ Tile(float* q) : p(q) {}\n"
               "  __device__ float& at(int i) { return p[i]; } __device__ float get(int i) const { return p[i]; } };\n"
               "__global__ void k(float* a, float* b) { Tile x(a), y(b); x.at(0) = y.get(1); }"),
      "k: a write, b read");
}

TEST(Kernels, OverloadedSubscriptIsFollowed) {
  EXPECT_EQ(
      describe("template <class T> struct Span { T* p; __device__ T& operator[](int i) const { return p[i]; } };\n"
               "__global__ void k(Span<float> out, Span<const float> in) { out[0] = in[0]; }"),
      "k: out.p write, in.p read");
}

TEST(Kernels, DestructorOfLocalIsRun) {
  EXPECT_EQ(describe("struct Flag { int* p; __device__ ~Flag() { *p = 1; } };\n"
                     "__global__ void k(int* done) { Flag flag{done}; }"),
            "k: done write");
}

TEST(Kernels, LambdaCapturesByCopyAndReference) {
  EXPECT_EQ(describe("__global__ void k(float* out, const float* in, int* n) {\n"
                     "  auto copy = [=](int i) { out[i] = in[i]; }; copy(1);\n"
                     "  auto count = [&] { n[0]++; }; count(); }"),
            "k: out write, in read, n read_write");
}

TEST(Kernels, LambdaThatIsNeverCalledTouchesNothing) {
  EXPECT_EQ(describe("__global__ void k(float* out) { auto fill = [=] { out[0] = 1; }; (void)fill; }"),
            "k: out untouched");
}

TEST(Kernels, LambdaPassedToTemplateIsFollowed) {
  EXPECT_EQ(describe("template <class F> __device__ void for_each(int n, F f) { for (int i = 0; i < n; i++) f(i); }\n"
                     "__global__ void k(float* out, const float* in) { for_each(4, [&](int i) { out[i] = in[i]; }); }"),
            "k: out write, in read");
}

TEST(Kernels, LambdaReachesEnclosingObject) {
  EXPECT_EQ(describe("struct Work { float* p; __device__ void go() { auto f = [this] { p[0] = 1; }; f(); } };\n"
                     "__global__ void k(Work work) { work.go(); }"),
            "k: work.p write");
}

TEST(Kernels, EachInstantiationIsAKernel) {
  EXPECT_EQ(describe("template <int N, class T> __global__ void gemm(T* c, const T* a) {\n"
                     "  if constexpr (N > 32) c[0] = a[0]; else c[0] += 1; }\n"
                     "void run() { gemm<64, float><<<1, 1>>>(0, 0); gemm<16, int><<<1, 1>>>(0, 0); }"),
            "gemm<64, float>: c write, a read\ngemm<16, int>: c read_write, a untouched");
}

TEST(Kernels, TemplateThatNothingInstantiatesIsReadAsWritten) {
  EXPECT_EQ(describe("template <class T> __device__ void put(T* to, T value) { *to = value; }\n"
                     "template <class T, int N> __global__ void dead(T* out, const T* in, int* n, T* spare) {\n"
                     "  __shared__ T tile[N]; tile[0] = in[0]; __syncthreads();\n"
                     "  out[0] = tile[1]; put(out, tile[2]); atomicAdd(n, 1); if (spare == out) return; }"),
            "dead<...>: out write, in read, n read_write, spare untouched; shared tile=extern; barriers 1");
}

TEST(Kernels, CallsInTemplateThatNothingInstantiatesAreFollowed) {
  EXPECT_EQ(describe("template <class T> __device__ T* row(T* base, int i) { return base + i; }\n"
                     "template <class T> __global__ void dead(T* out, const T* in) {\n"
                     "  auto copy = [=](int i) { out[i] = *row(in, i); }; copy(1); }"),
            "dead<...>: out write, in read");
}

TEST(Kernels, UnresolvedCallsBeforeInstantiationAreAssumed) {
  EXPECT_EQ(describe("#include <cuda/atomic>\n"
                     "template <class T, class F> __global__ void dead(T* a, T* b, const T* c, const T* d, F f) {\n"
                     "  cuda::atomic_ref<T> flag(a[0]); flag.store(1); f(b + 1); f(c); f(d[0]); }"),
            "dead<...>: a read_write?, b read_write?, c read?, d read");
}

TEST(Kernels, ExplicitSpecialisationIsAKernelBesideItsTemplate) {
  EXPECT_EQ(describe("template <class T> __global__ void k(T* a) { a[0] = 1; }\n"
                     "template <> __global__ void k<int>(int* a) { a[0] += 1; }\n"
                     "void run() { k<float><<<1, 1>>>(0); }"),
            "k<float>: a write\nk<int>: a read_write");
}

TEST(Kernels, GlobalsAreNamedAfterTheParameters) {
  EXPECT_EQ(describe("__device__ int counter; __constant__ float weights[4]; __managed__ float* stage; int host;\n"
                     "__device__ constexpr int kWidth = 4;\n"
                     "__global__ void k(float* out) { out[kWidth] = weights[1]; counter = 1; stage[0] += 1; }"),
            "k: out write, *stage read_write, counter write, stage read, weights read");
}

TEST(Kernels, StructCopiedFromMemoryCarriesItsPointers) {
  EXPECT_EQ(describe("struct Args { float* out; };\n"
                     "__global__ void k(const Args* args) { Args mine = *args; mine.out[0] = 1; }"),
            "k: args read, args->out write");
}

TEST(Kernels, FunctionWithoutBodyIsAssumedByItsTypes) {
  EXPECT_EQ(describe("struct View { float* data; };\n"
                     "extern __device__ void mystery(const float* in, float* out, View view, int n);\n"
                     "__global__ void k(float* a, float* b, float* c, float* d) { mystery(a, b, View{c}, 1); }"),
            "k: a read?, b read_write?, c read_write?, d untouched");
}

TEST(Kernels, CallThroughFunctionPointerIsAssumed) {
  EXPECT_EQ(describe("typedef void (*Step)(float*, const float*);\n"
                     "__global__ void k(Step step, float* a, const float* b) { step(a, b); }"),
            "k: a read_write?, b read?");
}

TEST(Kernels, KernelMadeByMacroIsFound) {
  EXPECT_EQ(
      describe("#define KERNEL(name, op) __global__ void name(float* a, const float* b) { a[0] = a[0] op b[0]; }\n"
               "KERNEL(plus, +)\nKERNEL(times, *)"),
      "plus: a read_write, b read\ntimes: a read_write, b read");
}

TEST(Kernels, DeclarationsCommentsAndDisabledCodeAreNoKernels) {
  EXPECT_EQ(describe("__global__ void later(float* a);\n// __global__ void k(float* a) { a[0] = 1; }\n"
                     "#if 0\n__global__ void off(float* a) {}\n#endif\n__device__ void helper(float* a) { *a = 1; }\n"
                     "namespace deep { namespace { __global__ void inner(float* a) { *a = 1; } } }"),
            "inner: a write");
}

TEST(Kernels, MembersOfUnionShareTheirPointer) {
  EXPECT_EQ(describe("union Slot { float* f; int* i; }; struct Args { Slot slot; };\n"
                     "__global__ void k(float* a, Args args) { Slot s; s.f = a; s.i[0] = 1; args.slot.i[0] = 2; }"),
            "k: a write, args.slot write");
}

TEST(Kernels, ClosureParameterNamesItsCaptures) {
  EXPECT_EQ(describe("template <class F> __global__ void apply(F f) { f(threadIdx.x); }\n"
                     "void run(float* p, const float* q, int* spare) {\n"
                     "  apply<<<1, 1>>>([=] __device__(int i) { p[i] = q[i]; if (spare) return; }); }"),
            "apply<(lambda)>: f.p write, f.q read, f.spare untouched");
}

TEST(Kernels, MemberPointerReachesItsObject) {
  EXPECT_EQ(describe("struct Pair { int a, b; };\n"
                     "__global__ void k(Pair* p) { int Pair::*member = &Pair::b; p->*member = 1; }"),
            "k: p write");
}

TEST(Kernels, VirtualCallIsAssumed) {
  EXPECT_EQ(describe("struct Step { virtual __device__ void go(float* p) const {} };\n"
                     "__global__ void k(const Step* step, float* a) { step->go(a); }"),
            "k: step read?, a read_write?");
}

TEST(Kernels, RangeRunsFromFirstSpecifierToClosingBrace) {
  std::string code =
      "template <class T>\n__global__ void __launch_bounds__(64) a(T* n) { n[0] = 1; }\n"
      "static __global__ void b(int* n) {}\nextern \"C\" __global__ void c() {}\n"
      "#define KERNEL(name) __global__ void name() {}\nKERNEL(d)\n";
  EXPECT_EQ(kernel_texts(code, CUCO_SOURCE_DIR),
            "|__global__ void __launch_bounds__(64) a(T* n) { n[0] = 1; }|\n|static __global__ void b(int* n) {}|\n"
            "|__global__ void c() {}|\nfixed |KERNEL(d)|");
}

TEST(Kernels, SameTextGivesSameDescription) {
  std::string code =
      "struct Node { Node* left; Node* right; float* data; };\n"
      "__device__ float* find(Node* n, int k) { return k ? find(k & 1 ? n->left : n->right, k / 2) : n->data; }\n"
      "__device__ int seen; __device__ float sum;\n"
      "__global__ void k(Node* root, float* out) { *find(root, 9) = out[0]; seen++; sum = 1; }";
  EXPECT_EQ(describe(code), describe(code));
}

}  // namespace
}  // namespace cuco::frontend
