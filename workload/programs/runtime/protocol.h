// The messages between a program and the simulator. message.go has the same numbers; a test compares
// them. A request and its reply are a head of fixed size and, behind it, a payload of head.bytes.
// All numbers are little-endian. The version changes with any of them.
#ifndef COTENANT_PROTOCOL_H
#define COTENANT_PROTOCOL_H

#include <stdint.h>

#define COTENANT_VERSION 5

// Environment variables by which the simulator hands over the socket and the device's memory.
#define COTENANT_SOCKET "COTENANT_SOCKET"
#define COTENANT_MEMORY "COTENANT_MEMORY"

// COTENANT_LIFE is the reading end of a pipe that ends with the simulator, and COTENANT_RUN what all processes
// of the program carry. A process that the program leaves behind watches the pipe (cotenant_watch).
#define COTENANT_LIFE "COTENANT_LIFE"
#define COTENANT_RUN "COTENANT_RUN"
void cotenant_watch(void);

// If the simulator sets COTENANT_FOLDER, to a number of bytes, the program covers its working folder by one of
// its own with room for as many, before anything else. It sends COTENANT_FOLDER_ANSWER, and in its lowest byte
// why it could not (errno).
#define COTENANT_FOLDER "COTENANT_FOLDER"
#define COTENANT_FOLDER_ANSWER 0x464c4400u

// Requests. Comments list the arguments, then the values of the reply.
enum {
  COTENANT_HELLO = 1,     // ; first address, bytes of the memory, bytes of the queue
  COTENANT_MODULE,        // [PTX]; number of the module
  COTENANT_FUNCTION,      // module [name]; see cotenant_function
  COTENANT_SYMBOL,        // module [name]; address, bytes
  COTENANT_DEVICE,        // [name of the device]; see cotenant_device
  COTENANT_ALLOCATE,      // bytes, alignment, kind of memory; address
  COTENANT_FREE,          // address, kind of memory;
  COTENANT_MEMORY_INFO,   // ; free, total
  COTENANT_FIND,          // address; start, bytes, kind of memory
  COTENANT_COPY,          // to, pitch, from, pitch, width, height, stream, flags;
  COTENANT_FILL,          // address, pitch, value, width, height, stream, bytes of the value;
  COTENANT_LAUNCH,        // function, grid x y z, block x | y<<16 | z<<32, shared, stream, flags [parameters];
  COTENANT_STREAM_CREATE, // flags, priority; stream
  COTENANT_STREAM_DESTROY,
  COTENANT_STREAM_SYNCHRONIZE, // stream, or COTENANT_ALL_STREAMS
  COTENANT_STREAM_QUERY,
  COTENANT_STREAM_WAIT,  // stream, event
  COTENANT_EVENT_CREATE, // ; event
  COTENANT_EVENT_DESTROY,
  COTENANT_EVENT_RECORD, // event, stream
  COTENANT_EVENT_SYNCHRONIZE,
  COTENANT_EVENT_QUERY,
  COTENANT_EVENT_ELAPSED,  // start, end; nanoseconds
  COTENANT_TEXTURE_CREATE, // see cotenant_texture; handle
  COTENANT_TEXTURE_DESTROY,
  COTENANT_TEXTURE_BIND, // see cotenant_texture [name of the reference];
  COTENANT_RESET,
  COTENANT_SHARE, // address, bytes: a variable that the host reaches by itself;
  COTENANT_STREAM_PRIORITY, // stream; priority
  COTENANT_WINDOW,          // address, bytes, share as a float, properties of hits and, from bit 8 on, of misses; number
  COTENANT_SET_ASIDE,       // bytes of the L2;
  COTENANT_RELEASE          // the lines that the L2 keeps;
};

// Kinds of memory.
enum { COTENANT_DEVICE_MEMORY = 1, COTENANT_HOST_MEMORY, COTENANT_MANAGED_MEMORY };

// Flags of a copy: the side of the bus on which its ends lie, and whether the simulator moves the
// bytes when the copy's turn in its stream has come. Otherwise the caller moves them after the reply.
enum { COTENANT_FROM_HOST = 1, COTENANT_TO_HOST = 2, COTENANT_MOVES = 4, COTENANT_WAITS = 8 };

// Flags of a launch: all thread blocks must be resident at once; it waits for another command of its graph. From bit 2
// on the number of its window, of 14 bits, 0 for none. From bit 16 on the size of its clusters, 16 bits along each side,
// 0 for what the kernel says.
enum { COTENANT_COOPERATIVE = 1, COTENANT_IN_GRAPH = 2, COTENANT_OF_WINDOW = 2, COTENANT_CLUSTER = 16 };

#define COTENANT_ALL_STREAMS UINT64_MAX

// COTENANT_WINDOWS is the largest number of a window.
#define COTENANT_WINDOWS 0x3fff

struct cotenant_request {
  uint16_t version, kind;
  uint32_t bytes;
  uint64_t argument[8];
};

// The queue lies behind the device's memory in the same file, if it has any bytes. The program appends
// requests that cannot fail, each with its payload and padded to 8 bytes, and goes on: they get no reply. The
// simulator carries them out before the next request of the socket, or when the program ends, and empties
// the queue.
struct cotenant_queue {
  uint64_t bytes; // of requests
  char requests[];
};

struct cotenant_reply {
  uint16_t version, kind;
  uint32_t bytes;
  int32_t error; // a cudaError_t
  uint32_t unused;
  uint64_t value[8];
};

// The reply's payload for a function: the offsets and sizes of its parameters follow.
struct cotenant_function {
  uint64_t function, parameters, parameter_bytes, shared_bytes, registers, max_threads, local_bytes, const_bytes;
};

// The reply's payload for the device; its name follows.
struct cotenant_device {
  uint64_t sms, clock_khz, memory_clock_khz, bus_bits, l2_bytes, shared_per_block, shared_per_sm, registers_per_sm,
      threads_per_block, threads_per_sm, blocks_per_sm, grid[3], block[3], major, minor, memory_bytes,
      const_bytes, copy_engines, shared_optin, persisting_bytes;
};

// A tensor map as kernels are given it. The innermost dimension comes first; types are as CUtensorMapDataType has them, up to
// BFLOAT16, and swizzles as CUtensorMapSwizzle.
struct cotenant_tensor_map {
  uint32_t mark; // COTENANT_TENSOR_MAP
  uint8_t type, rank, swizzle;
  uint64_t address;
  uint32_t last[5];    // sizes of the dimensions, less 1
  uint64_t strides[5]; // bytes, of all dimensions but the first, and 8 bytes of nothing
  uint16_t box[8];
  uint8_t steps[32]; // of which 5 count
};
#define COTENANT_TENSOR_MAP 0x70616d74u

// The payload of a request for a texture; the name of a reference follows. plane is the distance of an array's
// planes, 0 of other memory.
struct cotenant_texture {
  uint64_t address, width, height, pitch, channels, bits, format, address_mode, linear, normalized, as_float, module, depth,
      plane;
};

#endif
