// Kernels that the program compiles as it runs: a template by its name, a header that the program passes and one beside
// the source, messages of an error, and functions without a place.
#include "check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>

#define DONE(call)                                                                                                     \
  do {                                                                                                                 \
    nvrtcResult result = call;                                                                                         \
    if (result != NVRTC_SUCCESS) {                                                                                     \
      fprintf(stderr, "%s: %s\n", #call, nvrtcGetErrorString(result));                                                 \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static const char *source = "#include \"parts/factor.h\"\n"
                            "namespace parts { __constant__ int offset; }\n"
                            "static __constant__ int less;\n"
                            "template <class T> __global__ void scale(T *p, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i < n) p[i] = FACTOR * p[i] + parts::offset + EXTRA - less;\n"
                            "}\n";

int main() {
  int major, minor, offset = 2;
  OK(cudaFree(NULL));
  const char *texts[] = {"#define FACTOR 3\n"}, *names[] = {"parts/factor.h"}, *name, *variable;
  const char *options[] = {"--gpu-architecture=compute_70", "-DEXTRA=1", "--std=c++14"};
  nvrtcProgram program;
  DONE(nvrtcVersion(&major, &minor));
  CHECK(major >= 11);
  DONE(nvrtcCreateProgram(&program, source, "scale.cu", 1, texts, names));
  DONE(nvrtcAddNameExpression(program, "scale<float>"));
  DONE(nvrtcAddNameExpression(program, "&parts::offset"));
  CHECK(nvrtcGetLoweredName(program, "scale<float>", &name) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  DONE(nvrtcCompileProgram(program, 3, options));
  DONE(nvrtcGetLoweredName(program, "scale<float>", &name));
  DONE(nvrtcGetLoweredName(program, "&parts::offset", &variable));
  CHECK(nvrtcGetLoweredName(program, "scale<int>", &name) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  CHECK(nvrtcAddNameExpression(program, "scale<int>") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  size_t bytes;
  DONE(nvrtcGetPTXSize(program, &bytes));
  char *ptx = (char *)malloc(bytes);
  DONE(nvrtcGetPTX(program, ptx));
  CHECK(strlen(ptx) + 1 == bytes && strstr(ptx, name) && !strstr(ptx, "cotenant_name") && !strstr(ptx, "nvrtc."));

  CUmodule module;
  CUfunction kernel;
  CUdeviceptr at, constant;
  CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&kernel, module, name) == CUDA_SUCCESS);
  CHECK(cuModuleGetGlobal(&constant, &bytes, module, variable) == CUDA_SUCCESS && bytes == 4);
  CHECK(cuMemcpyHtoD(constant, &offset, 4) == CUDA_SUCCESS);
  CHECK(cuModuleGetGlobal(&constant, &bytes, module, "less") == CUDA_SUCCESS && bytes == 4);
  float values[100];
  int n = 100;
  for (int i = 0; i < n; i++) values[i] = (float)i;
  CHECK(cuMemAlloc(&at, sizeof values) == CUDA_SUCCESS && cuMemcpyHtoD(at, values, sizeof values) == CUDA_SUCCESS);
  void *arguments[] = {&at, &n};
  CHECK(cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(values, at, sizeof values) == CUDA_SUCCESS);
  for (int i = 0; i < n; i++) CHECK(values[i] == 3 * i + 3);
  DONE(nvrtcDestroyProgram(&program));
  CHECK(program == NULL);

  DONE(nvrtcCreateProgram(&program, "int twice(int x) { return 2 * x; }\n__global__ void k(int *p) { *p = twice(1) }\n", NULL, 0, NULL, NULL));
  const char *device[] = {"-default-device"}, *none[] = {"-nothing"};
  CHECK(nvrtcCompileProgram(program, 1, device) == NVRTC_ERROR_COMPILATION);
  DONE(nvrtcGetProgramLogSize(program, &bytes));
  char *log = (char *)malloc(bytes);
  DONE(nvrtcGetProgramLog(program, log));
  CHECK(strncmp(log, "default_program:2:42: error: expected ';'", 41) == 0 && !strstr(log, "reference to"));
  CHECK(nvrtcGetPTXSize(program, &bytes) == NVRTC_ERROR_INVALID_PROGRAM);
  CHECK(nvrtcCompileProgram(program, 1, none) == NVRTC_ERROR_INVALID_OPTION);
  DONE(nvrtcDestroyProgram(&program));
  printf("PASSED\n");
}
