// A working folder of the program's own: what it writes there nobody else sees, and is gone when it ends.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol.h"

static int put(const char *file, const char *text) {
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  int n = fd < 0 ? -1 : (int)write(fd, text, strlen(text));
  if (fd >= 0)
    close(fd);
  return n < 0 ? -1 : 0;
}

// separate gives the process its own mounts; without the right to do so as the user that it is in a
// namespace of its own.
static int separate(void) {
  if (unshare(CLONE_NEWNS) == 0)
    return 0;
  char uid[64], gid[64];
  snprintf(uid, sizeof uid, "%d %d 1", (int)getuid(), (int)getuid());
  snprintf(gid, sizeof gid, "%d %d 1", (int)getgid(), (int)getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return -1;
  put("/proc/self/setgroups", "deny");
  return put("/proc/self/uid_map", uid) != 0 || put("/proc/self/gid_map", gid) != 0 ? -1 : 0;
}

// cover lays a file system in memory over the working folder and, on it, both as one (overlayfs): the folder
// has its files and its path, and changes go to memory.
static int cover(const char *bytes) {
  char here[PATH_MAX], path[PATH_MAX + 16], options[256];
  if (getcwd(here, sizeof here) == NULL || separate() != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return -1;
  int below = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (below < 0)
    return -1;
  snprintf(options, sizeof options, "mode=700,size=%s", bytes);
  if (mount("tmpfs", here, "tmpfs", 0, options) != 0)
    return -1;
  int above = open(here, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (above < 0 || mkdirat(above, "changes", 0777) != 0 || mkdirat(above, "work", 0777) != 0)
    return -1;
  snprintf(options, sizeof options,
           "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d/changes,workdir=/proc/self/fd/%d/work", below, above, above);
  snprintf(path, sizeof path, "%s,userxattr", options); // which a user may do without rights
  if (mount("overlay", here, "overlay", 0, options) != 0 && mount("overlay", here, "overlay", 0, path) != 0)
    return -1;
  close(below);
  close(above);
  return chdir(here);
}

// Before the program's own constructors, which may open files.
__attribute__((constructor(101))) static void own_folder(void) {
  cotenant_watch(); // before the mounts are changed, which it would keep alive
  const char *bytes = getenv(COTENANT_FOLDER), *channel = getenv(COTENANT_SOCKET);
  if (bytes == NULL || channel == NULL)
    return;
  uint32_t answer = COTENANT_FOLDER_ANSWER;
  errno = 0;
  if (cover(bytes) != 0)
    answer |= (uint32_t)(errno & 0xff ? errno & 0xff : EIO);
  send(atoi(channel), &answer, sizeof answer, MSG_NOSIGNAL);
  if (answer != COTENANT_FOLDER_ANSWER)
    _exit(1); // the simulator starts it again in another folder
  unsetenv(COTENANT_FOLDER);
}
