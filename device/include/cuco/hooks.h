// What device code asks of the machine it runs on. The front end only parses these; the virtual cluster defines them.
// Threads are fibers of one OS thread: memory operations between two hooks are atomic by construction.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cuco/attributes.h"

#ifdef CUCO_CUDA_SOURCE
// The compiler must not move or copy such a call into branches: where threads meet is part of its meaning.
#define CUCO_CONVERGENT __attribute__((convergent))

// A variable that device code can name and of which devices have no copies of their own.
#define CUCO_ONE_FOR_ALL __device__ __attribute__((annotate("one for all devices")))

// What a function of this kind does is not counted; its name begins with cuco_uncounted.
#define CUCO_UNCOUNTED __device__ __attribute__((noinline))

extern "C" {

// Block barrier: waits for `count` threads (0: all of the block) at `barrier`. The reductions return the combined
// predicate of the participants.
CUCO_CONVERGENT __device__ void cuco_barrier(int barrier, int count);
__device__ void cuco_barrier_arrive(int barrier, int count);
CUCO_CONVERGENT __device__ int cuco_barrier_count(int predicate);

// Warp rendezvous of the lanes in `mask`: every lane offers 8 bytes and gets the 32 offers, indexed by lane.
// `present` receives the lanes that took part. The array stays valid until this lane's next warp operation.
CUCO_CONVERGENT __device__ const uint64_t* cuco_warp_exchange(unsigned mask, uint64_t offer, unsigned* present);
CUCO_CONVERGENT __device__ unsigned cuco_active_mask(void);

// All blocks of a cooperative grid.
__device__ void cuco_grid_barrier(void);
__device__ int cuco_grid_is_cooperative(void);

// The lowering puts one of these before calls that may wait: where the running thread stands in the program.
// cuco_meet_at is for barriers of the block, cuco_coop_at for calls that a whole group of threads makes together.
#if defined(CUCO_LOWERING) && !defined(CUCO_CHECKING)
struct cuco_thread_position {
  const char* place;
  const char* meeting_place;  // Null: the call meets nobody.
  bool is_coop;
};
extern CUCO_ONE_FOR_ALL struct cuco_thread_position* cuco_position;
__host__ __device__ inline void cuco_at(const char* place) { *cuco_position = {place, nullptr, false}; }
__host__ __device__ inline void cuco_meet_at(const char* place) { *cuco_position = {place, place, false}; }
__host__ __device__ inline void cuco_coop_at(const char* place) { *cuco_position = {place, place, true}; }
#else
__host__ __device__ void cuco_at(const char* place);
__host__ __device__ void cuco_meet_at(const char* place);
__host__ __device__ void cuco_coop_at(const char* place);
#endif
// The running thread comes to the barrier as one of the warps from `first_warp` on.
__device__ void cuco_span_at(int barrier, int first_warp);

// A load that may be part of a spin loop. Seeing the same value at the same address again suspends the thread until
// the value changes or nothing else can run.
__host__ __device__ void cuco_poll(const void* address, uint64_t value, int bytes);
// The same for an exchange or compare-and-swap that left memory as it was, and one that changed it.
__host__ __device__ void cuco_swap_failed(const void* address, uint64_t value, int bytes);
__host__ __device__ void cuco_swapped(const void* address);
// Any other atomic update changed memory: who does so in a loop does not merely look.
__host__ __device__ void cuco_changed(void);
__host__ __device__ void cuco_fence(int scope);
// Whether a GPU thread runs: for functions that are written differently for the two sides.
__host__ __device__ int cuco_on_device(void);
#ifdef CUCO_CHECKING
// Keeps the compiler from holding memory that others see in a register, such as the sum of a loop of atomic adds.
#define CUCO_KEEP_ACCESS __atomic_signal_fence(__ATOMIC_SEQ_CST)
// An atomic access that the checking build cannot see for itself; kinds, orders and scopes as the runtime numbers them.
__host__ __device__ void cuco_atomic_access(const void* address, int bytes, int kind, int order, int scope);
#else
#define CUCO_KEEP_ACCESS
#endif
__device__ void cuco_sleep(unsigned ns);
__device__ uint64_t cuco_clock(void);
__device__ uint64_t cuco_global_timer_ns(void);
__device__ unsigned cuco_multiprocessor_id(void);
__device__ void cuco_trap(const char* what);
__device__ void* cuco_dynamic_shared(void);
// What the program has done so far: floating-point and integer operations, bytes of shared and of global memory,
// tensor operations. The virtual cluster's compiler plugin adds to the first four.
extern CUCO_ONE_FOR_ALL uint64_t cuco_costs[10];
__device__ unsigned cuco_dynamic_shared_bytes(void);
}

// Scopes of fences and atomics, as cuda::thread_scope numbers them.
enum { CucoScopeSystem = 0, CucoScopeDevice = 1, CucoScopeBlock = 2, CucoScopeThread = 3 };
#endif
