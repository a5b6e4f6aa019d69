// Streams and events. Their handles are the simulator's numbers.
#include <stdlib.h>
#include <string.h>

#include "graph.h"

uint64_t cotenant_stream(cudaStream_t stream) { return stream == cudaStreamLegacy ? 0 : (uint64_t)stream; }

// ask sends a request with up to three arguments and gives its first value.
static cudaError_t ask(uint16_t kind, uint64_t a, uint64_t b, uint64_t *value) {
  struct cotenant_request request = REQUEST(kind, a, b);
  struct cotenant_reply reply;
  cotenant_modules();
  cudaError_t error = cotenant_ask(&request, &reply);
  if (value != NULL)
    *value = reply.value[0];
  return error;
}

// cudaStreamCreate makes a stream. Its commands keep their order; streams run beside each other, but
// wait for the default stream and it for them.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  uint64_t number;
  cudaError_t error = ask(COTENANT_STREAM_CREATE, flags, (uint64_t)(int64_t)priority, &number);
  if (error == cudaSuccess)
    *stream = (cudaStream_t)number;
  return error;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

// cudaStreamDestroy forgets a stream; commands in it still complete.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cotenant_forget_window(stream);
  return ask(COTENANT_STREAM_DESTROY, cotenant_stream(stream), 0, NULL);
}

// cudaStreamSynchronize waits until all commands of a stream have completed.
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (cotenant_capturing(stream))
    return cotenant_note(cudaErrorStreamCaptureUnsupported);
  return ask(COTENANT_STREAM_SYNCHRONIZE, cotenant_stream(stream), 0, NULL);
}

// cudaStreamQuery tells whether they have. Of two queries in a row without any other call between
// them, the second waits, as no time passes between calls.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (cotenant_capturing(stream))
    return cotenant_note(cudaErrorStreamCaptureUnsupported);
  return ask(COTENANT_STREAM_QUERY, cotenant_stream(stream), 0, NULL);
}

// cudaStreamWaitEvent holds a stream back until an event has completed.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  (void)flags;
  if (cotenant_capture_wait(stream, (uint64_t)event))
    return cudaSuccess;
  return ask(COTENANT_STREAM_WAIT, cotenant_stream(stream), (uint64_t)event, NULL);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  (void)stream;
  *flags = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  uint64_t value;
  cudaError_t error = ask(COTENANT_STREAM_PRIORITY, cotenant_stream(stream), 0, &value);
  if (error == cudaSuccess)
    *priority = (int)(int64_t)value;
  return error;
}

// cudaLaunchHostFunc and cudaStreamAddCallback call a function of the host after a stream's commands so
// far. The caller waits for them, and calls the function itself.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
  struct CUgraphNode_st *node = cotenant_captured(stream, cudaGraphNodeTypeHost);
  if (node != NULL) {
    node->call.fn = fn;
    node->call.userData = data;
    return cudaSuccess;
  }
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess)
    fn(data);
  return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags) {
  (void)flags;
  callback(stream, cudaStreamSynchronize(stream), data);
  return cudaSuccess;
}

// cudaEventCreate makes an event.
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  uint64_t number;
  cudaError_t error = ask(COTENANT_EVENT_CREATE, flags, 0, &number);
  if (error == cudaSuccess)
    *event = (cudaEvent_t)number;
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) { return ask(COTENANT_EVENT_DESTROY, (uint64_t)event, 0, NULL); }

// cudaEventRecord lets an event complete when the stream's commands so far have.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (cotenant_capture_event((uint64_t)event, stream))
    return cudaSuccess;
  return ask(COTENANT_EVENT_RECORD, (uint64_t)event, cotenant_stream(stream), NULL);
}

// cudaEventSynchronize waits for an event, cudaEventQuery tells whether it has completed.
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return ask(COTENANT_EVENT_SYNCHRONIZE, (uint64_t)event, 0, NULL);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return ask(COTENANT_EVENT_QUERY, (uint64_t)event, 0, NULL); }

// cudaEventElapsedTime gives the simulated time between two events in milliseconds.
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  uint64_t ns;
  cudaError_t error = ask(COTENANT_EVENT_ELAPSED, (uint64_t)start, (uint64_t)end, &ns);
  if (error == cudaSuccess)
    *ms = (float)((double)(int64_t)ns / 1e6);
  return error;
}

// cudaStreamAttachMemAsync would say which stream uses managed memory; host and device reach all of it.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t length, unsigned int flags) {
  (void)stream, (void)ptr, (void)length, (void)flags;
  return cudaSuccess;
}
