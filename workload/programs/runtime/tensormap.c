// Tensor maps.
#include <string.h>

#include "cuda.h"
#include "runtime.h"

_Static_assert(sizeof(struct cotenant_tensor_map) == sizeof(CUtensorMap), "a tensor map has 128 bytes");

// cuTensorMapEncodeTiled describes an array and its boxes. Boxes interleaved, and fills other than zero, are not supported;
// the promotion of sectors in the L2 is a hint that no GPU here takes.
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dims,
                                const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  (void)promotion;
  if (type > CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) // single precision, rounded by who uses it
    type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return (CUresult)cotenant_unsupported("cuTensorMapEncodeTiled with interleaved boxes or a fill");
  if (map == NULL || rank < 1 || rank > 5 || (uintptr_t)address % 16 != 0 || swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return CUDA_ERROR_INVALID_VALUE;
  struct cotenant_tensor_map m = {COTENANT_TENSOR_MAP, (uint8_t)type, (uint8_t)rank, (uint8_t)swizzle, (uintptr_t)address, {0}, {0}, {0}, {0}};
  for (cuuint32_t i = 0; i < rank; i++) {
    if (dims[i] < 1 || dims[i] > (uint64_t)1 << 32 || box[i] < 1 || box[i] > 256 || steps[i] < 1 || steps[i] > 8)
      return CUDA_ERROR_INVALID_VALUE;
    m.last[i] = (uint32_t)(dims[i] - 1);
    m.box[i] = (uint16_t)box[i];
    m.steps[i] = (uint8_t)steps[i];
    if (i == 0)
      continue;
    if (strides[i - 1] % 16 != 0 || strides[i - 1] < 16 || strides[i - 1] > (uint64_t)1 << 40)
      return CUDA_ERROR_INVALID_VALUE;
    m.strides[i - 1] = strides[i - 1];
  }
  unsigned width = (box[0] + steps[0] - 1) / steps[0] * bytes[type];
  if (width % 16 != 0 || (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && width > 16u << swizzle))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(map, &m, sizeof m);
  return CUDA_SUCCESS;
}
