// Texture references on linear memory and on an array, and a texture object.
#include "check.h"

#define W 32
#define H 8

texture<float, 1, cudaReadModeElementType> line;
texture<int, 2> image;

__global__ void look(float *out, cudaTextureObject_t object) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch(line, i) + tex2D(image, i % W + 0.5f, i / W + 0.5f) + 100 * tex1Dfetch<float>(object, W * H - 1 - i);
}

int main() {
  float a[W * H], out[W * H], *da, *dout;
  int b[W * H];
  for (int i = 0; i < W * H; i++) {
    a[i] = i * 0.5f;
    b[i] = 3 * i;
  }
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaBindTexture(0, line, da, sizeof a));
  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
  OK(cudaMallocArray(&array, &desc, W, H));
  OK(cudaMemcpyToArray(array, 0, 0, b, sizeof b, cudaMemcpyHostToDevice));
  OK(cudaBindTextureToArray(image, array));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = da;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof a;
  cudaTextureDesc how = {};
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
  look<<<H, W>>>(dout, object);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < W * H; i++)
    CHECK(out[i] == i * 0.5f + 3 * i + 50 * (W * H - 1 - i));
  OK(cudaUnbindTexture(line));
  OK(cudaDestroyTextureObject(object));
  OK(cudaFreeArray(array));
  printf("PASSED\n");
  return 0;
}
