// Does to the simulator what the first argument says. misuse.cu does the same with device code.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_runtime_api.h"

static struct {
  uint16_t version, kind;
  uint32_t bytes;
  uint64_t argument[8];
} request = {5, 1, 0, {0}};

static int channel; // the socket
static void *p;

static void ask(int kind) {
  request.kind = (uint16_t)kind;
  write(channel, &request, sizeof request);
}

static int answered(void) {
  char reply[80];
  return recv(channel, reply, sizeof reply, MSG_WAITALL) == sizeof reply;
}

static int garbage(void) {
  char b[4000];
  memset(b, 0xa5, sizeof b);
  write(channel, b, sizeof b);
  return pause();
}

static int version(void) {
  request.version = 9;
  ask(1);
  return pause();
}

static int kind(void) {
  ask(999);
  return pause();
}

static int part(void) {
  write(channel, &request, 5);
  return 0;
}

static int cut(void) { // a payload that does not come
  request.bytes = 100;
  ask(2);
  return 0;
}

static int long_payload(void) {
  request.bytes = 0x7fffffff;
  ask(2);
  return pause();
}

static int numbers(void) { // every kind with extreme arguments
  for (int kind = 3; kind <= 27; kind++)
    for (int n = 0; n < 4; n++) {
      char reply[5000];
      uint64_t values[] = {0, 1, UINT64_MAX, 1ull << 40};
      for (int i = 0; i < 8; i++)
        request.argument[i] = values[(n + i * (n / 2)) % 4];
      if (kind == 19 && n == 2) // all streams
        continue;
      ask(kind);
      if (read(channel, reply, sizeof reply) < 80)
        return 3;
    }
  return 0;
}

static int deaf(void) { // asks and never reads an answer
  for (;;)
    ask(1);
}

static int closed(void) {
  close(channel);
  return pause();
}

static int half(void) { // hears, and says nothing any more
  shutdown(channel, SHUT_WR);
  return pause();
}

static int hang(void) {
  for (volatile int i = 0;; i++)
    ;
}

static int hang_later(void) {
  cudaMalloc(&p, 100);
  return hang();
}

static int asleep(void) { return pause(); }

static int stdin_read(void) {
  char b[10];
  return read(0, b, sizeof b) == 0 ? 0 : 3; // its end, at once
}

static int aborted(void) {
  cudaMalloc(&p, 100);
  fprintf(stderr, "about to abort\n");
  abort();
}

static int segv(void) {
  cudaMalloc(&p, 100);
  return *(volatile int *)p; // an address of the device
}

static int deep(volatile char *before) {
  volatile char frame[10000];
  frame[0] = before[0];
  return deep(frame) + frame[0];
}

static int overflow(void) {
  char c = 1;
  return deep(&c);
}

static int terminate(void) { // it does not hear SIGTERM, only SIGKILL can end it
  for (int s = 1; s < 32; s++)
    signal(s, SIG_IGN);
  cudaMalloc(&p, 100);
  return hang();
}

static void in_callback(void *unused) {
  (void)unused;
  exit(7);
}

static int callback(void) { return cudaLaunchHostFunc(0, in_callback, NULL); }

static void last_call(void) {
  if (cudaFree(p) != cudaSuccess)
    _exit(3);
  exit(6);
}

static int at_exit(void) {
  cudaMalloc(&p, 100);
  atexit(last_call);
  return 0;
}

static int forked(void) { // the child may not call, and stays behind
  cudaMalloc(&p, 100);
  if (fork() == 0) {
    if (cudaMalloc(&p, 100) != cudaErrorInitializationError)
      kill(getppid(), SIGKILL);
    close(1), close(2);
    return pause();
  }
  usleep(100000);
  return 0;
}

static int background(void) { // a process that keeps the socket and the memory open, in its own session
  cudaMalloc(&p, 100);
  if (fork() == 0) {
    setsid();
    if (fork() == 0)
      return pause();
    _exit(0);
  }
  wait(NULL);
  return 0;
}

static int bomb(void) { // children of children
  cudaMalloc(&p, 100);
  for (int i = 0; i < 5; i++)
    fork();
  return pause();
}

static int executed(void) {
  cudaMalloc(&p, 100);
  execl("/bin/sh", "sh", "-c", "exit 4", NULL);
  return 3;
}

static int parent(void) { // its own group, not the simulator's
  cudaMalloc(&p, 100);
  kill(0, SIGINT);
  return pause();
}

static void *calls(void *unused) {
  for (int i = 0; i < 200; i++) {
    void *q;
    if (cudaMalloc(&q, 1000) != cudaSuccess || cudaFree(q) != cudaSuccess)
      abort();
  }
  return unused;
}

static int threads(void) {
  pthread_t list[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&list[i], NULL, calls, NULL);
  for (int i = 0; i < 8; i++)
    pthread_join(list[i], NULL);
  size_t free, total;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && free == total ? 0 : 4;
}

