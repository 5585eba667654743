/*
 * The container's file system. Every mount is made by descriptors: of the new root, in which targets are resolved, and of the
 * host's root, until `pivot` takes it away.
 */
#include "init.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

static int new_root = -1, host_root = -1;
static const struct creation nothing = {0, 0, 0}, directories = {S_IFDIR, 0755, 0};

static int inside(const char *path, mode_t type) {
  return open_inside(new_root, path, IN_ROOT, (struct creation){type, 0755, first_id});
}

/* Becomes a member of a cgroup: the file is its list of processes. */
void op_join(void) {
  const char *path = word();
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, "0", 1) < 0) fail("join %s: %s", path, reason(errno));
  close(file);
}

void op_enter(void) {
  const char *path = word();
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, 0) < 0) fail("enter %s: %s", path, reason(errno));
  close(file);
}

void op_unshare(void) {
  check(unshare(number(16, UINT32_MAX)), "unshare");
}

/* What the whole tree does with mounts that are made elsewhere: a flag of mount(2). */
void op_propagation(void) {
  check(syscall(SYS_mount, NULL, "/", NULL, MS_REC | number(16, UINT32_MAX), NULL), "set the propagation");
}

/* The layers' names are relative to their directory: mount(2) takes only a page of options. */
void op_root(void) {
  const char *layers = word(), *target = word(), *options = word();
  host_root = check(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "open the host's root");
  if (chdir(layers) < 0) fail("%s: %s", layers, reason(errno));
  create_as(first_id); /* What the file system makes for itself is in the same user namespace as its layers. */
  check(syscall(SYS_mount, "overlay", target, "overlay", MS_NODEV, options), "mount the image's layers");
  create_as(0);
  new_root = check(open(target, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), "open the new root");
  check(chdir("/"), "chdir");
}

