// Does to the simulator what the first argument says.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>

#include "cuda_runtime_api.h"

struct {
  uint16_t version, kind;
  uint32_t bytes;
  uint64_t argument[8];
} request = {1, 1, 0, {0}};

static void *calls(void *unused) {
  for (int i = 0; i < 200; i++) {
    void *p;
    if (cudaMalloc(&p, 1000) != cudaSuccess || cudaFree(p) != cudaSuccess)
      abort();
  }
  return unused;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int socket = atoi(getenv("COTENANT_SOCKET"));
  void *p;
  if (strcmp(what, "garbage") == 0) {
    char b[4000];
    memset(b, 0xa5, sizeof b);
    write(socket, b, sizeof b);
    pause();
  } else if (strcmp(what, "part") == 0) {
    write(socket, &request, 5);
    return 0;
  } else if (strcmp(what, "long") == 0) {
    request.kind = 2;
    request.bytes = 0x7fffffff;
    write(socket, &request, sizeof request);
    pause();
  } else if (strcmp(what, "numbers") == 0) { // every kind with extreme arguments
    for (int kind = 3; kind <= 27; kind++)
      for (int n = 0; n < 4; n++) {
        char reply[5000];
        uint64_t values[] = {0, 1, UINT64_MAX, 1ull << 40};
        request.kind = kind;
        for (int i = 0; i < 8; i++)
          request.argument[i] = values[(n + i * (n / 2)) % 4];
        if (kind == 19 && n == 2) // all streams
          continue;
        write(socket, &request, sizeof request);
        if (read(socket, reply, sizeof reply) < 80)
          return 3;
      }
  } else if (strcmp(what, "hang") == 0) {
    for (volatile int i = 0;; i++)
      ;
  } else if (strcmp(what, "sleep") == 0) {
    pause();
  } else if (strcmp(what, "abort") == 0) {
    cudaMalloc(&p, 100);
    fprintf(stderr, "about to abort\n");
    abort();
  } else if (strcmp(what, "fork") == 0) { // the child may not call, and stays behind
    cudaMalloc(&p, 100);
    if (fork() == 0) {
      if (cudaMalloc(&p, 100) != cudaErrorInitializationError)
        kill(getppid(), SIGKILL);
      close(1), close(2);
      pause();
    }
    usleep(100000);
  } else if (strcmp(what, "threads") == 0) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
      pthread_create(&threads[i], NULL, calls, NULL);
    for (int i = 0; i < 8; i++)
      pthread_join(threads[i], NULL);
    size_t free, total;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess || free != total)
      return 4;
  } else if (strcmp(what, "close") == 0) {
    close(socket);
    pause();
  } else if (strcmp(what, "flood") == 0) {
    char line[1000];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 100000; i++)
      fwrite(line, 1, sizeof line, stdout);
    printf("\nthe end\n");
    fflush(stdout);
    return 5;
  } else if (strcmp(what, "overrun") == 0) {
    if (cudaMalloc(&p, 1ull << 60) != cudaErrorMemoryAllocation)
      return 6;
    for (int i = 0; i < 100; i++) // all of memory, and more
      if (cudaMalloc(&p, 1ull << 30) != cudaSuccess)
        return i >= 15 && cudaGetLastError() == cudaErrorMemoryAllocation ? 0 : 7;
    return 8;
  }
  return 0;
}
