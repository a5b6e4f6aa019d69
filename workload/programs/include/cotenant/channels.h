// cudaCreateChannelDesc by type for host code that no device code is beside. texture.h has it for the rest.
#pragma once

#include "../cuda_runtime_api.h"

#include "../vector_types.h"

template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
#define __CT_CHANNELS(T, count, kind)                                                              \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                            \
    const int bits = 8 * (int)sizeof(T) / count;                                                   \
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind); \
  }
#define __CT_ALL(T, vector, kind)                                                                  \
  __CT_CHANNELS(T, 1, kind)                                                                        \
  __CT_CHANNELS(vector##1, 1, kind) __CT_CHANNELS(vector##2, 2, kind) __CT_CHANNELS(vector##4, 4, kind)
__CT_ALL(signed char, char, cudaChannelFormatKindSigned)
__CT_ALL(unsigned char, uchar, cudaChannelFormatKindUnsigned)
__CT_ALL(short, short, cudaChannelFormatKindSigned)
__CT_ALL(unsigned short, ushort, cudaChannelFormatKindUnsigned)
__CT_ALL(int, int, cudaChannelFormatKindSigned)
__CT_ALL(unsigned int, uint, cudaChannelFormatKindUnsigned)
__CT_ALL(float, float, cudaChannelFormatKindFloat)
__CT_CHANNELS(char, 1, cudaChannelFormatKindSigned)
#undef __CT_ALL
#undef __CT_CHANNELS
