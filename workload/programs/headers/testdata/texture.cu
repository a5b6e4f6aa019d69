// Texture references and objects.
texture<float> line;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> image;
texture<int2, 1> pairs;
extern "C" __global__ void sample(float *out, cudaTextureObject_t object) {
  int i = threadIdx.x;
  out[4 * i] = tex1Dfetch(line, i);
  float4 v = tex2D(image, i + 0.5f, 1.5f);
  out[4 * i + 1] = v.x * 255 + v.w * 2550;
  int2 p = tex1Dfetch(pairs, i);
  out[4 * i + 2] = (float)__hiloint2double(p.y, p.x);
  float w;
  tex1Dfetch(&w, object, i);
  out[4 * i + 3] = w + tex1Dfetch<float>(object, i + 1);
}
extern "C" __global__ void twice(float *out) {
  __shared__ float s[32];
  int i = threadIdx.x;
  s[31 - i] = i;
  __syncthreads();
  float a = s[i];
  float v = tex1Dfetch(line, i);
  out[i] = v * a + s[i];
}
