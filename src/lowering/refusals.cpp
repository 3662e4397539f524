#include "lowering/refusals.h"

#include "base/text.h"

namespace cuco::lowering {

namespace {

struct Advice {
  std::string_view prefix;
  std::string_view instead;
};

// The first prefix that fits decides.
constexpr Advice kLibraryAdvice[] = {
    {"cudaGraphExec", "capture the stream and instantiate again"},
    {"cudaGraph", "capture a stream (cudaStreamBeginCapture) and launch what was captured"},
    {"cudaIpc", "share memory between ranks through a window (ncclCommWindowRegister)"},
    {"cudaGetDriverEntryPoint", "call the runtime API's function"},
    {"cudaMemcpyToArray", "use linear memory from cudaMalloc"},
    {"cudaMemcpy2DToArray", "use linear memory from cudaMalloc"},
    {"cudaMalloc3DArray", "use linear memory from cudaMalloc or cudaMalloc3D"},
    {"cudaMallocArray", "use linear memory from cudaMalloc"},
    {"cudaArray", "use linear memory from cudaMalloc"},
    {"cudaCreateTexture", "read through a pointer (__ldg)"},
    {"cudaDestroyTexture", "read through a pointer (__ldg)"},
    {"cudaTexture", "read through a pointer (__ldg)"},
    {"cudaResourceDesc", "read through a pointer (__ldg)"},
    {"cudaCreateSurface", "write through a pointer"},
    {"cudaSurface", "write through a pointer"},
    {"cudaLibrary", "launch kernels of the program's own source"},
    {"cudaImport", "use memory of this program"},
    {"cudaExternal", "use memory of this program"},
    {"tex", "read through a pointer (__ldg)"},
    {"surf", "read or write through a pointer"},
    {"cuMem", "use cudaMalloc, cudaMallocAsync or ncclMemAlloc"},
    {"cuMulticast", "use a window and ncclGetLsaMultimemPointer"},
    {"cuLaunchKernel", "use the <<<...>>> syntax or cudaLaunchKernel"},
    {"cuModule", "launch kernels of the program's own source"},
    {"cuTensorMap", "load tiles with plain loads or cp.async"},
    {"CUtensorMap", "load tiles with plain loads or cp.async"},
    {"cublasLt", "use cublasLtMatmul or cublasGemmEx"},
    {"cublasXt", "use cublasSgemm and its like on each device"},
    {"cublas", "use the calls that docs/virtual_cluster.md names under cuBLAS"},
    {"cusolverSp", "use cusolverDn on a dense matrix"},
    {"cusolver", "use the factorizations that docs/virtual_cluster.md names under cuSOLVER"},
    {"cusparse", "use cusparseSpMV or cusparseSpMM"},
    {"cufftXt", "use cufftExecC2C and its like on each device"},
    {"curand", "use the calls that docs/virtual_cluster.md names under cuRAND"},
    {"nvrtc", "compile the kernels with the program"},
    {"nvshmem", "use NCCL's device API"},
    {"MPI_Put", "use MPI_Isend and MPI_Irecv"},
    {"MPI_Get", "use MPI_Isend and MPI_Irecv"},
    {"MPI_Win", "use MPI_Isend and MPI_Irecv"},
};

constexpr Advice kPtxAdvice[] = {
    {"wgmma", "use mma.sync or nvcuda::wmma"},
    {"tcgen05", "use mma.sync or nvcuda::wmma"},
    {"cp.async.bulk", "use cp.async or plain loads and stores"},
    {"cp.reduce.async.bulk", "use red or atomicAdd"},
    {"mbarrier", "use cuda::barrier or __syncthreads"},
    {"mma",
     "use m16n8k16 (f16, bf16), m16n8k8 (tf32, f16, bf16), m16n8k32 or m16n8k16 (s8, u8), m8n8k4 (f64), or "
     "nvcuda::wmma"},
    {"ldmatrix", "use ldmatrix.sync.aligned.m8n8 with .x1, .x2 or .x4 of .b16"},
    {"stmatrix", "use plain stores"},
    {"clusterlaunchcontrol", "use a persistent kernel with an atomic counter"},
    {"barrier.cluster", "use cooperative groups' grid or block synchronisation"},
    {"mapa", "use memory of the block's own"},
    {"bra", "write the condition and the loop in C++"},
    {"call", "write the call in C++"},
    {"ret", "return in C++"},
    {"exit", "return in C++"},
    {"tex", "read through a pointer (__ldg)"},
};

constexpr std::string_view kPrefixes[] = {
    "nccl",  "NCCL_", "MPI_", "MPIX_", "cublas", "cudnn",   "curand", "cufft", "cusparse", "cusolver", "nvshmem",
    "nvrtc", "nvml",  "nvtx", "omp_",  "CUDA_",  "CUBLAS_", "__nv_",  "tex1D", "tex2D",    "tex3D",    "surf"};

bool starts_word(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         (isupper(name[prefix.size()]) || name[prefix.size()] == '_');
}

template <size_t Count>
std::string_view advice_for(std::string_view name, const Advice (&table)[Count]) {
  for (const Advice& advice : table)
    if (name.starts_with(advice.prefix)) return advice.instead;
  return "";
}

std::string with_advice(std::string text, std::string_view advice) {
  return advice.empty() ? text : concat(text, ": ", advice);
}

// The text between the first pair of quotes.
std::string_view quoted_name(std::string_view message) {
  size_t begin = message.find('\'');
  size_t end = begin == message.npos ? begin : message.find('\'', begin + 1);
  return end == message.npos ? std::string_view() : message.substr(begin + 1, end - begin - 1);
}

// Of "no member named 'this_cluster' in namespace 'cooperative_groups'".
std::string reworded_member(const std::string& message) {
  constexpr Advice advice[] = {
      {"cooperative_groups::this_cluster", "use a thread block or, in a cooperative launch, the grid"},
      {"cooperative_groups::cluster", "use a thread block or, in a cooperative launch, the grid"},
      {"cooperative_groups::this_multi_grid", "use NCCL's barriers between devices"},
      {"cooperative_groups::multi_grid", "use NCCL's barriers between devices"},
      {"cuda::ptx", "use cuda::barrier, cp.async and mma.sync"},
      {"cuda::device", "use cuda::memcpy_async or cp.async"},
  };
  constexpr std::string_view start = "no member named '", middle = "' in namespace '";
  size_t in = message.find(middle);
  if (!message.starts_with(start) || in == message.npos) return message;
  std::string_view scope = quoted_name(std::string_view(message).substr(in + middle.size() - 1));
  if (scope != "cooperative_groups" && !scope.starts_with("cuda")) return message;
  std::string name = concat(scope, "::", quoted_name(message));
  return with_advice(concat(name, " is not supported on the virtual cluster"), advice_for(name, advice));
}

}  // namespace

bool is_library_name(std::string_view name) {
  if (starts_word(name, "cuda") || starts_word(name, "cu") || starts_word(name, "CU")) return true;
  for (std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return true;
  return name.starts_with("CUtensorMap");
}

std::string refusal_of(std::string_view name) {
  return with_advice(concat(name, " is not supported on the virtual cluster"), advice_for(name, kLibraryAdvice));
}

std::string ptx_refusal(std::string_view instruction) {
  return with_advice(concat("inline PTX '", squeeze(instruction), "' is not supported on the virtual cluster"),
                     advice_for(instruction, kPtxAdvice));
}

std::string reworded(std::string message) {
  for (std::string_view start : {"use of undeclared identifier '", "unknown type name '", "no template named '",
                                 "use of undeclared template name '"})
    if (message.starts_with(start) && is_library_name(quoted_name(message))) return refusal_of(quoted_name(message));
  return reworded_member(message);
}

}  // namespace cuco::lowering
