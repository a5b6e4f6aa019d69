// What the files of a program offer the others.
extern __device__ int offset;
__device__ int twice(int v);
__host__ __device__ int thrice(int v);
__global__ void there(int *out);
void setOffset(int value);
