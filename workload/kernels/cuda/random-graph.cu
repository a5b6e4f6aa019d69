// A random graph whose edges are lists in memory that the kernel allocates.
#include "heap.h"

struct __attribute__((aligned(16))) Edge {
  Edge *next;
  unsigned target, source;
};

struct __attribute__((aligned(16))) Vertex {
  Edge *edges;
  unsigned degree, unused;
};

enum { most_edges = 8 };

// A step of a hash of 32 bits (xor, shift and multiply).
INLINE unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = (x ^ x >> 15) * 0x735a2d97u;
  return x ^ x >> 15;
}

// A number from 0 to below n: the next of a sequence, of 24 bits, which lies in memory.
INLINE unsigned below(unsigned n, unsigned *state) {
  unsigned random = mix(*state + 0x9e3779b9u);
  *state = random;
  return (random & 0xffffff) % n;
}

// A thread for each vertex, which gets from 1 to 8 edges to others at random, each of
// them before those that it has. Block 128.
extern "C" __global__ void build(Vertex *vertices, unsigned count, unsigned *states) {
  unsigned vertex = blockIdx.x * 128 + threadIdx.x;
  if (vertex >= count) return;
  unsigned degree = 1 + below(most_edges, &states[vertex]), linked = 0;
  Edge *edges = nullptr;
#pragma unroll 1
  while (linked < degree) {
    Edge *edge = (Edge *)allocate<sizeof(Edge)>();
    if (edge == nullptr) break;
    edge->next = edges;
    edge->target = below(count, &states[vertex]);
    edge->source = vertex;
    edges = edge;
    linked++;
  }
  vertices[vertex].edges = edges;
  vertices[vertex].degree = linked;
  vertices[vertex].unused = 0;
}
