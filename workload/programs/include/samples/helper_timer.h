// Timers of the host's clock, as the CUDA samples use them. Times are milliseconds.
#pragma once

#include <time.h>

struct StopWatchInterface {
  double start, total;
  int sessions;
  bool running;
};
static inline double __ct_now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static inline bool sdkCreateTimer(StopWatchInterface **timer) {
  *timer = new StopWatchInterface();
  return true;
}
static inline bool sdkDeleteTimer(StopWatchInterface **timer) {
  delete *timer;
  *timer = 0;
  return true;
}
static inline bool sdkStartTimer(StopWatchInterface **timer) {
  (*timer)->start = __ct_now();
  (*timer)->running = true;
  return true;
}
static inline bool sdkStopTimer(StopWatchInterface **timer) {
  StopWatchInterface *t = *timer;
  if (t->running) t->total += __ct_now() - t->start, t->sessions++;
  t->running = false;
  return true;
}
static inline bool sdkResetTimer(StopWatchInterface **timer) {
  (*timer)->total = 0;
  (*timer)->sessions = 0;
  (*timer)->start = __ct_now();
  return true;
}
static inline float sdkGetTimerValue(StopWatchInterface **timer) {
  StopWatchInterface *t = *timer;
  return (float)(t->total + (t->running ? __ct_now() - t->start : 0));
}
static inline float sdkGetAverageTimerValue(StopWatchInterface **timer) {
  StopWatchInterface *t = *timer;
  return t->sessions ? (float)(t->total / t->sessions) : 0.0f;
}
