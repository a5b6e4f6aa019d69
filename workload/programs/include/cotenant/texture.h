// Texture references and objects (programming guide: texture functions). A reference is a variable
// of type texture; the compiler makes a .texref of it, and its address is the handle that an
// instruction takes.
#pragma once

#include "cuda_runtime_api.h"
#include "define.h"
#include "driver_types.h"
#include "texture_types.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemap 0x0C

template <class T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  __host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                   cudaTextureAddressMode address = cudaAddressModeClamp);
  __host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                   cudaChannelFormatDesc desc);
};

namespace __ct {
typedef cudaTextureObject_t handle;

template <class T> struct texel;
// word is the type that the texture unit returns; kind and bits describe a channel.
#define __CT_TEXEL(type, word_type, channels, letter, bits_each, ...)                              \
  template <> struct texel<type> {                                                                 \
    typedef word_type word;                                                                        \
    static const int count = channels, bits = bits_each;                                           \
    static const cudaChannelFormatKind kind = cudaChannelFormatKind##letter;                       \
    static __device__ type of(const word *c) {                                                     \
      type v = __VA_ARGS__;                                                                        \
      return v;                                                                                    \
    }                                                                                              \
  };
#define __CT_TEXELS(scalar, name, element, word, letter, bits)                                     \
  __CT_TEXEL(scalar, word, 1, letter, bits, (scalar)c[0])                                          \
  __CT_TEXEL(name##1, word, 1, letter, bits, {(element)c[0]})                                      \
  __CT_TEXEL(name##2, word, 2, letter, bits, {(element)c[0], (element)c[1]})                       \
  __CT_TEXEL(name##4, word, 4, letter, bits, {(element)c[0], (element)c[1], (element)c[2], (element)c[3]})
__CT_TEXELS(signed char, char, signed char, int, Signed, 8)
__CT_TEXELS(unsigned char, uchar, unsigned char, unsigned, Unsigned, 8)
__CT_TEXELS(short, short, short, int, Signed, 16)
__CT_TEXELS(unsigned short, ushort, unsigned short, unsigned, Unsigned, 16)
__CT_TEXELS(int, int, int, int, Signed, 32)
__CT_TEXELS(unsigned, uint, unsigned, unsigned, Unsigned, 32)
__CT_TEXELS(float, float, float, float, Float, 32)
__CT_TEXEL(char, int, 1, Signed, 8, (char)c[0])
#undef __CT_TEXELS
#undef __CT_TEXEL

// What a fetch returns: the element, or with normalised reading floats in its place.
template <class T, cudaTextureReadMode mode> struct fetched { typedef T type; };
template <int count> struct floats;
template <> struct floats<1> { typedef float type; };
template <> struct floats<2> { typedef float2 type; };
template <> struct floats<4> { typedef float4 type; };
template <class T> struct fetched<T, cudaReadModeNormalizedFloat> {
  typedef typename floats<texel<T>::count>::type type;
};

#define __CT_FETCH(word, type, letter)                                                             \
  static __inline__ __device__ void fetch_at(word *c, handle h, int x) {                           \
    __asm__("tex.1d.v4." type ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                 \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]) : "l"(h), "r"(x));   \
  }                                                                                                \
  static __inline__ __device__ void fetch(word *c, handle h, float x) {                            \
    __asm__("tex.1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                                 \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]) : "l"(h), "f"(x));   \
  }                                                                                                \
  static __inline__ __device__ void fetch(word *c, handle h, float x, float y) {                   \
    __asm__("tex.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                             \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]) : "l"(h), "f"(x), "f"(y)); \
  }                                                                                                \
  static __inline__ __device__ void fetch(word *c, handle h, float x, float y, float z) {          \
    __asm__("tex.3d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                     \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "f"(x), "f"(y), "f"(z));                                            \
  }                                                                                                \
  static __inline__ __device__ void fetch_layer(word *c, handle h, float x, int layer) {           \
    __asm__("tex.a1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                            \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]) : "l"(h), "r"(layer), "f"(x)); \
  }                                                                                                \
  static __inline__ __device__ void fetch_layer(word *c, handle h, float x, float y, int layer) {  \
    __asm__("tex.a2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                    \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "r"(layer), "f"(x), "f"(y));                                        \
  }                                                                                                \
  static __inline__ __device__ void fetch_face(word *c, handle h, float x, float y, float z) {     \
    __asm__("tex.cube.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                   \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "f"(x), "f"(y), "f"(z));                                            \
  }                                                                                                \
  static __inline__ __device__ void fetch_level(word *c, handle h, float x, float level) {         \
    __asm__("tex.level.1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6;"                       \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3]) : "l"(h), "f"(x), "f"(level)); \
  }                                                                                                \
  static __inline__ __device__ void fetch_level(word *c, handle h, float x, float y, float level) { \
    __asm__("tex.level.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"                   \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "f"(x), "f"(y), "f"(level));                                        \
  }                                                                                                \
  static __inline__ __device__ void fetch_level(word *c, handle h, float x, float y, float z, float level) { \
    __asm__("tex.level.3d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;"           \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "f"(x), "f"(y), "f"(z), "f"(level));                                \
  }                                                                                                \
  static __inline__ __device__ void fetch_slope(word *c, handle h, float x, float y, float2 dx, float2 dy) { \
    __asm__("tex.grad.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};" \
                     : letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])                      \
                     : "l"(h), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y));        \
  }
