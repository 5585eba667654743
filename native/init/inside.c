/*
 * Opens paths that containers, images and volumes control, and that they may change meanwhile. The kernel resolves one name
 * at a time, below a descriptor and without following links. Links are read and resolved here; magic links of /proc are
 * resolved by their text. `src/kubelet/safe-path/open-inside.ts` does the same for Knarr.
 */
#include "init.h"
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_DEPTH = 256, MAX_LINKS = 40 };

/* The descriptors of a walk, from below its root to its present place. */
static int chain[MAX_DEPTH];
static int depth;

static void back_to_root(void) {
  while (depth > 0) close(chain[--depth]);
}

static __attribute__((noreturn)) void refuse(const char *path, int error) {
  fail("Cannot open \"%s\": %s", path, reason(error));
}

/* New files belong to `owner`. The change of the user takes rights on files away, which come back at once. */
void create_as(uid_t owner) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (owner == (uid_t)setfsuid(-1)) return;
  setfsgid(owner);
  setfsuid(owner);
  check(syscall(SYS_capget, &header, data), "capget");
  for (int i = 0; i < 2; i++) data[i].effective = data[i].permitted;
  check(syscall(SYS_capset, &header, data), "capset");
}

/* Returns -1 if the name must be opened (again): it has been created, by this process or another one. */
static int make_owned(int parent, const char *name, int is_last, struct creation missing, const char *path) {
  if (is_last && S_ISREG(missing.type)) {
    int file = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file >= 0) close(file);
    else if (errno != EEXIST) refuse(path, errno);
    return -1;
  }
  if (mkdirat(parent, name, missing.mode & 0777) < 0) {
    if (errno != EEXIST) refuse(path, errno);
    return -1;
  }
  int made = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
  if (made < 0) return -1;
  fchmod(made, missing.mode & 07777); /* Exact, whatever the umask. */
  return made;
}

static int make(int parent, const char *name, int is_last, struct creation missing, const char *path) {
  create_as(missing.owner);
  int made = make_owned(parent, name, is_last, missing, path);
  create_as(0);
  return made;
}

int open_inside(int root, const char *path, enum scope scope, struct creation missing) {
  static char pending[2 * PATH_MAX];
  if (strlen(path) >= PATH_MAX) refuse(path, ENAMETOOLONG);
  strcpy(pending, path);
  depth = 0;
  int tries = 0;
  for (;;) {
    char *name = pending + strspn(pending, "/"), part[PATH_MAX];
    size_t length = strcspn(name, "/");
    if (length == 0) break;
    memcpy(part, name, length);
    part[length] = '\0';
    char *rest = name + length;
    int parent = depth == 0 ? root : chain[depth - 1];
    struct stat here;
    check(fstat(parent, &here), "stat");
    if (!S_ISDIR(here.st_mode)) refuse(path, ENOTDIR);
    if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0) {
      if (part[1] == '.' && depth > 0) close(chain[--depth]);
      else if (part[1] == '.' && scope == BENEATH) refuse(path, EXDEV);
      memmove(pending, rest, strlen(rest) + 1);
      continue;
    }
    if (depth == MAX_DEPTH) refuse(path, ENAMETOOLONG);
    int child = openat(parent, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (child < 0 && errno == ENOENT && missing.type != 0)
      child = make(parent, part, rest[strspn(rest, "/.")] == '\0', missing, path);
    else if (child < 0)
      refuse(path, errno);
    if (child < 0) { /* It has been created. */
      if (++tries > MAX_LINKS) refuse(path, ELOOP);
      continue;
    }
    struct stat file;
    check(fstat(child, &file), "stat");
    if (!S_ISLNK(file.st_mode)) {
      chain[depth++] = child;
      memmove(pending, rest, strlen(rest) + 1);
      continue;
    }
    static char target[2 * PATH_MAX];
    ssize_t size = readlinkat(child, "", target, PATH_MAX);
    close(child);
    if (size < 0) refuse(path, errno);
    if (++tries > MAX_LINKS) refuse(path, ELOOP);
    if (size + strlen(rest) >= sizeof pending) refuse(path, ENAMETOOLONG);
    if (target[0] == '/' && scope == BENEATH) refuse(path, EXDEV);
    if (target[0] == '/') back_to_root();
    strcpy(target + size, rest);
    strcpy(pending, target);
  }
  /* A descriptor of its own, which the caller closes. */
  int found = depth == 0 ? fcntl(root, F_DUPFD_CLOEXEC, 3) : chain[--depth];
  back_to_root();
  return check(found, "open");
}
