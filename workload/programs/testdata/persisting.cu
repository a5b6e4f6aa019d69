// A kernel updates half of what the L2 holds over and over, and beside it words that no thread uses again. Where the L2 is
// told to keep the former, the kernel takes less time.
#include "check.h"

__global__ void update(int *kept, unsigned often, int *passing) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[i % often] += 1;
  passing[i] += 1;
}

static int *kept, *passing;
static unsigned often, threads;
static cudaEvent_t from, to;

// timed is how long a launch takes, once the same has run before.
template <typename Launch> static float timed(cudaStream_t s, Launch launch) {
  float ms;
  launch();
  OK(cudaEventRecord(from, s));
  launch();
  OK(cudaEventRecord(to, s));
  OK(cudaStreamSynchronize(s));
  OK(cudaEventElapsedTime(&ms, from, to));
  return ms;
}

int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  int most, window;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  OK(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  CHECK(most == p.persistingL2CacheMaxSize && window == p.accessPolicyMaxWindowSize);
  CHECK(most == p.l2CacheSize / 4 * 3 && window > p.l2CacheSize);

  size_t limit;
  OK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
  CHECK(limit == 0);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most + 1) == cudaErrorInvalidValue);
  OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
  OK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
  CHECK(limit == (size_t)most);

  often = p.l2CacheSize / 2 / sizeof(int), threads = 4 * often;
  OK(cudaMalloc(&kept, often * sizeof(int)));
  OK(cudaMalloc(&passing, threads * sizeof(int)));
  OK(cudaMemset(kept, 0, often * sizeof(int)));
  OK(cudaMemset(passing, 0, threads * sizeof(int)));
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  cudaStream_t plain, other;
  OK(cudaStreamCreate(&plain));
  OK(cudaStreamCreate(&other));
  auto in = [](cudaStream_t s) { return [=] { update<<<threads / 256, 256, 0, s>>>(kept, often, passing); }; };
  float usual = timed(plain, in(plain));

  // A stream's window, and what may be in one.
  cudaStreamAttrValue v = {}, got;
  cudaAccessPolicyWindow &w = v.accessPolicyWindow;
  w = {kept, often * sizeof(int), 1, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  OK(cudaStreamSetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &v));
  OK(cudaStreamCopyAttributes(other, plain));
  OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &got));
  CHECK(got.accessPolicyWindow.base_ptr == kept && got.accessPolicyWindow.hitRatio == 1);
  for (int i = 0; i < 3; i++) {
    cudaStreamAttrValue wrong = v;
    i == 0 ? wrong.accessPolicyWindow.hitRatio = 1.5f : i == 1 ? wrong.accessPolicyWindow.num_bytes = window + 1ul : 0;
    if (i == 2)
      wrong.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    CHECK(cudaStreamSetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &wrong) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  }
  float keeps = timed(plain, in(plain));
  CHECK(keeps < 0.94f * usual);

  // Without: by the window, and then by a reset.
  w.hitProp = cudaAccessPropertyNormal;
  OK(cudaStreamSetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &v));
  CHECK(timed(plain, in(plain)) > 0.97f * usual);
  CHECK(timed(other, in(other)) < 0.94f * usual);
  w.num_bytes = 0;
  OK(cudaStreamSetAttribute(plain, cudaStreamAttributeAccessPolicyWindow, &v));
  CHECK(timed(plain, in(plain)) < 0.94f * usual); // accesses that say nothing leave the lines as they are
  OK(cudaCtxResetPersistingL2Cache());
  CHECK(timed(plain, in(plain)) > 0.97f * usual);

  // A launch's own window, and that of a launch when it was captured.
  cudaLaunchAttribute own[1];
  own[0].id = cudaLaunchAttributeAccessPolicyWindow;
  own[0].val.accessPolicyWindow = {kept, often * sizeof(int), 1, cudaAccessPropertyPersisting, cudaAccessPropertyNormal};
  cudaLaunchConfig_t config = {};
  config.gridDim = threads / 256, config.blockDim = 256, config.stream = plain, config.attrs = own, config.numAttrs = 1;
  CHECK(timed(plain, [&] { OK(cudaLaunchKernelEx(&config, update, kept, often, passing)); }) < 0.94f * usual);
  OK(cudaCtxResetPersistingL2Cache());
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  in(other)();
  OK(cudaStreamEndCapture(other, &graph));
  OK(cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
  CHECK(timed(plain, [&] { OK(cudaGraphLaunch(ready, plain)); }) < 0.94f * usual);

  // Nothing is set aside.
  OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
  CHECK(timed(other, in(other)) > 0.97f * usual);

  int last;
  OK(cudaMemcpy(&last, kept + often - 1, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(last == 4 * 18);

  // A reset of the device takes all back.
  OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
  OK(cudaDeviceReset());
  OK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
  CHECK(limit == 0);
  OK(cudaMalloc(&kept, often * sizeof(int)));
  OK(cudaMalloc(&passing, threads * sizeof(int)));
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  OK(cudaStreamGetAttribute(NULL, cudaStreamAttributeAccessPolicyWindow, &got));
  CHECK(got.accessPolicyWindow.num_bytes == 0);
  w = {kept, often * sizeof(int), 1, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  OK(cudaStreamSetAttribute(NULL, cudaStreamAttributeAccessPolicyWindow, &v));
  CHECK(timed(NULL, in(NULL)) > 0.97f * usual);
  printf("%.2f\n", usual / keeps);
  return 0;
}
