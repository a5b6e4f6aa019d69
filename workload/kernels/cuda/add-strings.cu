// Concatenation of strings, all in memory that kernels allocate.
#include "heap.h"

enum { string_bytes = 32, string_words = string_bytes / 8, sum_bytes = 2 * string_bytes - 1 };

// A thread for each string of 31 characters, a letter of its own 31 times. Block 128.
extern "C" __global__ void alloc_strs(address_t **strings, int count, int first_letter) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= count) return;
  address_t *string = (address_t *)allocate<string_bytes>();
  strings[i] = string;
  if (string == nullptr) return;
  address_t letters = (first_letter + i % 26) * 0x0101010101010101;
#pragma unroll
  for (int at = 0; at < string_words - 1; at++) string[at] = letters;
  string[string_words - 1] = letters >> 8;
}

// The length of a string, by eight bytes at a time: a byte is 0 where taking 1 from
// it borrows.
INLINE unsigned length(const address_t *words) {
  for (unsigned at = 0; at < string_words; at++) {
    address_t word = words[at];
    address_t zeros = (word - 0x0101010101010101) & ~word & 0x8080808080808080;
    if (zeros != 0) return 8 * at + __builtin_ctzll(zeros) / 8;
  }
  return string_bytes;
}

// A thread for each pair of strings, of 31 characters at most: stores where their
// concatenation is. Block 128.
extern "C" __global__ void add_strs(const address_t *const *__restrict__ lefts, const address_t *const *__restrict__ rights,
                                    int pairs, address_t **sums) {
  int pair = blockIdx.x * 128 + threadIdx.x;
  if (pair >= pairs) return;
  const address_t *left = lefts[pair], *right = rights[pair];
  unsigned begin = length(left), end = begin + length(right);
  address_t *sum = (address_t *)allocate<sum_bytes>();
  sums[pair] = sum;
  if (sum == nullptr) return;
  // A word of the sum has bytes of the left string's word, if that is not behind its
  // end, and of two of the right one's, shifted to where the left one ends.
  unsigned shift = begin % 8 * 8, split = begin / 8;
  address_t carried = 0;
#pragma unroll 1
  for (unsigned at = 0; at <= end / 8; at++) {
    address_t word;
    if (at < split) {
      word = left[at];
    } else {
      unsigned from = at - split;
      address_t next = from < string_words ? right[from] : 0;
      word = carried | next << shift;
      carried = shift == 0 ? 0 : next >> (64 - shift);
      if (at == split && shift != 0) word |= left[at] & (((address_t)1 << shift) - 1);
    }
    sum[at] = word;
  }
}
