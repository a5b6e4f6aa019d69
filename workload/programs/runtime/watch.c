// A process that outlives a simulator which is killed: it ends what the program has started then. In all
// other cases the simulator ends it with the program.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "protocol.h"

// marked reports whether a process has a variable among those that it was started with.
static int marked(const char *pid, const char *variable) {
  char path[64], text[65536];
  snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
  if (fd < 0)
    return 0;
  // A variable may lie across two pieces: the end of one stays in front of the next.
  size_t length = strlen(variable), kept = 0;
  for (ssize_t n; !found && (n = read(fd, text + kept, sizeof text - kept)) > 0;) {
    size_t size = kept + (size_t)n;
    found = memmem(text, size, variable, length) != NULL;
    kept = size < length ? size : length;
    memmove(text, text + size - kept, kept);
  }
  close(fd);
  return found;
}

// end_all kills a process group, and the processes with a variable until there are none, for 5 s at most.
static void end_all(pid_t group, const char *variable) {
  struct timespec pause = {0, 1000000};
  time_t end = time(NULL) + 5;
  for (int found = 1; found && time(NULL) < end;) {
    found = 0;
    if (group > 1)
      kill(-group, SIGKILL);
    DIR *all = opendir("/proc");
    if (all == NULL)
      return;
    for (struct dirent *d; (d = readdir(all)) != NULL;) {
      pid_t pid = atoi(d->d_name);
      if (pid > 1 && pid != getpid() && marked(d->d_name, variable)) {
        kill(pid, SIGKILL);
        found = 1;
      }
    }
    closedir(all);
    nanosleep(&pause, NULL);
  }
}

// close_but closes all descriptors but one.
static void close_but(int kept) {
#ifdef SYS_close_range
  if ((kept == 0 || syscall(SYS_close_range, 0u, kept - 1u, 0u) == 0) && syscall(SYS_close_range, kept + 1u, ~0u, 0u) == 0)
    return;
#endif
  for (int fd = 0; fd < 65536; fd++)
    if (fd != kept)
      close(fd);
}

void cotenant_watch(void) {
  const char *channel = getenv(COTENANT_LIFE), *mark = getenv(COTENANT_RUN);
  if (channel == NULL || mark == NULL)
    return;
  int life = atoi(channel);
  pid_t program = getpid(), group = getpgrp() == program ? program : 0, child = fork();
  if (child == 0) { // the watch is no child of the program
    setsid();
    if (fork() != 0)
      _exit(0);
    prctl(PR_SET_NAME, "cotenant watch");
    close_but(life);
    char variable[64], byte;
    snprintf(variable, sizeof variable, COTENANT_RUN "=%.32s", mark);
    while (read(life, &byte, 1) < 0 && errno == EINTR)
      ;
    end_all(group, variable);
    _exit(0);
  }
  if (child > 0)
    waitpid(child, NULL, 0);
  close(life);
  unsetenv(COTENANT_LIFE);
}
