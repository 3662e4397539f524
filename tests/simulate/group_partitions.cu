// Cooperative groups beyond the plain ones: tiles as parameters, tiles of several warps, scans, partitions, calls by one.
// ranks: 1
// expect: ok
// expect: 496 16 64 64 65280 16 3 9 64
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(int* o) {
  cg::thread_block b = cg::this_thread_block();
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(b);
  auto t4 = cg::tiled_partition<4>(w);
  int s = cg::reduce(w, (int)w.thread_rank(), cg::plus<int>());
  int x = cg::exclusive_scan(t4, 1);
  int y = cg::inclusive_scan(t4, 2, cg::plus<int>());
  if (cg::thread_rank(b) == 0) o[0] = s;
  auto c = cg::coalesced_threads();
  int one = cg::invoke_one_broadcast(c, [] { return 5; });
  if (w.thread_rank() == 3) o[1] = x + y + one;
  auto tok = b.barrier_arrive(); b.barrier_wait(std::move(tok));
  cg::sync(b);
  unsigned long long n = cg::group_size(b);
  if (b.thread_rank() == 0) { o[2] = (int)n; o[3] = (int)b.dim_threads().x; }
  auto sixtyfour = cg::tiled_partition<64>(b);
  cg::grid_group g = cg::this_grid();
  if (g.is_valid()) g.sync();
  int m = w.match_any(w.thread_rank() / 8); if (w.thread_rank() == 9) o[4] = m;
  auto lp = cg::labeled_partition(w, w.thread_rank() % 2); if (w.thread_rank() == 1) o[5] = lp.size();
  cg::thread_group tg = cg::tiled_partition(b, 16); tg.sync();
  int u = cg::reduce(t4, 3, cg::greater<int>()); if (b.thread_rank() == 0) o[6] = u;
  cg::invoke_one(w, [&] { o[7] = 9; });
  if (sixtyfour.thread_rank() == 0) o[8] = sixtyfour.size();
}
int main() {
  int *o, h[9];
  cudaMalloc(&o, sizeof h);
  cudaMemset(o, 0, sizeof h);
  k<<<1, 64>>>(o);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 9; i++) printf("%d%s", h[i], i == 8 ? "\n" : " ");
  cudaFree(o);
}
