// CUDA's errors up to version 11.4, and one of 11.8, by the numbers that it documents since version 10.1 (CUDA Runtime API,
// cudaError): X(name, number, what cudaGetErrorString says of it).
#pragma once

#define __CT_ERRORS(X) \
  X(cudaSuccess, 0, "no error") \
  X(cudaErrorInvalidValue, 1, "invalid argument") \
  X(cudaErrorMemoryAllocation, 2, "out of memory") \
  X(cudaErrorInitializationError, 3, "initialization error") \
  X(cudaErrorCudartUnloading, 4, "driver shutting down") \
  X(cudaErrorProfilerDisabled, 5, "profiler disabled") \
  X(cudaErrorProfilerNotInitialized, 6, "profiler not initialized") \
  X(cudaErrorProfilerAlreadyStarted, 7, "profiler already started") \
  X(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped") \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference") \
  X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer") \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
  X(cudaErrorAddressOfConstant, 22, "address of a constant variable") \
  X(cudaErrorTextureFetchFailed, 23, "fetch from texture failed") \
  X(cudaErrorTextureNotBound, 24, "texture is not bound") \
  X(cudaErrorSynchronizationError, 25, "synchronization failed") \
  X(cudaErrorInvalidFilterSetting, 26, "filter does not suit the texture's channels") \
  X(cudaErrorInvalidNormSetting, 27, "read mode does not suit the texture's channels") \
  X(cudaErrorMixedDeviceExecution, 28, "device and emulated code in one process") \
  X(cudaErrorNotYetImplemented, 31, "not implemented") \
  X(cudaErrorMemoryValueTooLarge, 32, "memory value too large") \
  X(cudaErrorStubLibrary, 34, "the driver library is a stub") \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  X(cudaErrorCallRequiresNewerDriver, 36, "call requires a newer driver") \
  X(cudaErrorInvalidSurface, 37, "invalid surface reference") \
  X(cudaErrorDuplicateVariableName, 43, "duplicate variable name") \
  X(cudaErrorDuplicateTextureName, 44, "duplicate texture name") \
  X(cudaErrorDuplicateSurfaceName, 45, "duplicate surface name") \
  X(cudaErrorDevicesUnavailable, 46, "all CUDA-capable devices are busy or unavailable") \
  X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
  X(cudaErrorPriorLaunchFailure, 53, "a launch before failed") \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launches by kernels are too deep") \
  X(cudaErrorLaunchFileScopedTex, 66, "a kernel of a kernel uses a texture of its file") \
  X(cudaErrorLaunchFileScopedSurf, 67, "a kernel of a kernel uses a surface of its file") \
  X(cudaErrorSyncDepthExceeded, 68, "synchronization of kernels of kernels is too deep") \
  X(cudaErrorLaunchPendingCountExceeded, 69, "too many launches by kernels are pending") \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
  X(cudaErrorDeviceNotLicensed, 102, "device has no valid licence") \
  X(cudaErrorStartupFailure, 127, "startup failure") \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context") \
  X(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed") \
  X(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed") \
  X(cudaErrorArrayIsMapped, 207, "array is mapped") \
  X(cudaErrorAlreadyMapped, 208, "resource already mapped") \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
  X(cudaErrorAlreadyAcquired, 210, "resource already acquired") \
  X(cudaErrorNotMapped, 211, "resource not mapped") \
  X(cudaErrorNotMappedAsArray, 212, "resource not mapped as array") \
  X(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer") \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered") \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
  X(cudaErrorDeviceAlreadyInUse, 216, "another thread uses the device exclusively") \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
  X(cudaErrorInvalidGraphicsContext, 219, "invalid graphics context") \
  X(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected") \
  X(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found") \
  X(cudaErrorUnsupportedPtxVersion, 222, "PTX of an unsupported version") \
  X(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation is disabled") \
  X(cudaErrorInvalidSource, 300, "device kernel image is invalid") \
  X(cudaErrorFileNotFound, 301, "file not found") \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "symbol of shared object not found") \
  X(cudaErrorSharedObjectInitFailed, 303, "initialization of shared object failed") \
  X(cudaErrorOperatingSystem, 304, "call of the operating system failed") \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found") \
  X(cudaErrorNotReady, 600, "device not ready") \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
  X(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses an incompatible texturing mode") \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
  X(cudaErrorSetOnActiveProcess, 708, "the process has used the device already") \
  X(cudaErrorContextIsDestroyed, 709, "context is destroyed") \
  X(cudaErrorAssert, 710, "device-side assert triggered") \
  X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted") \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  X(cudaErrorHardwareStackError, 714, "hardware stack error") \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
  X(cudaErrorMisalignedAddress, 716, "misaligned address") \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
  X(cudaErrorInvalidPc, 718, "invalid program counter") \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  X(cudaErrorNotPermitted, 800, "operation not permitted") \
  X(cudaErrorNotSupported, 801, "operation not supported") \
  X(cudaErrorSystemNotReady, 802, "system not yet initialized") \
  X(cudaErrorSystemDriverMismatch, 803, "versions of driver and CUDA driver differ") \
  X(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility was attempted on other hardware") \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  X(cudaErrorStreamCaptureInvalidated, 901, "the capture failed before") \
  X(cudaErrorStreamCaptureMerge, 902, "operation would merge two captures") \
  X(cudaErrorStreamCaptureUnmatched, 903, "the capture began in another stream") \
  X(cudaErrorStreamCaptureUnjoined, 904, "a stream of the capture was not joined") \
  X(cudaErrorStreamCaptureIsolation, 905, "dependency leads out of the capture") \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would depend on a capture by the legacy stream") \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event of a capture") \
  X(cudaErrorStreamCaptureWrongThread, 908, "the capture began in another thread") \
  X(cudaErrorTimeout, 909, "wait timed out") \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph cannot be updated so") \
  X(cudaErrorInvalidClusterSize, 912, "size of clusters is invalid") \
  X(cudaErrorUnknown, 999, "unknown error") \
  X(cudaErrorApiFailureBase, 10000, "API failure base")

// The functions that tell of errors, for the host or the device. An error of another number has no name.
#define __CT_ERROR_FUNCTION(side, function, CASE) \
  side const char *function(cudaError_t error) { \
    switch (error) { __CT_ERRORS(CASE) } \
    return "unrecognized error code"; \
  }
#define __CT_ERROR_NAME(name, number, text) case number: return #name;
#define __CT_ERROR_TEXT(name, number, text) case number: return text;
#define __CT_ERROR_FUNCTIONS(side) \
  __CT_ERROR_FUNCTION(side, cudaGetErrorName, __CT_ERROR_NAME) \
  __CT_ERROR_FUNCTION(side, cudaGetErrorString, __CT_ERROR_TEXT)
