// Errors: the last one of each thread, and their names.
#include <stdio.h>

#include "runtime.h"

static _Thread_local cudaError_t last;

cudaError_t cotenant_note(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    last = error;
  return error;
}

cudaError_t cotenant_unsupported(const char *call) {
  static const char *told[64];
  for (int i = 0; i < 64; i++) {
    if (told[i] == call)
      break;
    if (told[i] == NULL) {
      told[i] = call;
      fprintf(stderr, "cotenant: %s is not supported; it returns cudaErrorNotSupported\n", call);
      break;
    }
  }
  return cotenant_note(cudaErrorNotSupported);
}

// sticky reports whether an error is of a kernel that has spoiled the context: all later calls return
// it, and cudaGetLastError does not forget it.
static int sticky(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorAssert ||
         (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure);
}

// cudaGetLastError returns the thread's last error and forgets it.
cudaError_t cudaGetLastError(void) {
  cudaError_t error = last;
  if (!sticky(error))
    last = cudaSuccess;
  return error;
}

// cudaPeekAtLastError returns the thread's last error and keeps it.
cudaError_t cudaPeekAtLastError(void) { return last; }

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
#define E(name, text) {name, #name, text}
    E(cudaSuccess, "no error"),
    E(cudaErrorInvalidValue, "invalid argument"),
    E(cudaErrorMemoryAllocation, "out of memory"),
    E(cudaErrorInitializationError, "initialization error"),
    E(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    E(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    E(cudaErrorInvalidSymbol, "invalid device symbol"),
    E(cudaErrorInvalidHostPointer, "invalid host pointer"),
    E(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    E(cudaErrorInvalidTexture, "invalid texture reference"),
    E(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    E(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    E(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    E(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    E(cudaErrorInvalidDeviceFunction, "invalid device function"),
    E(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    E(cudaErrorInvalidDevice, "invalid device ordinal"),
    E(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    E(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    E(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    E(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    E(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    E(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    E(cudaErrorSymbolNotFound, "named symbol not found"),
    E(cudaErrorNotReady, "device not ready"),
    E(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    E(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    E(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    E(cudaErrorAssert, "device-side assert triggered"),
    E(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    E(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    E(cudaErrorHardwareStackError, "hardware stack error"),
    E(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    E(cudaErrorMisalignedAddress, "misaligned address"),
    E(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    E(cudaErrorInvalidPc, "invalid program counter"),
    E(cudaErrorLaunchFailure, "unspecified launch failure"),
    E(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    E(cudaErrorNotSupported, "operation not supported"),
    E(cudaErrorUnknown, "unknown error"),
#undef E
};

// cudaGetErrorName returns the name of an error as the program writes it.
const char *cudaGetErrorName(cudaError_t error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return errors[i].name;
  return "unrecognized error code";
}

// cudaGetErrorString returns what an error means.
const char *cudaGetErrorString(cudaError_t error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return errors[i].text;
  return "unrecognized error code";
}
