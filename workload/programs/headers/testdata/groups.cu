// Cooperative groups: 64 threads of a block, each with a row of out.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
struct several {
  unsigned a;
  double b;
  unsigned char c;
};
extern "C" __global__ void groups(unsigned *out, int columns) {
  __shared__ unsigned shared[64];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto warp = cg::tiled_partition<32>(block);
  unsigned i = block.thread_rank(), k = 0, *o = out + i * columns;
  o[k++] = tile.thread_rank();
  o[k++] = tile.meta_group_rank();
  o[k++] = tile.shfl(i, 3);
  o[k++] = tile.shfl_xor(i, 1);
  several of = tile.shfl(several{i, 2. * i, (unsigned char)i}, 3);
  o[k++] = of.a + (unsigned)of.b + of.c;
  o[k++] = tile.ballot(i % 4 == 1);
  o[k++] = tile.any(i == 9);
  o[k++] = cg::reduce(tile, i, cg::plus<unsigned>());
  o[k++] = cg::reduce(warp, i, cg::greater<unsigned>());
  unsigned rank = 99, size = 99, first = 99, sum = 99, votes = 99;
  if (i % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    rank = active.thread_rank();
    size = active.size();
    first = active.shfl(i, 1);
    sum = cg::reduce(active, i, cg::plus<unsigned>());
    votes = active.ballot(i % 2 == 0);
  }
  o[k++] = rank;
  o[k++] = size;
  o[k++] = first;
  o[k++] = sum;
  o[k++] = votes;
  cg::memcpy_async(block, shared, out, sizeof shared);
  cg::wait(block);
  shared[i] = i;
  block.sync();
  o[k++] = shared[63 - i];
  o[k++] = cg::tiled_partition(block, 16).thread_rank();
  o[k++] = cg::this_grid().size() + block.size();
}
extern "C" __global__ void grid(unsigned *cells) {
  cg::grid_group all = cg::this_grid();
  for (unsigned round = 0; round < 3; round++) {
    unsigned v = cells[(all.thread_rank() + 1) % all.size()];
    all.sync();
    cells[all.thread_rank()] = v + 1;
    all.sync();
  }
}
