// NVRTC: programs that compile kernels as they run. The simulator that runs the program compiles them, as cotenant cc
// does, and what stands for a binary of a chip is PTX too.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#define COTENANT_NVRTC_RESULTS(X)                                                                  \
  X(NVRTC_SUCCESS, 0) X(NVRTC_ERROR_OUT_OF_MEMORY, 1) X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)   \
  X(NVRTC_ERROR_INVALID_INPUT, 3) X(NVRTC_ERROR_INVALID_PROGRAM, 4) X(NVRTC_ERROR_INVALID_OPTION, 5) \
  X(NVRTC_ERROR_COMPILATION, 6) X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                        \
  X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9) \
  X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10) X(NVRTC_ERROR_INTERNAL_ERROR, 11)
#define COTENANT_VALUE(name, number) name = number,
typedef enum nvrtcResult { COTENANT_NVRTC_RESULTS(COTENANT_VALUE) } nvrtcResult;
#undef COTENANT_VALUE
typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *number);
nvrtcResult nvrtcGetSupportedArchs(int *archs);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int number, const char *const *options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);
#ifdef __cplusplus
}
#endif
