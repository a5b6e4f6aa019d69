// The way to the simulator: a socket for requests and replies, and the device's memory.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// The simulator knows its programs by this section.
__attribute__((section(".cotenant"), used)) static const char mark[] = "cotenant runtime";

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int socket_fd = -1, memory_fd = -1;
// ours is 1, on a page that the kernel empties in every child (madvise(2), MADV_WIPEONFORK); without such a
// page owner tells a child. A launch does not ask the kernel for its process, as getpid would.
static volatile int *ours;
static pid_t owner;
static char *memory;
static uint64_t memory_base, memory_bytes;
static struct cotenant_queue *queue;
static uint64_t queue_room;
uint64_t cotenant_epoch = 1;

// stop ends the program because the simulator cannot be reached.
static void stop(const char *why) {
  fprintf(stderr, "cotenant: %s\n", why);
  exit(1);
}

static int descriptor(const char *name) {
  const char *text = getenv(name);
  if (text == NULL)
    stop("this CUDA program needs the simulator; run it by: cotenant exec PROGRAM ARGUMENTS");
  return atoi(text);
}

// put sends a request and its payload at once.
static void put(const struct cotenant_request *request, const void *payload) {
  struct iovec parts[] = {{(void *)request, sizeof *request}, {(void *)payload, request->bytes}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    ssize_t n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      stop("the simulator has gone");
    for (int i = 0; i < 2; i++) {
      size_t sent = (size_t)n < parts[i].iov_len ? (size_t)n : parts[i].iov_len;
      parts[i].iov_base = (char *)parts[i].iov_base + sent;
      parts[i].iov_len -= sent;
      n -= (ssize_t)sent;
    }
  }
}

static void get(void *data, size_t bytes) {
  for (char *p = data; bytes > 0;) {
    ssize_t n = recv(socket_fd, p, bytes, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      stop("the simulator has gone");
    p += n;
    bytes -= n;
  }
}

// exchange is cotenant_call without the lock and the connection.
static cudaError_t exchange(struct cotenant_request *request, const void *payload, size_t bytes,
                            struct cotenant_reply *reply, void *out, size_t capacity) {
  request->bytes = (uint32_t)bytes;
  put(request, payload);
  get(reply, sizeof *reply);
  if (reply->version != COTENANT_VERSION || reply->kind != request->kind)
    stop("the simulator speaks another version of the protocol; compile the program again with this cotenant");
  size_t fits = reply->bytes < capacity ? reply->bytes : capacity;
  get(out, fits);
  for (size_t rest = reply->bytes - fits; rest > 0;) {
    char unused[256];
    size_t n = rest < sizeof unused ? rest : sizeof unused;
    get(unused, n);
    rest -= n;
  }
  return (cudaError_t)reply->error;
}

// own takes the connection for this process.
static void own(void) {
  owner = getpid();
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  int *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return;
  if (madvise(at, page, MADV_WIPEONFORK) != 0) {
    munmap(at, page);
    return;
  }
  *at = 1;
  ours = at;
}

// is_owner reports whether the connection is this process', and not its parent's.
static int is_owner(void) { return ours != NULL ? *ours : owner == getpid(); }

// connect_once opens the connection at the program's first call.
static void connect_once(void) {
  if (socket_fd >= 0)
    return;
  socket_fd = descriptor(COTENANT_SOCKET);
  memory_fd = descriptor(COTENANT_MEMORY);
  own();
  fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
  fcntl(memory_fd, F_SETFD, FD_CLOEXEC);
  struct cotenant_request hello = REQUEST(COTENANT_HELLO, 0);
  struct cotenant_reply reply;
  if (exchange(&hello, NULL, 0, &reply, NULL, 0) != cudaSuccess)
    stop("the simulator refuses the program");
  memory_base = reply.value[0];
  memory_bytes = reply.value[1];
  memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_fd, 0);
  if (memory == MAP_FAILED)
    stop("the device's memory cannot be mapped");
  if (reply.value[2] == 0)
    return;
  queue = mmap(NULL, reply.value[2], PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, (off_t)memory_bytes);
  if (queue == MAP_FAILED)
    stop("the queue of requests cannot be mapped");
  queue_room = reply.value[2] - sizeof *queue;
}

// note_kind looks at a request before it is sent: host memory that kernels reach, too, shows how far they
// are, so that the program must not run ahead of them any more; other kinds may take away what launches need.
static void note_kind(const struct cotenant_request *request) {
  switch (request->kind) {
  case COTENANT_ALLOCATE:
    if (request->argument[2] == COTENANT_DEVICE_MEMORY)
      break;
    __attribute__((fallthrough));
  case COTENANT_SHARE:
    queue_room = 0;
    break;
  case COTENANT_STREAM_DESTROY:
  case COTENANT_RESET:
    cotenant_epoch++;
    break;
  }
}

cudaError_t cotenant_call(struct cotenant_request *request, const void *payload, size_t bytes,
                          struct cotenant_reply *reply, void *out, size_t capacity) {
  struct cotenant_reply unused;
  if (owner != 0 && !is_owner())
    return cotenant_note(cudaErrorInitializationError);
  pthread_mutex_lock(&turn);
  connect_once();
  note_kind(request);
  cudaError_t error = exchange(request, payload, bytes, reply != NULL ? reply : &unused, out, capacity);
  pthread_mutex_unlock(&turn);
  return cotenant_note(error);
}

int cotenant_post(struct cotenant_request *request, const void *payload, size_t bytes) {
  size_t size = sizeof *request + (bytes + 7) / 8 * 8;
  pthread_mutex_lock(&turn);
  int fits = owner != 0 && is_owner() && size <= queue_room && queue->bytes <= queue_room - size;
  if (fits) {
    request->bytes = (uint32_t)bytes;
    memcpy(queue->requests + queue->bytes, request, sizeof *request);
    memcpy(queue->requests + queue->bytes + sizeof *request, payload, bytes);
    queue->bytes += size;
  }
  pthread_mutex_unlock(&turn);
  return fits;
}

cudaError_t cotenant_ask(struct cotenant_request *request, struct cotenant_reply *reply) {
  return cotenant_call(request, NULL, 0, reply, NULL, 0);
}

void *cotenant_memory(const void *device, size_t bytes) {
  uint64_t at = (uint64_t)device - memory_base;
  if (memory == NULL || at > memory_bytes || bytes > memory_bytes - at)
    return NULL;
  return memory + at;
}

cudaError_t cotenant_map(uint64_t address, size_t bytes) {
  void *at = mmap((void *)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                  memory_fd, (off_t)(address - memory_base));
  if (at == (void *)address)
    return cudaSuccess;
  if (at != MAP_FAILED)
    munmap(at, bytes);
  return cotenant_note(cudaErrorMemoryAllocation);
}

cudaError_t cotenant_show(void *host, uint64_t address, size_t bytes) {
  if (((uintptr_t)host | (address - memory_base)) & 4095)
    return cudaErrorInvalidValue;
  void *at = mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, memory_fd,
                  (off_t)(address - memory_base));
  return at == host ? cudaSuccess : cudaErrorMemoryAllocation;
}

void cotenant_unmap(uint64_t address, size_t bytes) { munmap((void *)address, bytes); }
