// The part of the CUDA language that the test programs use, for a compiler
// without the CUDA toolkit.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
typedef unsigned int uint;
typedef unsigned long long u64;
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) double2 { double x, y; };
#define TX __nvvm_read_ptx_sreg_tid_x()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define GX __nvvm_read_ptx_sreg_nctaid_x()
#define ID (BX * NX + TX)
__device__ inline void barrier() { __nvvm_bar_sync(0); }
