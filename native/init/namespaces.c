/* New namespaces, and the user namespace of a container. */
#include "init.h"
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

enum { IDS = 65536 };

uid_t first_id;
int user_namespace = -1;

void write_to(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) fail("write %s to %s: %s", text, path, reason(errno));
  close(file);
}

void op_write(void) {
  const char *path = word();
  write_to(path, word());
}

/* The setting in /proc belongs to the machine's root even where the namespace is a user's. */
void op_hostname(void) {
  const char *name = word();
  if (sethostname(name, strlen(name)) < 0) fail("set the host name %s: %s", name, reason(errno));
}

static pid_t holder;

/*
 * namespaces <flags of clone(2)> <the host's ID of root in a user namespace; 0: none>: makes namespaces for `pin`. A process
 * holds them until this one ends or runs its command.
 */
void op_namespaces(void) {
  unsigned flags = number(16, UINT32_MAX);
  uid_t first = number(10, UINT32_MAX);
  int ends[2];
  char path[64], map[64];
  check(pipe2(ends, O_CLOEXEC), "pipe");
  holder = syscall(SYS_clone, flags | (first > 0 ? CLONE_NEWUSER : 0) | SIGCHLD, 0, 0, 0, 0);
  check(holder, "clone");
  if (holder == 0) {
    close(ends[1]);
    while (read(ends[0], map, sizeof map) < 0 && errno == EINTR) {}
    _exit(0);
  }
  close(ends[0]);
  if (first == 0) return;
  snprintf(map, sizeof map, "0 %u %d", first, IDS);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "/proc/%d/%s", (int)holder, i == 0 ? "uid_map" : "gid_map");
    write_to(path, map);
  }
}

/* pin <kind> <path>: keeps a namespace without a process. */
void op_pin(void) {
  const char *kind = word(), *path = word();
  char source[64];
  snprintf(source, sizeof source, "/proc/%d/ns/%s", (int)holder, kind);
  int file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || syscall(SYS_mount, source, path, NULL, MS_BIND, NULL) < 0) fail("pin %s: %s", path, reason(errno));
  close(file);
}

/* user <pin> <the host's ID of its root>: the user namespace whose IDs the next mounts show, and that `enter-user` enters. */
void op_user(void) {
  const char *path = word();
  user_namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (user_namespace < 0) fail("open %s: %s", path, reason(errno));
  first_id = number(10, UINT32_MAX);
}

/* Files of a disk show the IDs of the user namespace (mount_setattr(2), idmapped mounts). */
void show_ids(int mount, const char *path) {
  struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = user_namespace};
  if (syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
    fail("map the IDs of %s: %s", path, reason(errno));
}

/* idmap <path>: replaces a directory of the host by one that shows the user namespace's IDs, in this mount namespace. */
void op_idmap(void) {
  const char *path = word();
  int mount = syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
  check(mount, "open_tree");
  show_ids(mount, path);
  check(syscall(SYS_move_mount, mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH), "move_mount");
  close(mount);
}

/* In a user namespace with one ID, the kernel lets nobody change the groups. */
void drop_groups(void) {
  char text[16] = "";
  if (setgroups(0, NULL) == 0) return;
  int error = errno, file = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof text - 1) > 0 && strncmp(text, "deny", 4) == 0) {
    close(file);
    return;
  }
  errno = error;
  check(-1, "setgroups");
}

void become_root(void) {
  drop_groups();
  check(setresgid(0, 0, 0), "setgid");
  check(setresuid(0, 0, 0), "setuid");
}

/* The mounts belong to the user namespace from here on, and so its root may make further ones. */
void op_enter_user(void) {
  check(setns(user_namespace, CLONE_NEWUSER), "enter the user namespace");
  become_root();
  check(unshare(CLONE_NEWNS), "unshare");
}
