// Puts processes into the background, which sleep for as long as the argument says, and launches a kernel for ever.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *out) { out[threadIdx.x]++; }

int main(int argc, char **argv) {
  int *out;
  OK(cudaMalloc(&out, 128));
  for (int session = 0; session < 2; session++) {
    if (fork() != 0)
      continue;
    if (session)
      setsid();
    if (fork() == 0)
      execl("/bin/sleep", "sleep", argv[1], NULL);
    if (!session && fork() == 0) // only its group tells of it
      execle("/bin/sleep", "sleep", argv[1], NULL, (char *[]){NULL});
    pause();
  }
  for (;;) {
    add<<<1, 32>>>(out);
    OK(cudaDeviceSynchronize());
  }
}
