// Registration. clang puts calls of these functions into constructors, which run before main, and
// passes what it knows of each file: the device's code, kernels, variables and textures. Nothing is
// sent to the simulator before the program's first call.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

// Several threads may make their first calls at once: one of them loads, and it may come back here on its way.
static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

// What clang embeds for a file: magic, version, the device's code, and a pointer that it fills.
struct binary_wrapper {
  int magic, version;
  const void *data;
  void *file;
};

// What cotenant cc puts around the PTX.
struct embedded {
  char magic[8];
  uint64_t bytes;
  char text[];
};

static const char magic[8] = "COTNPTX1";

struct module {
  const struct embedded *code;
  uint64_t number; // the simulator's
};

static struct module *modules;
static int module_count, modules_sent;
static struct cotenant_kernel **kernels;
static int kernel_count;
static struct cotenant_variable *variables;
static int variable_count;

// grown makes room for one more element; it doubles at powers of two.
static void *grown(void *list, int count, size_t size) {
  if ((count & (count - 1)) != 0)
    return list;
  list = realloc(list, size * (count == 0 ? 1 : 2 * (size_t)count));
  if (list == NULL)
    abort();
  return list;
}

// __cudaRegisterFatBinary takes the device's code of one file and returns a handle for it.
void **__cudaRegisterFatBinary(void *wrapper) {
  const struct embedded *code = ((struct binary_wrapper *)wrapper)->data;
  if (memcmp(code->magic, magic, sizeof magic) != 0) {
    fprintf(stderr, "cotenant: the program holds device code of another compiler; compile it with: cotenant cc\n");
    exit(1);
  }
  modules = grown(modules, module_count, sizeof *modules);
  modules[module_count].code = code;
  int *handle = malloc(sizeof *handle);
  *handle = module_count++;
  return (void **)handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle) { free(handle); }

// __cudaRegisterFunction says which kernel a host stub stands for.
void __cudaRegisterFunction(void **handle, const char *host, char *stub, const char *name, int limit, void *thread,
                            void *block, void *block_dim, void *grid_dim, int *warp_size) {
  (void)stub, (void)limit, (void)thread, (void)block, (void)block_dim, (void)grid_dim, (void)warp_size;
  kernels = grown(kernels, kernel_count, sizeof *kernels);
  struct cotenant_kernel *k = calloc(1, sizeof *k);
  k->host = host;
  k->name = name;
  k->module = *(int *)handle;
  kernels[kernel_count++] = k;
}

// __cudaRegisterVar says which variable of the device the host's variable stands for.
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size,
                       int constant, int global) {
  (void)address, (void)external, (void)size, (void)constant, (void)global;
  variables = grown(variables, variable_count, sizeof *variables);
  struct cotenant_variable v = {host, name, *(int *)handle, NULL, 0};
  variables[variable_count++] = v;
}

// __cudaRegisterTexture and __cudaRegisterSurface tell of references.
void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name, int dimensions,
                           int normalized, int external) {
  (void)address, (void)dimensions, (void)normalized, (void)external;
  __cudaRegisterVar(handle, (char *)host, NULL, name, 0, 0, 0, 0);
}

void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name, int dimensions,
                           int external) {
  __cudaRegisterTexture(handle, host, address, name, dimensions, 0, external);
}

// The runtime library is the last that the program is linked with, so all files have been registered. The
// compiler must not take it for the first constructor, which would find nothing.
__attribute__((constructor)) static void share_managed(void) {
  __asm__ volatile("" : : : "memory");
  cotenant_share_managed();
}

// The heap of kernels that allocate: modules from this one on have not been told of it.
static int heap_told;
static uint64_t heap, heap_bytes;

void cotenant_forget_heap(void) {
  heap_told = 0;
  heap = 0;
}

