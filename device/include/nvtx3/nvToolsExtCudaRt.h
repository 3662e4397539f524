// Names of CUDA's objects for tools: they do nothing.
#pragma once

#include "cuda_runtime_api.h"
#include "nvtx3/nvToolsExt.h"

static inline void nvtxNameCudaDeviceA(int device, const char* name) { (void)device, (void)name; }
static inline void nvtxNameCudaDeviceW(int device, const wchar_t* name) { (void)device, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t stream, const char* name) { (void)stream, (void)name; }
static inline void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t* name) { (void)stream, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t event, const char* name) { (void)event, (void)name; }
static inline void nvtxNameCudaEventW(cudaEvent_t event, const wchar_t* name) { (void)event, (void)name; }
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
