// What the test programs share: CHECK ends the program with 1 if a call fails or a condition does not hold.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s does not hold; last error: %s\n", __FILE__, __LINE__, #condition,                     \
              cudaGetErrorName(cudaPeekAtLastError()));                                                                \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
#define OK(call) CHECK((call) == cudaSuccess)
