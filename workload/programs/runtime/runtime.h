// What the files of the runtime library share.
#ifndef COTENANT_RUNTIME_H
#define COTENANT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "protocol.h"

// cotenant_call sends a request with payload and waits for the reply. It returns the reply's error.
// Up to capacity bytes of the reply's payload go to out. Calls of several threads take turns.
cudaError_t cotenant_call(struct cotenant_request *request, const void *payload, size_t bytes,
                          struct cotenant_reply *reply, void *out, size_t capacity);

// cotenant_ask is cotenant_call without payloads.
cudaError_t cotenant_ask(struct cotenant_request *request, struct cotenant_reply *reply);

// cotenant_post queues a request that is known to succeed. Without room, or where the program must not run
// ahead of the simulator, it returns 0, and cotenant_call is to be used.
int cotenant_post(struct cotenant_request *request, const void *payload, size_t bytes);

// cotenant_epoch changes with whatever may let a launch fail that has succeeded before.
extern uint64_t cotenant_epoch;

// REQUEST makes a request of a kind with its arguments.
#define REQUEST(kind, ...) {COTENANT_VERSION, (kind), 0, {__VA_ARGS__}}

// cotenant_note keeps an error for cudaGetLastError and returns it.
cudaError_t cotenant_note(cudaError_t error);

// cotenant_unsupported names a call once on stderr and returns cudaErrorNotSupported.
cudaError_t cotenant_unsupported(const char *call);

// cotenant_memory is where the host sees an address of the device's memory; NULL if it is none, or if
// bytes from there are not all of that memory.
void *cotenant_memory(const void *device, size_t bytes);

// cotenant_allocate allocates memory of a kind of the protocol; the host has all but the device's at the same address.
cudaError_t cotenant_allocate(void **ptr, size_t bytes, size_t align, uint64_t kind);

// cotenant_find tells in which allocation an address lies.
cudaError_t cotenant_find(const void *ptr, struct cotenant_reply *found);

// cotenant_registered is the device's address of memory of the host that is registered and mapped, NULL of any other.
void *cotenant_registered(const void *host);
// cotenant_unregister_all gives the program pages of its own for all of it.
void cotenant_unregister_all(void);

// cotenant_map makes device memory appear in the host's address space at its own address.
cudaError_t cotenant_map(uint64_t address, size_t bytes);
// cotenant_show makes device memory appear in the place of the host's pages.
cudaError_t cotenant_show(void *host, uint64_t address, size_t bytes);
void cotenant_unmap(uint64_t address, size_t bytes);

// cotenant_symbol finds the device's variable that the host knows by an address; its module too.
cudaError_t cotenant_symbol(const void *host, uint64_t *address, uint64_t *bytes);

// cotenant_stream is the number of a stream.
uint64_t cotenant_stream(cudaStream_t stream);

// A kernel that the program has registered.
struct cotenant_kernel {
  const void *host;
  const char *name;
  int module; // index of the binary
  int known;  // what follows has been asked for
  struct cotenant_function is;
  uint32_t parameters[2 * 512]; // offset and size of each
  uint64_t dynamic_shared;      // what cudaFuncSetAttribute allows
  // The last launch that has been accepted, without its parameters, and when.
  struct cotenant_request accepted;
  uint64_t accepted_epoch;
};

// A variable, or a reference to a texture or surface, that the program has registered.
struct cotenant_variable {
  const void *host;
  const char *name;
  int module; // index of the binary
  // Of a managed variable its address on both sides, and its size.
  char *managed;
  uint64_t bytes;
};

// cotenant_variable is the variable of an index, NULL behind the last.
struct cotenant_variable *cotenant_variable(int index);

// cotenant_share_managed makes managed variables one memory for the host and the device.
void cotenant_share_managed(void);

// cotenant_kernel finds a kernel by its host stub and asks the simulator for its shape.
cudaError_t cotenant_kernel(const void *host, struct cotenant_kernel **kernel);

// cotenant_target is the architecture that a kernel of the program has been compiled for, such as 80. Libraries launch by it
// what they have compiled for it.
int cotenant_target(const struct cotenant_kernel *k);

// cotenant_fit is how many thread blocks of a number of threads and bytes of dynamic shared memory fit on an SM.
int cotenant_fit(const struct cotenant_kernel *k, int size, size_t shared);

// cotenant_block_size finds the size of thread blocks, up to a limit, of which most threads fit on an SM, and how many blocks
// fill the GPU. shared_of tells the dynamic shared memory of a size.
void cotenant_block_size(int *grid, int *size, const struct cotenant_kernel *k, size_t (*shared_of)(int, void *), void *of, int limit);

// cotenant_function asks for the shape of a kernel by the simulator's number of its module.
cudaError_t cotenant_function(uint64_t module, const char *name, struct cotenant_kernel *kernel);

// cotenant_launch puts a kernel into a stream. Its parameters are args, or the bytes of packed.
cudaError_t cotenant_launch(struct cotenant_kernel *kernel, dim3 grid, dim3 block, void **args, const void *packed,
                            size_t bytes, size_t shared, cudaStream_t stream, uint64_t flags);

// cotenant_pack copies the parameters of a launch to a block of the kernel's parameter_bytes.
void cotenant_pack(const struct cotenant_kernel *kernel, void **args, void *packed);

// cotenant_fill sets memory in a stream to elements of 1, 2 or 4 bytes, width to a row.
cudaError_t cotenant_fill(void *to, size_t pitch, unsigned int value, size_t element, size_t width, size_t height,
                          cudaStream_t stream);

// While a stream's commands are captured, cotenant_captured adds a node for one; else it returns NULL.
struct CUgraphNode_st *cotenant_captured(cudaStream_t stream, enum cudaGraphNodeType type);

// cotenant_capturing reports whether they are. An event's record and wait do nothing else then.
int cotenant_capturing(cudaStream_t stream);
int cotenant_capture_event(uint64_t event, cudaStream_t stream);
int cotenant_capture_wait(cudaStream_t stream, uint64_t event);

// cotenant_window makes a flag of launches that says which window of the L2 they have, 0 for none.
// cotenant_window_of is that of a stream. Windows are forgotten with their stream, and all with the device.
cudaError_t cotenant_window(const cudaAccessPolicyWindow *window, uint64_t *flag);
uint64_t cotenant_window_of(cudaStream_t stream);
void cotenant_forget_window(cudaStream_t stream);
void cotenant_forget_windows(void);

// COTENANT_LARGEST_WINDOW is accessPolicyMaxWindowSize of an A100 (forums.developer.nvidia.com, 275542).
#define COTENANT_LARGEST_WINDOW 134213632

// cotenant_set_aside sets aside bytes of the L2.
cudaError_t cotenant_set_aside(size_t bytes);

// cotenant_attribute sets an attribute of a kernel by its number in enum cudaFuncAttribute.
cudaError_t cotenant_attribute(struct cotenant_kernel *kernel, int attribute, int value);

// cotenant_modules sends the binaries that have been registered since the last call.
void cotenant_modules(void);

// cotenant_heap tells modules with kernels that allocate of their heap, before a launch; after a reset it
// is to be made again.
cudaError_t cotenant_heap(void);
void cotenant_forget_heap(void);

// cotenant_properties asks for the device once.
const struct cotenant_device *cotenant_properties(const char **name);

// cotenant_copy carries out a copy of height rows of width bytes.
cudaError_t cotenant_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                          enum cudaMemcpyKind kind, cudaStream_t stream, int async);

#endif
