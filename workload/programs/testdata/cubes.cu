// A cube map of six faces, and fetches with a level or with slopes from a texture of one level.
#include "check.h"

#define N 4

__global__ void directions(float *out, cudaTextureObject_t cube, cudaTextureObject_t plain) {
  int i = threadIdx.x, face = i / (N * N), row = i / N % N, column = i % N;
  // The direction through the texel's centre: s and t run from -1 to 1.
  float s = (2 * column + 1) / (float)N - 1, t = (2 * row + 1) / (float)N - 1, v[3];
  switch (face) {
  case 0: v[0] = 1, v[1] = -t, v[2] = -s; break;
  case 1: v[0] = -1, v[1] = -t, v[2] = s; break;
  case 2: v[0] = s, v[1] = 1, v[2] = t; break;
  case 3: v[0] = s, v[1] = -1, v[2] = -t; break;
  case 4: v[0] = s, v[1] = -t, v[2] = 1; break;
  default: v[0] = -s, v[1] = -t, v[2] = -1;
  }
  out[i] = texCubemap<float>(cube, 3 * v[0], 3 * v[1], 3 * v[2]);
  float x = (column + 0.5f) / N, y = (row + 0.5f) / N, here = tex2D<float>(plain, x, y);
  if (tex2DLod<float>(plain, x, y, 2.5f) != here || tex2DGrad<float>(plain, x, y, make_float2(1, 0), make_float2(0, 4)) != here)
    out[i] = -1;
}

static cudaTextureObject_t object(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  cudaTextureObject_t made;
  OK(cudaCreateTextureObject(&made, &resource, &how, NULL));
  return made;
}

int main() {
  float texels[6 * N * N], out[6 * N * N], *dout;
  for (int i = 0; i < 6 * N * N; i++)
    texels[i] = i + 1;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t cube, plain;
  CHECK(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(N, N, 5), cudaArrayCubemap) == cudaErrorInvalidValue);
  cudaGetLastError();
  OK(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(N, N, 6), cudaArrayCubemap));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels, N * sizeof(float), N, N);
  copy.dstArray = cube;
  copy.extent = make_cudaExtent(N, N, 6);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  OK(cudaMallocArray(&plain, &desc, N, N));
  OK(cudaMemcpy2DToArray(plain, 0, 0, texels, N * sizeof(float), N * sizeof(float), N, cudaMemcpyHostToDevice));
  OK(cudaMalloc(&dout, sizeof out));
  directions<<<1, 6 * N * N>>>(dout, object(cube), object(plain));
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 6 * N * N; i++)
    CHECK(out[i] == texels[i]);
  printf("PASSED\n");
  return 0;
}
