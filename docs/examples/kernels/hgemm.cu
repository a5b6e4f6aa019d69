#include "cotenant.h"

typedef unsigned short half; // bits, which only instructions for tensor cores take

__device__ static unsigned shared_address(const void *p)
{
	return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void *)p;
}

// C = A B of m x n x k, for multiples of 16, 8 and 16. A warp computes a tile of 16 x 8, and
// fetches the next tiles of A and B while it multiplies.
__global__ void hgemm(const half *a, const half *b, half *c, int n, int k)
{
	__shared__ __attribute__((aligned(16))) half tile_a[2][16 * 16], tile_b[2][16 * 8];
	int lane = threadIdx.x, row = 16 * blockIdx.y, column = 8 * blockIdx.x;
	float d[4] = {0, 0, 0, 0};
	auto fetch = [&](int stage, int at) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::
			"r"(shared_address(&tile_a[stage][8 * lane])), "l"(&a[(row + lane / 2) * k + at + lane % 2 * 8]));
		if (lane < 16)
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::
				"r"(shared_address(&tile_b[stage][8 * lane])), "l"(&b[(at + lane) * n + column]));
		asm volatile("cp.async.commit_group;");
	};
	fetch(0, 0);
	for (int at = 0, stage = 0; at < k; at += 16, stage ^= 1) {
		if (at + 16 < k) {
			fetch(stage ^ 1, at + 16);
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" ::: "memory");
		}
		__syncthreads();
		unsigned fa[4], fb[2];
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(shared_address(&tile_a[stage][lane % 16 * 16 + lane / 16 * 8])));
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
			: "=r"(fb[0]), "=r"(fb[1]) : "r"(shared_address(&tile_b[stage][lane % 16 * 8])));
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
		__syncthreads();
	}
	for (int i = 0; i < 2; i++) {
		unsigned pair;
		asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(d[2 * i + 1]), "f"(d[2 * i]));
		*(unsigned *)&c[(row + lane / 4 + 8 * i) * n + column + lane % 4 * 2] = pair;
	}
}