__CT_FETCH(float, "f32", "=f")
__CT_FETCH(int, "s32", "=r")
__CT_FETCH(unsigned, "u32", "=r")
#undef __CT_FETCH

// On the device a reference is its handle.
template <class T> __CT_FN handle handle_of(T reference) { return *(handle *)&reference; }
} // namespace __ct

// Each function by reference, by object, and by object with a place for the result.
#define __CT_TEXTURE(name, get, dimensions, parameters, arguments)                               \
  template <class T, cudaTextureReadMode mode>                                                     \
  __CT_FN typename __ct::fetched<T, mode>::type name(texture<T, dimensions, mode> reference,       \
                                                     __CT_UNPACK parameters) {                     \
    typedef typename __ct::fetched<T, mode>::type R;                                               \
    typename __ct::texel<R>::word c[4];                                                            \
    __ct::get(c, __ct::handle_of(reference), __CT_UNPACK arguments);                             \
    return __ct::texel<R>::of(c);                                                                  \
  }                                                                                                \
  template <class T> __CT_FN T name(cudaTextureObject_t object, __CT_UNPACK parameters) {          \
    typename __ct::texel<T>::word c[4];                                                            \
    __ct::get(c, object, __CT_UNPACK arguments);                                                 \
    return __ct::texel<T>::of(c);                                                                  \
  }                                                                                                \
  template <class T> __CT_FN void name(T *to, cudaTextureObject_t object, __CT_UNPACK parameters) { \
    *to = name<T>(object, __CT_UNPACK arguments);                                                  \
  }
#define __CT_UNPACK(...) __VA_ARGS__
__CT_TEXTURE(tex1Dfetch, fetch_at, cudaTextureType1D, (int x), (x))
__CT_TEXTURE(tex1D, fetch, cudaTextureType1D, (float x), (x))
__CT_TEXTURE(tex2D, fetch, cudaTextureType2D, (float x, float y), (x, y))
__CT_TEXTURE(tex3D, fetch, cudaTextureType3D, (float x, float y, float z), (x, y, z))
__CT_TEXTURE(tex1DLayered, fetch_layer, cudaTextureType1DLayered, (float x, int layer), (x, layer))
__CT_TEXTURE(tex2DLayered, fetch_layer, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
// Textures have a single level here, so the level and the slopes choose nothing.
__CT_TEXTURE(tex1DLod, fetch_level, cudaTextureType1D, (float x, float level), (x, level))
__CT_TEXTURE(tex2DLod, fetch_level, cudaTextureType2D, (float x, float y, float level), (x, y, level))
__CT_TEXTURE(tex3DLod, fetch_level, cudaTextureType3D, (float x, float y, float z, float level), (x, y, z, level))
__CT_TEXTURE(tex2DGrad, fetch_slope, cudaTextureType2D, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
__CT_TEXTURE(texCubemap, fetch_face, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
#undef __CT_TEXTURE
#undef __CT_UNPACK

// The host's side: channels of a type, and binding of references.
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef __ct::texel<T> t;
  const int bits = t::bits, count = t::count;
  cudaChannelFormatDesc d = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, t::kind};
  return d;
}

template <class T, int dimensions, cudaTextureReadMode mode>
__host__ texture<T, dimensions, mode>::texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                                               cudaChannelFormatDesc desc)
    : textureReference() {
  normalized = norm;
  filterMode = filter;
  addressMode[0] = addressMode[1] = addressMode[2] = address;
  channelDesc = desc;
}
template <class T, int dimensions, cudaTextureReadMode mode>
__host__ texture<T, dimensions, mode>::texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address)
    : texture(norm, filter, address, cudaCreateChannelDesc<T>()) {}

template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p,
                                          const cudaChannelFormatDesc &desc, size_t size = 0xffffffffu) {
  return cudaBindTexture(offset, (const textureReference *)&t, p, &desc, size);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p,
                                          size_t size = 0xffffffffu) {
  return cudaBindTexture(offset, t, p, t.channelDesc, size);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p,
                                            const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                            size_t pitch) {
  return cudaBindTexture2D(offset, (const textureReference *)&t, p, &desc, width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p, size_t width,
                                            size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array) {
  return cudaBindTextureToArray(t, array, t.channelDesc);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaUnbindTexture(const texture<T, d, m> &t) {
  return cudaUnbindTexture((const textureReference *)&t);
}