// tell_heap tells the modules that have not heard of it.
static cudaError_t tell_heap(void) {
  static const char name[] = "_ZL9__ct_heap"; // in cotenant/heap.h
  for (; heap_told < modules_sent; __atomic_store_n(&heap_told, heap_told + 1, __ATOMIC_RELEASE)) {
    struct module *m = &modules[heap_told];
    if (strstr(m->code->text, name) == NULL)
      continue;
    cudaError_t error = cudaSuccess;
    if (heap == 0) {
      size_t limit;
      void *p;
      cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
      if ((error = cudaMalloc(&p, limit < 4096 ? 4096 : limit)) != cudaSuccess)
        return error;
      heap = (uint64_t)p;
      heap_bytes = limit < 4096 ? 4096 : limit;
      uint64_t used = 512; // the lists
      error = cudaMemcpy(p, &used, sizeof used, cudaMemcpyHostToDevice);
    }
    struct cotenant_request request = REQUEST(COTENANT_SYMBOL, m->number);
    struct cotenant_reply reply;
    uint64_t area[] = {heap, heap_bytes};
    if (error == cudaSuccess)
      error = cotenant_call(&request, name, sizeof name - 1, &reply, NULL, 0);
    if (error == cudaSuccess)
      error = cudaMemcpy((void *)reply.value[0], area, sizeof area, cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

cudaError_t cotenant_heap(void) {
  if (__atomic_load_n(&heap_told, __ATOMIC_ACQUIRE) == modules_sent)
    return cudaSuccess;
  pthread_mutex_lock(&loading);
  cudaError_t error = tell_heap();
  pthread_mutex_unlock(&loading);
  return error;
}

void cotenant_modules(void) {
  if (__atomic_load_n(&modules_sent, __ATOMIC_ACQUIRE) == module_count)
    return;
  pthread_mutex_lock(&loading);
  while (modules_sent < module_count) {
    struct module *m = &modules[modules_sent];
    struct cotenant_request request = REQUEST(COTENANT_MODULE, 0);
    struct cotenant_reply reply;
    if (cotenant_call(&request, m->code->text, m->code->bytes, &reply, NULL, 0) != cudaSuccess)
      exit(1); // the simulator has said why
    m->number = reply.value[0];
    __atomic_store_n(&modules_sent, modules_sent + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&loading);
}

cudaError_t cotenant_function(uint64_t module, const char *name, struct cotenant_kernel *k) {
  struct {
    struct cotenant_function is;
    uint32_t parameters[2 * 512];
  } answer;
  memset(&answer, 0, sizeof answer);
  struct cotenant_request request = REQUEST(COTENANT_FUNCTION, module);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_call(&request, name, strlen(name), &reply, &answer, sizeof answer);
  if (error != cudaSuccess)
    return error;
  k->is = answer.is;
  memcpy(k->parameters, answer.parameters, sizeof k->parameters);
  __atomic_store_n(&k->known, 1, __ATOMIC_RELEASE);
  return cudaSuccess;
}

cudaError_t cotenant_kernel(const void *host, struct cotenant_kernel **kernel) {
  cotenant_modules();
  for (int i = 0; i < kernel_count; i++) {
    struct cotenant_kernel *k = kernels[i];
    if (k->host != host)
      continue;
    *kernel = k;
    if (__atomic_load_n(&k->known, __ATOMIC_ACQUIRE))
      return cudaSuccess;
    pthread_mutex_lock(&loading);
    cudaError_t error = k->known ? cudaSuccess : cotenant_function(modules[k->module].number, k->name, k);
    pthread_mutex_unlock(&loading);
    return error;
  }
  return cotenant_note(cudaErrorInvalidDeviceFunction);
}

int cotenant_target(const struct cotenant_kernel *k) {
  static const char target[] = ".target sm_";
  const char *at = strstr(modules[k->module].code->text, target);
  return at == NULL ? 0 : atoi(at + sizeof target - 1);
}

struct cotenant_variable *cotenant_variable(int i) { return i < variable_count ? &variables[i] : NULL; }

// named asks for what a host's variable stands for.
static struct cotenant_variable *named(const void *host) {
  cotenant_modules();
  for (int i = 0; i < variable_count; i++)
    if (variables[i].host == host || (variables[i].managed != NULL && variables[i].managed == host))
      return &variables[i];
  return NULL;
}

cudaError_t cotenant_symbol(const void *host, uint64_t *address, uint64_t *bytes) {
  struct cotenant_variable *v = named(host);
  if (v == NULL)
    return cotenant_note(cudaErrorInvalidSymbol);
  struct cotenant_request request = REQUEST(COTENANT_SYMBOL, modules[v->module].number);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_call(&request, v->name, strlen(v->name), &reply, NULL, 0);
  *address = reply.value[0];
  *bytes = reply.value[1];
  return error;
}

const char *cotenant_reference(const void *host, uint64_t *module) {
  struct cotenant_variable *v = named(host);
  if (v == NULL)
    return NULL;
  *module = modules[v->module].number;
  return v->name;
}
