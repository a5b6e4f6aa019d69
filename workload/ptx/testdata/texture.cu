// Textures, through texture references and as handles.
#include "cuda.h"
typedef float v4 __attribute__((vector_size(16)));
__global__ void blur(float *out, u64 image, int w) {
  int i = ID;
  float r, g, b, a;
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(image), "f"(i % w + 0.5f), "f"(i / w + 0.5f));
  out[i] = r + g * b - a;
}
