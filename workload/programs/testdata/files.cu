// Reads input.txt in its working folder and expects to find there what was there at first; then it changes all.
// With a second argument its calls depend on the time of day.
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include "check.h"

__global__ void set(int *out, int value) { out[threadIdx.x] = value; }

int main(int argc, char **argv) {
  char text[100] = "", folder[4096];
  struct timespec now;
  FILE *f = fopen("input.txt", "r");
  CHECK(f != NULL && fgets(text, sizeof text, f) != NULL);
  fclose(f);
  CHECK(strcmp(text, argc > 1 ? argv[1] : "first\n") == 0);
  CHECK(access("output.txt", F_OK) != 0 && access("below/inner.txt", F_OK) == 0);
  CHECK((f = fopen("output.txt", "w")) != NULL);
  CHECK(getcwd(folder, sizeof folder) != NULL);
  fprintf(f, "%s\n", folder);
  fclose(f);
  CHECK((f = fopen("input.txt", "w")) != NULL);
  fputs("second\n", f);
  fclose(f);
  CHECK(unlink("below/inner.txt") == 0 && rmdir("below") == 0);
  clock_gettime(CLOCK_REALTIME, &now);
  printf("it is %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec); // which changes nothing for the GPU
  int *out;
  OK(cudaMalloc(&out, 128));
  set<<<1, 32>>>(out, argc > 2 ? (int)now.tv_nsec : 1);
  OK(cudaDeviceSynchronize());
  return 0;
}
