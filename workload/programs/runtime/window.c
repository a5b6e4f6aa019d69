// Windows of addresses whose lines the L2 is to keep, or not to (cudaAccessPolicyWindow). The simulator numbers them; a
// launch has the number of its stream's window, or of its own, and a node of a graph that of its capture.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

// The windows of streams.
static struct entry {
  uint64_t stream, number;
  cudaAccessPolicyWindow is;
} *entries;
static size_t count;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static struct entry *of(uint64_t stream) {
  for (size_t i = 0; i < count; i++)
    if (entries[i].stream == stream)
      return &entries[i];
  return NULL;
}

cudaError_t cotenant_window(const cudaAccessPolicyWindow *w, uint64_t *flag) {
  *flag = 0;
  const struct cotenant_device *d = cotenant_properties(NULL);
  if (w->num_bytes > COTENANT_LARGEST_WINDOW || !(w->hitRatio >= 0 && w->hitRatio <= 1) ||
      (unsigned)w->hitProp > cudaAccessPropertyPersisting || (unsigned)w->missProp > cudaAccessPropertyStreaming)
    return cotenant_note(cudaErrorInvalidValue);
  if (w->num_bytes == 0 || d->persisting_bytes == 0)
    return cudaSuccess;
  uint32_t share;
  memcpy(&share, &w->hitRatio, sizeof share);
  struct cotenant_request request =
      REQUEST(COTENANT_WINDOW, (uint64_t)w->base_ptr, w->num_bytes, share, w->hitProp | (uint64_t)w->missProp << 8);
  struct cotenant_reply reply;
  cotenant_modules();
  cudaError_t error = cotenant_ask(&request, &reply);
  if (error == cudaSuccess)
    *flag = reply.value[0] << COTENANT_OF_WINDOW;
  return error;
}

uint64_t cotenant_window_of(cudaStream_t stream) {
  pthread_mutex_lock(&turn);
  struct entry *e = of(cotenant_stream(stream));
  uint64_t flag = e == NULL ? 0 : e->number;
  pthread_mutex_unlock(&turn);
  return flag;
}

void cotenant_forget_window(cudaStream_t stream) {
  pthread_mutex_lock(&turn);
  struct entry *e = of(cotenant_stream(stream));
  if (e != NULL)
    *e = entries[--count];
  pthread_mutex_unlock(&turn);
}

void cotenant_forget_windows(void) {
  pthread_mutex_lock(&turn);
  count = 0;
  pthread_mutex_unlock(&turn);
}

// cudaStreamSetAttribute sets the window of a stream's later launches. Other attributes are hints, of how the host waits.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value) {
  if (value == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  if (attribute != cudaStreamAttributeAccessPolicyWindow)
    return cudaSuccess;
  uint64_t flag;
  cudaError_t error = cotenant_window(&value->accessPolicyWindow, &flag);
  if (error != cudaSuccess)
    return error;
  pthread_mutex_lock(&turn);
  struct entry *e = of(cotenant_stream(stream));
  if (e == NULL) {
    entries = realloc(entries, (count + 1) * sizeof *entries);
    if (entries == NULL)
      abort();
    e = &entries[count++];
  }
  *e = (struct entry){cotenant_stream(stream), flag, value->accessPolicyWindow};
  pthread_mutex_unlock(&turn);
  return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value) {
  if (value == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  memset(value, 0, sizeof *value);
  if (attribute == cudaStreamAttributePriority)
    return cudaStreamGetPriority(stream, &value->priority);
  pthread_mutex_lock(&turn);
  struct entry *e = of(cotenant_stream(stream));
  if (e != NULL && attribute == cudaStreamAttributeAccessPolicyWindow)
    value->accessPolicyWindow = e->is;
  pthread_mutex_unlock(&turn);
  return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  cudaStreamAttrValue value;
  cudaStreamGetAttribute(from, cudaStreamAttributeAccessPolicyWindow, &value);
  return cudaStreamSetAttribute(to, cudaStreamAttributeAccessPolicyWindow, &value);
}

// cotenant_set_aside sets aside a part of the L2 for the lines that it is to keep. It waits for all commands.
cudaError_t cotenant_set_aside(size_t bytes) {
  size_t most = cotenant_properties(NULL)->persisting_bytes;
  if (bytes > most)
    return cotenant_note(most == 0 ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
  struct cotenant_request request = REQUEST(COTENANT_SET_ASIDE, bytes);
  cotenant_modules();
  return cotenant_ask(&request, NULL);
}

// cudaCtxResetPersistingL2Cache has the L2 keep no line longer than others, from the next launch on.
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  struct cotenant_request request = REQUEST(COTENANT_RELEASE, 0);
  cotenant_modules();
  return cotenant_ask(&request, NULL);
}
