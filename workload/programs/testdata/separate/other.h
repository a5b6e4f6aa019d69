// What one file of a program offers the other.
extern __device__ int offset;
__device__ int twice(int v);
__global__ void there(int *out);
void setOffset(int value);