static void *leaves(void *unused) {
  cudaMalloc(&p, 100);
  exit(5);
  return unused;
}

static int thread_exit(void) { // the process ends while its first thread computes
  pthread_t t;
  pthread_create(&t, NULL, leaves, NULL);
  return hang();
}

static int flood(void) {
  char line[1000];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 100000; i++)
    fwrite(line, 1, sizeof line, stdout);
  printf("\nthe end\n");
  fflush(stdout);
  return 5;
}

static int overrun(void) {
  if (cudaMalloc(&p, 1ull << 60) != cudaErrorMemoryAllocation)
    return 6;
  for (int i = 0; i < 100; i++) // all of memory, and more
    if (cudaMalloc(&p, 1ull << 30) != cudaSuccess)
      return i >= 15 && cudaGetLastError() == cudaErrorMemoryAllocation ? 0 : 7;
  return 8;
}

static int handles(void) { // a million events, asked for in bundles
  enum { BUNDLE = 500 };
  static char requests[BUNDLE * sizeof request], replies[BUNDLE * 80];
  request.kind = 18;
  for (int i = 0; i < BUNDLE; i++)
    memcpy(requests + i * sizeof request, &request, sizeof request);
  int refused = 0;
  for (int n = 0; n < 1000000 && !refused; n += BUNDLE) {
    write(channel, requests, sizeof requests);
    if (recv(channel, replies, sizeof replies, MSG_WAITALL) != sizeof replies)
      return 3;
    refused = *(int32_t *)(replies + sizeof replies - 80 + 8);
  }
  return refused == cudaErrorMemoryAllocation ? 0 : 4;
}

static int scribble(void) { // what the simulator has said, and device memory that it was not given
  int fd = atoi(getenv("COTENANT_MEMORY"));
  char *all = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  cudaMalloc(&p, 100);
  memset(all, 0xff, 1 << 20);
  return cudaFree(p) == cudaSuccess && cudaMalloc(&p, 5000) == cudaSuccess ? 0 : 3;
}

static int shrink(void) { // device memory away from under the simulator
  int fd = atoi(getenv("COTENANT_MEMORY"));
  cudaMalloc(&p, 1 << 20);
  return ftruncate(fd, 0) == 0 ? 3 : 0;
}

// The queue of requests behind device memory: a size, and requests.
static uint64_t *queue(void) {
  int fd = atoi(getenv("COTENANT_MEMORY"));
  return mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, lseek(fd, 0, SEEK_END) - (1 << 16));
}

static int queue_long(void) {
  queue()[0] = UINT64_MAX;
  return cudaMalloc(&p, 100);
}

static int queue_garbage(void) {
  uint64_t *q = queue();
  q[0] = 8000;
  memset(q + 1, 0xa5, 8000);
  return cudaMalloc(&p, 100);
}

static int queue_cut(void) { // half a request at its end
  uint64_t *q = queue();
  q[0] = sizeof request + 40;
  request.kind = 8;
  memcpy(q + 1, &request, sizeof request);
  memcpy(q + 10, &request, 40);
  return cudaMalloc(&p, 100);
}

static int queue_wrong(void) { // a launch of no kernel, and the end
  uint64_t *q = queue();
  q[0] = sizeof request;
  request.kind = 12;
  memcpy(q + 1, &request, sizeof request);
  return 0;
}

static int nothing(void) { return 0; }

static int moved(void) {
  return chdir("/") != 0 || cudaMalloc(&p, 100) != cudaSuccess;
}

static const struct {
  const char *name;
  int (*does)(void);
} kinds[] = {
    {"garbage", garbage},   {"version", version},   {"kind", kind},         {"part", part},
    {"cut", cut},           {"long", long_payload}, {"numbers", numbers},   {"deaf", deaf},
    {"close", closed},      {"half", half},         {"hang", hang},         {"hang-later", hang_later},
    {"sleep", asleep},      {"stdin", stdin_read},  {"abort", aborted},     {"segv", segv},
    {"overflow", overflow}, {"signals", terminate}, {"callback", callback}, {"at-exit", at_exit},
    {"fork", forked},       {"daemon", background}, {"bomb", bomb},         {"exec", executed},
    {"interrupt", parent},  {"threads", threads},   {"thread-exit", thread_exit},
    {"flood", flood},       {"overrun", overrun},   {"handles", handles},   {"scribble", scribble},
    {"shrink", shrink},     {"nothing", nothing},   {"chdir", moved},
    {"queue-long", queue_long},       {"queue-garbage", queue_garbage},
    {"queue-cut", queue_cut},         {"queue-wrong", queue_wrong},
};

int main(int argc, char **argv) {
  channel = atoi(getenv("COTENANT_SOCKET"));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
      return kinds[i].does();
  return 9;
}
