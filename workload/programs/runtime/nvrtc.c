// NVRTC. A program's source and headers become files of a folder of their own, which cotenant cc compiles. The
// name of an expression is what a variable with its address is initialised with in the PTX.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc.h"

#define MARK "cotenant_name_"

extern char **environ;

struct file {
  char *name, *text;
};

struct expression {
  char *text, *name;
};

struct _nvrtcProgram {
  struct file source, *headers;
  char *beside; // the folder in the source's name
  int header_count;
  struct expression *expressions;
  int expression_count;
  char *ptx, *log; // NULL before the compilation
};

const char *nvrtcGetErrorString(nvrtcResult result) {
#define NAME(name, number)                                                                         \
  case name:                                                                                       \
    return #name;
  switch (result) { COTENANT_NVRTC_RESULTS(NAME) }
#undef NAME
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (major == NULL || minor == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = 12, *minor = 0;
  return NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *number) {
  if (number == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  *number = sizeof archs / sizeof *archs;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list) {
  if (list == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  memcpy(list, archs, sizeof archs);
  return NVRTC_SUCCESS;
}

// inside says that a name stays in the folder.
static int inside(const char *name) { return *name != 0 && *name != '/' && strstr(name, "..") == NULL; }

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names) {
  if (program == NULL || source == NULL || headers < 0 || (headers > 0 && (texts == NULL || names == NULL)))
    return NVRTC_ERROR_INVALID_INPUT;
  for (int i = 0; i < headers; i++)
    if (!inside(names[i]))
      return NVRTC_ERROR_INVALID_INPUT;
  struct _nvrtcProgram *p = calloc(1, sizeof *p);
  if (p == NULL || (p->headers = calloc((size_t)headers + 1, sizeof *p->headers)) == NULL) {
    free(p);
    return NVRTC_ERROR_OUT_OF_MEMORY;
  }
  const char *last = name != NULL ? strrchr(name, '/') : NULL;
  p->beside = last != NULL ? strndup(name, (size_t)(last - name) + 1) : strdup(".");
  name = last != NULL ? last + 1 : name;
  p->source.name = strdup(name != NULL && inside(name) ? name : "default_program");
  p->source.text = strdup(source);
  for (; p->header_count < headers; p->header_count++) {
    struct file *h = &p->headers[p->header_count];
    h->name = strdup(names[p->header_count]), h->text = strdup(texts[p->header_count]);
  }
  *program = p;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (program == NULL || *program == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  struct _nvrtcProgram *p = *program;
  for (int i = 0; i < p->header_count; i++)
    free(p->headers[i].name), free(p->headers[i].text);
  for (int i = 0; i < p->expression_count; i++)
    free(p->expressions[i].text), free(p->expressions[i].name);
  free(p->source.name), free(p->source.text), free(p->beside), free(p->headers), free(p->expressions), free(p->ptx), free(p->log);
  free(p);
  *program = NULL;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression) {
  if (p == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  if (p->log != NULL)
    return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  struct expression *list = realloc(p->expressions, (size_t)(p->expression_count + 1) * sizeof *list);
  if (list == NULL)
    return NVRTC_ERROR_OUT_OF_MEMORY;
  p->expressions = list;
  list[p->expression_count++] = (struct expression){strdup(expression), NULL};
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name) {
  if (p == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == NULL || name == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  if (p->log == NULL)
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (int i = 0; i < p->expression_count; i++)
    if (strcmp(p->expressions[i].text, expression) == 0 && p->expressions[i].name != NULL) {
      *name = p->expressions[i].name;
      return NVRTC_SUCCESS;
    }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// path is that of a file in a folder; what is to be freed.
static char *path(const char *folder, const char *name) {
  char *text = NULL;
  return asprintf(&text, "%s/%s", folder, name) < 0 ? NULL : text;
}

// put writes a file into a folder, with the folders in its name: text between a beginning and, of a program's
// source, the variables of expressions.
static int put(const char *folder, const struct file *f, const char *begin, const struct _nvrtcProgram *p) {
  char *at = path(folder, f->name);
  if (at == NULL)
    return -1;
  for (char *slash = at + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
    *slash = 0;
    mkdir(at, 0700);
  }
  FILE *out = fopen(at, "w");
  free(at);
  if (out == NULL)
    return -1;
  fprintf(out, "%s%s", begin, f->text);
  for (int i = 0; p != NULL && i < p->expression_count; i++)
    fprintf(out, "\n__device__ __attribute__((used)) const void *const " MARK "%d = (const void *)(%s);", i, p->expressions[i].text);
  return fclose(out);
}

// get reads a file of a folder, without the folder's path in it, which is another each time.
static char *get(const char *folder, const char *name) {
  char *at = path(folder, name), *text = NULL;
  FILE *in = at != NULL ? fopen(at, "r") : NULL;
  free(at);
  size_t bytes = 0;
  if (in == NULL || getdelim(&text, &bytes, 0, in) < 0) {
    free(text);
    text = in != NULL ? strdup("") : NULL;
  }
  if (in != NULL)
    fclose(in);
  size_t length = strlen(folder) + 1;
  for (char *found = text; found != NULL && (found = strstr(found, folder)) != NULL;)
    memmove(found, found + length, strlen(found + length) + 1);
  return text;
}

// name_expressions takes the variables of expressions out of PTX, of which each has a line.
static void name_expressions(struct _nvrtcProgram *p) {
  for (char *at = p->ptx; (at = strstr(at, MARK)) != NULL;) {
    char *line = at, *end = strchr(at, '\n'), *name = strchr(at, '=');
    while (line > p->ptx && line[-1] != '\n')
      line--;
    int index = atoi(at + strlen(MARK));
    if (end == NULL || name == NULL || name > end || index >= p->expression_count) {
      at = end != NULL ? end : at + strlen(at);
      continue;
    }
    name += strspn(name, "= ");
    if (strncmp(name, "generic(", 8) == 0)
      name += 8;
    if (p->expressions[index].name == NULL)
      p->expressions[index].name = strndup(name, strcspn(name, ");\n"));
    memmove(line, end + 1, strlen(end + 1) + 1);
    at = line;
  }
}

static int drop(const char *at, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(at);
}

// as_device says that an option makes functions the device's that do not say where they run.
static int as_device(const char *option) {
  return strcmp(option, "-default-device") == 0 || strcmp(option, "--device-as-default-execution-space") == 0;
}

// compile runs cotenant cc, which writes its messages to a file; its exit status.
static int compile(const char *folder, const char *source, const char *beside, int number, const char *const *options) {
  char *compiler = getenv("COTENANT_EXECUTABLE"), *include = NULL, *map = NULL, *out = path(folder, "ptx"), *log = path(folder, "log");
  char **arguments = calloc((size_t)number + 16, sizeof *arguments);
  int n = 0, status = -1;
  if (compiler == NULL)
    fputs("cotenant: nvrtcCompileProgram compiles by the program that runs it; valid: cotenant exec PROGRAM\n", stderr);
  if (compiler != NULL && arguments != NULL && out != NULL && log != NULL && asprintf(&include, "-I%s", folder) >= 0 &&
      asprintf(&map, "-ffile-prefix-map=%s/=", folder) >= 0) {
    arguments[n++] = compiler, arguments[n++] = "cc", arguments[n++] = "-ptx";
    for (int i = 0; i < number; i++)
      if (!as_device(options[i]))
        arguments[n++] = (char *)options[i];
    arguments[n++] = include, arguments[n++] = "-I", arguments[n++] = (char *)beside, arguments[n++] = map, arguments[n++] = "-x", arguments[n++] = "cu";
    arguments[n++] = (char *)source, arguments[n++] = "-o", arguments[n++] = out;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    for (int fd = 3; fd <= 5; fd++) // what connects the program with the simulator
      posix_spawn_file_actions_addclose(&files, fd);
    pid_t child;
    if (posix_spawn(&child, compiler, &files, NULL, arguments, environ) == 0)
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    posix_spawn_file_actions_destroy(&files);
  }
  free(include), free(map), free(out), free(log), free(arguments);
  return status;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int number, const char *const *options) {
  if (p == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (number < 0 || (number > 0 && options == NULL))
    return NVRTC_ERROR_INVALID_INPUT;
  const char *temporary = getenv("TMPDIR");
  char *folder = path(temporary != NULL && *temporary != 0 ? temporary : "/tmp", "nvrtc.XXXXXX");
  if (folder == NULL)
    return NVRTC_ERROR_OUT_OF_MEMORY;
  nvrtcResult result = NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
  if (mkdtemp(folder) != NULL) {
    char *source = path(folder, p->source.name);
    const char *begin = "";
    for (int i = 0; i < number; i++)
      if (as_device(options[i]))
        begin = "_Pragma(\"clang force_cuda_host_device begin\") ";
    int failed = source == NULL;
    for (int i = 0; i < p->header_count; i++)
      failed |= put(folder, &p->headers[i], "", NULL) != 0;
    failed |= put(folder, &p->source, begin, p) != 0;
    if (!failed) {
      int status = compile(folder, source, p->beside, number, options);
      free(p->ptx), free(p->log);
      p->ptx = status == 0 ? get(folder, "ptx") : NULL;
      p->log = get(folder, "log");
      if (p->log == NULL)
        p->log = strdup("");
      result = p->ptx != NULL ? NVRTC_SUCCESS : status < 0 ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_ERROR_COMPILATION;
      if (p->ptx != NULL)
        name_expressions(p);
      else if (strstr(p->log, "unknown option") != NULL)
        result = NVRTC_ERROR_INVALID_OPTION;
    }
    free(source);
    nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
  }
  free(folder);
  return result;
}

// Texts with the zero at their end.
static nvrtcResult size_of(const char *text, size_t *size) {
  if (size == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  if (text == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  *size = strlen(text) + 1;
  return NVRTC_SUCCESS;
}

static nvrtcResult copy_of(const char *text, char *to) {
  if (to == NULL)
    return NVRTC_ERROR_INVALID_INPUT;
  if (text == NULL)
    return NVRTC_ERROR_INVALID_PROGRAM;
  strcpy(to, text);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size) { return size_of(p != NULL ? p->ptx : NULL, size); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return copy_of(p != NULL ? p->ptx : NULL, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size) { return size_of(p != NULL ? p->ptx : NULL, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) { return copy_of(p != NULL ? p->ptx : NULL, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size) { return size_of(p != NULL ? p->log : NULL, size); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return copy_of(p != NULL ? p->log : NULL, log); }
