// Arrays of three dimensions and of layers: copies, textures and surfaces.
#include "check.h"

const int w = 8, h = 4, d = 3;

__global__ void points(float *out, cudaTextureObject_t t) {
  int i = threadIdx.x, x = i % w, y = i / w % h, z = i / w / h;
  out[i] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void middles(float *out, cudaTextureObject_t t) {
  int i = threadIdx.x, x = i % w, y = i / w % h, z = i / w / h;
  out[i] = tex3D<float>(t, x + 1, y + 1, z + 1); // between eight texels
}

__global__ void layers(int *out, cudaTextureObject_t t) {
  int i = threadIdx.x;
  int2 v = tex2DLayered<int2>(t, i % w + 0.5f, i / w % h + 0.5f, i / w / h + (i & 1) * 7 * (i / w / h == d - 1));
  out[i] = v.x - v.y;
}

__global__ void flip(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  float v;
  surf3Dread(&v, from, 4 * (w - 1 - x), y, z);
  surf3Dwrite(2 * v, to, 4 * x, h - 1 - y, z);
}

__global__ void edges(float *out, cudaSurfaceObject_t s) {
  out[0] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<float>(s, -4, h + 3, cudaBoundaryModeClamp);
  surf2Dwrite(9.f, s, 4 * w, 0, cudaBoundaryModeZero);
  surf2Dwrite(5.f, s, 4 * w, 0, cudaBoundaryModeClamp);
}

static cudaTextureObject_t texture_of(cudaArray_t array, bool linear) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  for (int i = 0; i < 3; i++)
    how.addressMode[i] = cudaAddressModeClamp;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &what, &how, NULL));
  return t;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &what));
  return s;
}

int main() {
  const int n = w * h * d;
  float host[n], back[n], *out;
  int2 pairs[n];
  for (int i = 0; i < n; i++) {
    host[i] = (float)(i % w + 10 * (i / w % h) + 100 * (i / w / h));
    pairs[i] = make_int2(3 * i, i);
  }
  OK(cudaMalloc(&out, sizeof host));
  cudaArray_t a, b, l, flat;
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(), two = cudaCreateChannelDesc<int2>();
  OK(cudaMalloc3DArray(&a, &one, make_cudaExtent(w, h, d)));
  OK(cudaMalloc3DArray(&b, &one, make_cudaExtent(w, h, d), cudaArraySurfaceLoadStore));
  OK(cudaMalloc3DArray(&l, &two, make_cudaExtent(w, h, d), cudaArrayLayered));
  OK(cudaMallocArray(&flat, &one, w, h, cudaArraySurfaceLoadStore));
  cudaExtent extent;
  unsigned flags;
  OK(cudaArrayGetInfo(NULL, &extent, &flags, l));
  CHECK(extent.depth == d && flags == cudaArrayLayered);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(host, w * sizeof(float), w, h);
  p.dstArray = a;
  p.extent = make_cudaExtent(w, h, d);
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  p.dstArray = l;
  p.srcPtr = make_cudaPitchedPtr(pairs, w * sizeof(int2), w, h);
  OK(cudaMemcpy3D(&p));

  points<<<1, n>>>(out, texture_of(a, false));
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    CHECK(back[i] == host[i]);
  middles<<<1, n>>>(out, texture_of(a, true));
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    int x = i % w, y = i / w % h, z = i / w / h;
    float want = (x < w - 1 ? x + 0.5f : x) + 10 * (y < h - 1 ? y + 0.5f : y) + 100 * (z < d - 1 ? z + 0.5f : z);
    CHECK(back[i] == want);
  }
  layers<<<1, n>>>((int *)out, texture_of(l, false));
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    CHECK(((int *)back)[i] == 2 * i);

  cudaSurfaceObject_t s = surface_of(b);
  flip<<<1, dim3(w, h, d)>>>(s, surface_of(a));
  cudaMemcpy3DParms q = {};
  q.srcArray = b;
  q.srcPos = make_cudaPos(1, 0, 1); // a part of it
  q.dstPtr = make_cudaPitchedPtr(back, (w - 1) * sizeof(float), w - 1, h);
  q.extent = make_cudaExtent(w - 1, h, d - 1);
  q.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&q));
  for (int z = 1; z < d; z++)
    for (int y = 0; y < h; y++)
      for (int x = 1; x < w; x++)
        CHECK(back[((z - 1) * h + y) * (w - 1) + x - 1] == 2.f * ((w - 1 - x) + 10 * (h - 1 - y) + 100 * z));
  OK(cudaDestroySurfaceObject(s));

  OK(cudaMemcpy2DToArray(flat, 0, 0, host, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  edges<<<1, 1>>>(out, surface_of(flat));
  OK(cudaMemcpy(back, out, 8, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 0 && back[1] == 30);
  OK(cudaMemcpy2DFromArray(back, w * sizeof(float), flat, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToHost));
  CHECK(back[w - 1] == 5 && back[w] == 10);
  printf("PASSED\n");
  return 0;
}
