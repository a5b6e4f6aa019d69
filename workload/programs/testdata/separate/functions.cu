// A file with functions alone.
#include "other.h"

__host__ __device__ int thrice(int v) { return 3 * v; }
