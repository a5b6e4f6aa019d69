// SHA-1 digests of a window that slides over data, as storage systems take them to
// find what they have already.
#include "cotenant.h"

enum {
  threads = 128, warp = 32, chunk_words = 13, // 52 bytes: with the padding, one block
  schedule_words = 16,                        // of the message, used over and over
  room = 4064                                 // words of shared memory, of which 31 are each thread's
};

INLINE unsigned rotated(unsigned x, int by) { return x << by | x >> (32 - by); }

// A word with its bytes the other way round.
INLINE unsigned big_endian(unsigned x) {
  return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

// The digest of each chunk of 52 bytes, which begin 4 bytes apart. A warp's threads
// have neighbouring words, so that none waits for another; volatile keeps the
// message in shared memory. Block 128.
extern "C" __global__ void sha1_overlap(const unsigned *__restrict__ data, unsigned *digests, int chunks) {
  __shared__ unsigned shared[room];
  int thread = threadIdx.x, chunk = blockIdx.x * threads + thread;
  if (chunk >= chunks) return;
  volatile unsigned *message = shared + thread / warp * (room / threads * warp) + thread % warp;

#pragma unroll
  for (int i = 0; i < chunk_words; i++) message[i * warp] = big_endian(data[chunk + i]);
  message[13 * warp] = 0x80000000;
  message[14 * warp] = 0;
  message[15 * warp] = chunk_words * 32; // bits

  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
#pragma unroll
  for (int round = 0; round < 80; round++) {
    volatile unsigned *word = message + round % schedule_words * warp;
    unsigned next;
    if (round < schedule_words) {
      next = *word;
    } else {
      next = rotated(message[(round - 3) % schedule_words * warp] ^ message[(round - 8) % schedule_words * warp] ^
                         message[(round - 14) % schedule_words * warp] ^ *word, 1);
      *word = next;
    }
    unsigned mixed;
    if (round < 20)
      mixed = (d ^ (b & (c ^ d))) + 0x5a827999;
    else if (round < 40)
      mixed = (b ^ c ^ d) + 0x6ed9eba1;
    else if (round < 60)
      mixed = ((b & c) | (d & (b | c))) + 0x8f1bbcdc;
    else
      mixed = (b ^ c ^ d) + 0xca62c1d6;
    mixed += rotated(a, 5) + e + next;
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = mixed;
  }
  unsigned *digest = digests + chunk * 5;
  digest[0] = big_endian(a + 0x67452301);
  digest[1] = big_endian(b + 0xefcdab89);
  digest[2] = big_endian(c + 0x98badcfe);
  digest[3] = big_endian(d + 0x10325476);
  digest[4] = big_endian(e + 0xc3d2e1f0);
}
