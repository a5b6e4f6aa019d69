// Atomic functions: 64 threads of two blocks on one array of 8-byte cells.
extern "C" __global__ void atomic(unsigned long long *cell) {
  __shared__ unsigned shared[2];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd((int *)&cell[0], (int)i);
  atomicAdd_system(&cell[1], (unsigned long long)i << 32);
  atomicAdd((float *)&cell[2], 0.5f);
  atomicAdd((double *)&cell[3], 0.25);
  atomicSub((unsigned *)&cell[4], 1u);
  atomicMin((int *)&cell[5], -(int)i);
  atomicMax((unsigned *)&cell[6], i);
  atomicMin((long long *)&cell[7], -1000ll * i);
  atomicMax(&cell[8], 1ull << i);
  atomicAnd((unsigned *)&cell[9], ~(1u << (i & 31)));
  atomicOr(&cell[10], 1ull << i);
  atomicXor((int *)&cell[11], 1 << (i & 7));
  atomicInc((unsigned *)&cell[12], 9u);
  atomicDec((unsigned *)&cell[13], 9u);
  if (i == 40) atomicExch((float *)&cell[14], 2.5f);
  if (i == 50) atomicCAS((unsigned short *)&cell[15], (unsigned short)0, (unsigned short)77);
  // A sum by compare and swap, as programs for old GPUs have it.
  unsigned long long was = cell[16], assumed;
  do {
    assumed = was;
    was = atomicCAS(&cell[16], assumed, (unsigned long long)__double_as_longlong(__longlong_as_double(assumed) + 1.5));
  } while (assumed != was);
  if (threadIdx.x < 2) shared[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd_block(&shared[i & 1], i);
  __syncthreads();
  if (threadIdx.x < 2) cell[17 + 2 * blockIdx.x + threadIdx.x] = shared[threadIdx.x];
  __threadfence();
}
