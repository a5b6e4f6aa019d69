// Arguments of the command line of the form -NAME or --NAME=VALUE, as the CUDA samples read them.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The text behind -NAME, "" for a flag without a value, NULL if it is not there.
static inline const char *__ct_argument(int argc, const char **argv, const char *name) {
  size_t n = strlen(name);
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (*a != '-') continue;
    while (*a == '-') a++;
    if (strncasecmp(a, name, n) == 0 && (a[n] == 0 || a[n] == '=')) return a[n] ? a + n + 1 : a + n;
  }
  return NULL;
}
static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) {
  return __ct_argument(argc, argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *a = __ct_argument(argc, argv, name);
  return a ? atoi(a) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *a = __ct_argument(argc, argv, name);
  return a ? (float)atof(a) : 0.0f;
}
static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
  const char *a = __ct_argument(argc, argv, name);
  *value = (char *)a;
  return a != NULL;
}
static inline char *sdkFindFilePath(const char *file, const char *) { return strdup(file); }
