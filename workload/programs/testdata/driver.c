// Loads PTX by the driver API, as a compiler at run time does, and checks what its kernel computes.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    CUresult result = (call);                                                                                          \
    if (result != CUDA_SUCCESS) {                                                                                      \
      const char *name;                                                                                                \
      cuGetErrorName(result, &name);                                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);                                             \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                           ".visible .global .align 4 .u32 bias;\n"
                           ".visible .entry add(.param .u64 out, .param .u32 value)\n{\n"
                           ".reg .b64 %x<4>;\n.reg .b32 %r<6>;\n"
                           "ld.param.u64 %x1, [out];\nld.param.u32 %r1, [value];\nmov.u32 %r2, %tid.x;\n"
                           "mul.wide.u32 %x2, %r2, 4;\nadd.s64 %x1, %x1, %x2;\nld.global.u32 %r3, [%x1];\n"
                           "ld.global.u32 %r4, [bias];\nadd.u32 %r3, %r3, %r1;\nadd.u32 %r3, %r3, %r4;\n"
                           "st.global.u32 [%x1], %r3;\nret;\n}\n";

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add, missing;
  CUdeviceptr data, bias;
  CUstream stream;
  size_t bytes;
  char name[100];
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDeviceGetName(name, sizeof name, device));
  OK(cuCtxCreate(&context, 0, device));
  OK(cuModuleLoadData(&module, text));
  if (cuModuleLoadData(&module, "\177ELF") != CUDA_ERROR_INVALID_IMAGE ||
      cuModuleGetFunction(&missing, module, "sub") != CUDA_ERROR_NOT_FOUND)
    return 2;
  OK(cuModuleGetFunction(&add, module, "add"));
  OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
  OK(cuStreamCreate(&stream, 0));
  OK(cuMemAlloc(&data, 64 * 4));
  OK(cuMemsetD32(data, 1000, 64));
  OK(cuMemsetD32(bias, 7, 1));
  unsigned value = 5, host[64];
  void *params[] = {&data, &value};
  OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL));
  struct {
    CUdeviceptr out;
    unsigned value;
  } block = {data, 30};
  size_t size = sizeof block;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpyDtoH(host, data, sizeof host));
  for (int i = 0; i < 64; i++)
    if (host[i] != 1000 + 5 + 30 + 2 * 7) {
      fprintf(stderr, "element %d is %u\n", i, host[i]);
      return 1;
    }
  OK(cuMemFree(data));
  OK(cuCtxDestroy(context));
  printf("PASSED\n");
  return 0;
}
