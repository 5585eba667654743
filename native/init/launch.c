/* The last steps inside the container: identity, privileges, and the command. */
#include "init.h"
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_GROUPS = 65536 };

/*
 * No namespace separates keyrings, and a session keyring is inherited by all descendants (session-keyring(7)): without one
 * of its own, a container could read and change the keys of the others and of the host's services.
 */
void op_keyring(void) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) check(-1, "join a session keyring");
}

/* A path through a link in /proc could lead to a directory of the host, which has no path in here (CVE-2024-21626). */
void op_directory(void) {
  char *path = word(), real[PATH_MAX];
  if (chdir(path) < 0) fail("chdir to cwd (\"%s\") failed: %s", path, reason(errno));
  if (syscall(SYS_getcwd, real, sizeof real) < 0 || real[0] != '/')
    fail("the working directory is outside of the container");
}

void op_bounding(void) {
  uint64_t kept = number(16, UINT64_MAX);
  for (int capability = 0; capability < 64; capability++) {
    if ((kept >> capability) & 1) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break; /* The kernel has no more capabilities. */
    check(-1, "drop a capability");
  }
}

void op_groups(void) {
  static gid_t groups[MAX_GROUPS];
  size_t count = number(10, MAX_GROUPS);
  for (size_t i = 0; i < count; i++) groups[i] = number(10, UINT32_MAX);
  check(setgroups(count, groups), "setgroups");
}

void op_gid(void) {
  gid_t gid = number(10, UINT32_MAX);
  check(setresgid(gid, gid, gid), "setgid");
}

/* The user can open /dev/stdout and the like only as the owner of what is behind them. The ID is the host's. */
void op_own_streams(void) {
  uid_t uid = number(10, UINT32_MAX);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    struct stat file;
    if (fstat(stream, &file) == 0 && (S_ISFIFO(file.st_mode) || isatty(stream)) && fchown(stream, uid, -1) < 0)
      check(-1, "give the streams to the user");
  }
}

void op_uid(void) {
  uid_t uid = number(10, UINT32_MAX);
  check(setresuid(uid, uid, uid), "setuid");
}

/* What is inheritable or ambient would survive the command's start. */
void op_no_inheritable(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "clear the ambient capabilities");
  check(syscall(SYS_capget, &header, data), "capget");
  data[0].inheritable = data[1].inheritable = 0;
  check(syscall(SYS_capset, &header, data), "capset");
}

void op_no_new_privileges(void) {
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs");
}

/* The filter's instructions in hexadecimal digits. */
void op_seccomp(void) {
  unsigned flags = number(10, UINT32_MAX);
  size_t size, one = sizeof(struct sock_filter);
  void *filter = bytes_of(word(), &size);
  if (size == 0 || size % one != 0 || size / one > BPF_MAXINSNS) fail("the plan has a bad seccomp filter");
  struct sock_fprog program = {size / one, filter};
  check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program), "load the seccomp filter");
}

/* The command's words and its environment, each with a NULL at its end. */
struct list {
  char **words;
  size_t count, room;
};
static struct list args, env;

static void append(struct list *list, char *text) {
  if (list->count + 1 >= list->room) {
    list->room = list->room == 0 ? 64 : 2 * list->room;
    list->words = realloc(list->words, list->room * sizeof *list->words);
    if (list->words == NULL) fail("no memory for the command");
  }
  list->words[list->count++] = text;
  list->words[list->count] = NULL;
}

void op_env(void) {
  append(&env, word());
}

void op_arg(void) {
  append(&args, word());
}

static int is_executable(const char *path) {
  struct stat file;
  return stat(path, &file) == 0 && S_ISREG(file.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* Returns the command's file, as Go's exec.LookPath finds it. */
static const char *find_command(const char *command) {
  static char path[PATH_MAX];
  if (strchr(command, '/') != NULL) {
    if (is_executable(command)) return command;
    if (access(command, F_OK) < 0) fail("exec: \"%s\": stat %s: %s", command, command, reason(errno));
    fail("exec: \"%s\": permission denied", command);
  }
  const char *directories = "";
  for (size_t i = 0; i < env.count; i++)
    if (strncmp(env.words[i], "PATH=", 5) == 0) directories = env.words[i] + 5;
  for (;;) {
    int length = strcspn(directories, ":");
    int size = snprintf(path, sizeof path, "%.*s/%s", length ? length : 1, length ? directories : ".", command);
    if (size < (int)sizeof path && is_executable(path)) return path;
    if (directories[length] == '\0') break;
    directories += length + 1;
  }
  fail("exec: \"%s\": executable file not found in $PATH", command);
}

/* A successful execve(2) closes `failures`, which tells the supervisor that the command runs. */
void op_exec(void) {
  static char *nothing[] = {NULL};
  if (args.count == 0) fail("the plan has no command");
  const char *path = find_command(args.words[0]);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  leave_command();
  execve(path, args.words, env.count == 0 ? nothing : env.words);
  fail("exec %s: %s", path, reason(errno));
}