static void attach(int mount, int target, const char *path) {
  if (syscall(SYS_move_mount, mount, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
    fail("mount at %s: %s", path, reason(errno));
  close(mount);
  close(target);
}

static void configure(int context, char *options) {
  for (char *option = strtok(options, ","); option != NULL; option = strtok(NULL, ",")) {
    char *value = strchr(option, '=');
    if (value != NULL) *value++ = '\0';
    if (syscall(SYS_fsconfig, context, value == NULL ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, option, value, 0) < 0)
      fail("mount option %s: %s", option, reason(errno));
  }
}

/* Returns a new file system that is attached nowhere. */
int make_filesystem(const char *type, char *options, unsigned attributes) {
  int context = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (context < 0) fail("file system %s: %s", type, reason(errno));
  configure(context, options);
  if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
    fail("create file system %s: %s", type, reason(errno));
  int mount = check(syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes), "fsmount");
  close(context);
  return mount;
}

void op_filesystem(void) {
  const char *type = word();
  char *options = word();
  unsigned attributes = number(16, UINT32_MAX);
  const char *path = word();
  int mount = make_filesystem(type, options, attributes);
  attach(mount, inside(path, S_IFDIR), path);
}

/* Attaches the file system of the container's own terminals, of which the supervisor has one open. */
void op_own_terminals(void) {
  if (terminals < 0) fail("the container has no terminal");
  int first = check(openat(terminals, "0", O_PATH | O_CLOEXEC), "open the terminal");
  int console = check(inside("/dev/console", S_IFREG), "create /dev/console");
  attach(terminals, inside("/dev/pts", S_IFDIR), "/dev/pts");
  int copy = syscall(SYS_open_tree, first, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  attach(check(copy, "copy the terminal"), console, "/dev/console");
  close(first);
}

/* In /dev, which is a file system of the container's own and still empty. */
static int dev(void) {
  static int directory = -1;
  if (directory < 0) directory = inside("/dev", 0);
  return directory;
}

void op_node(void) {
  const char *name = word();
  mode_t mode = number(8, UINT32_MAX);
  unsigned major = number(10, UINT32_MAX), minor = number(10, UINT32_MAX);
  unsigned uid = number(10, UINT32_MAX), gid = number(10, UINT32_MAX);
  if (mknodat(dev(), name, mode, makedev(major, minor)) < 0) fail("create device %s: %s", name, reason(errno));
  check(fchmodat(dev(), name, mode & 07777, 0), "chmod");
  check(fchownat(dev(), name, uid, gid, AT_SYMLINK_NOFOLLOW), "chown");
}

void op_link(void) {
  const char *name = word(), *target = word();
  check(symlinkat(target, dev(), name), "create a link in /dev");
}

static int copy_of(int place, unsigned recursive) {
  int flags = AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive;
  return check(syscall(SYS_open_tree, place, "", flags), "open_tree");
}

static void set_attributes(int mount, unsigned recursive, uint64_t set, uint64_t propagation) {
  struct mount_attr attributes = {.attr_set = set, .propagation = propagation};
  int flags = AT_EMPTY_PATH | recursive;
  check(syscall(SYS_mount_setattr, mount, "", flags, &attributes, sizeof attributes), "mount_setattr");
}

static int same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* /proc shows other processes, and the rest of the boot works in the root. */
static void refuse_own(int target, const char *path) {
  struct stat here, root;
  struct statfs system;
  check(fstat(target, &here), "stat");
  check(fstat(new_root, &root), "stat");
  check(fstatfs(target, &system), "statfs");
  if (same(&here, &root) || (system.f_type == PROC_SUPER_MAGIC && S_ISDIR(here.st_mode)))
    fail("Cannot mount at \"%s\": it is the container's own", path);
}

/*
 * A directory or a file of the host, with all mounts below it. A missing source is created as a directory, as in containerd;
 * the parts of `below`, which the workload controls, have the mode of the source.
 */
void op_bind(void) {
  const char *source_path = word(), *below = word(), *path = word();
  uint64_t set = number(16, UINT64_MAX);
  unsigned recursive_set = number(16, UINT32_MAX);
  uint64_t propagation = number(16, UINT64_MAX);
  int is_mapped = number(10, 1);
  int source = open_inside(host_root, source_path, IN_ROOT, directories);
  struct stat file;
  check(fstat(source, &file), "stat");
  if (*below != '\0') {
    int volume = source;
    source = open_inside(volume, below, BENEATH, (struct creation){S_IFDIR, file.st_mode & 07777, 0});
    close(volume);
    check(fstat(source, &file), "stat");
  }
  int mount = copy_of(source, AT_RECURSIVE);
  close(source);
  if (is_mapped) show_ids(mount, source_path);
  if (set != 0) set_attributes(mount, recursive_set, set, 0);
  set_attributes(mount, AT_RECURSIVE, 0, propagation);
  int target = inside(path, S_ISDIR(file.st_mode) ? S_IFDIR : S_IFREG);
  refuse_own(target, path);
  attach(mount, target, path);
}

static int if_there(const char *path) {
  char parent[256];
  struct stat file;
  /* Only paths of the kernel's own file systems come here: no link can be among them. */
  snprintf(parent, sizeof parent, "%s", path[0] == '/' ? path + 1 : path);
  return fstatat(new_root, parent, &file, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Hides a file of the kernel's: nothing is visible in its place. */
void op_mask(void) {
  const char *path = word();
  if (!if_there(path)) return;
  int target = open_inside(new_root, path, IN_ROOT, nothing);
  struct stat file;
  check(fstat(target, &file), "stat");
  char options[] = "size=0";
  if (S_ISDIR(file.st_mode)) return attach(make_filesystem("tmpfs", options, MOUNT_ATTR_RDONLY), target, path);
  int null = open_inside(host_root, "/dev/null", IN_ROOT, nothing);
  attach(copy_of(null, 0), target, path);
  close(null);
}

void op_read_only(void) {
  const char *path = word();
  if (!if_there(path)) return;
  int target = open_inside(new_root, path, IN_ROOT, nothing), mount = copy_of(target, AT_RECURSIVE);
  set_attributes(mount, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, 0);
  attach(mount, target, path);
}

void op_make_directory(void) {
  close(inside(word(), S_IFDIR));
}

/* The old root ends on top of the new one, and is taken off: no path leads to it any more (pivot_root(2)). */
void op_pivot(void) {
  check(fchdir(new_root), "enter the new root");
  check(syscall(SYS_pivot_root, ".", "."), "pivot_root");
  /* Otherwise the old root's end would propagate to the host. */
  check(fchdir(host_root), "enter the old root");
  check(syscall(SYS_mount, NULL, ".", NULL, MS_REC | MS_SLAVE, NULL), "detach the old root from the host");
  check(syscall(SYS_umount2, ".", 2 /* MNT_DETACH */), "unmount the old root");
  check(chdir("/"), "chdir");
  close(new_root);
  close(host_root);
}

void op_read_only_root(void) {
  struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
  check(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes), "make the root read-only");
}
