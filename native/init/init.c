/*
 * knarr-init: turns the calling process into a container's process.
 *
 * It reads a plan from descriptor 4: words that each end with a zero byte, an operation followed by its arguments. It
 * carries out one operation after the other; the last one, `exec`, runs the container's command. The plan decides what is
 * done and in which order (src/kubelet/native/init-plan.ts), and this program decides nothing.
 *
 * Descriptor 3 gets `started` and a line feed just before the command runs, or the reason why it cannot run, and then the
 * exit code is 128.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS = 3, PLAN = 4, CANNOT_START = 128, MAX_PLAN = 16 << 20, MAX_GROUPS = 65536 };

static char *plan, *plan_end, *next_word;

/* The command's words and its environment. The plan has fewer words than bytes. */
static char **args, **env;
static size_t arg_count, env_count;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vdprintf(STATUS, format, values);
  va_end(values);
  _exit(CANNOT_START);
}

/* Go's texts of errors, which Kubernetes' messages contain. */
static const char *reason(int error) {
  switch (error) {
  case ENOENT: return "no such file or directory";
  case EACCES: return "permission denied";
  case EPERM: return "operation not permitted";
  case ENOTDIR: return "not a directory";
  case ENOEXEC: return "exec format error";
  case EINVAL: return "invalid argument";
  default: return strerror(error);
  }
}

static void check(long result, const char *what) {
  if (result < 0) fail("%s: %s", what, reason(errno));
}

static void read_plan(void) {
  size_t size = 0, room = 64 << 10;
  for (plan = malloc(room); plan != NULL; ) {
    ssize_t count = read(PLAN, plan + size, room - size);
    if (count < 0 && errno == EINTR) continue;
    check(count, "read the plan");
    if (count == 0) break;
    size += count;
    if (size > MAX_PLAN) fail("the plan is larger than %d bytes", MAX_PLAN);
    if (size == room) plan = realloc(plan, room *= 2);
  }
  if (plan == NULL) fail("no memory for the plan");
  close(PLAN);
  if (size == 0 || plan[size - 1] != '\0') fail("the plan has no end");
  next_word = plan;
  plan_end = plan + size;
  size_t words = 0;
  for (char *c = plan; c < plan_end; c++) words += *c == '\0';
  args = calloc(words + 1, sizeof *args);
  env = calloc(words + 1, sizeof *env);
  if (args == NULL || env == NULL) fail("no memory for the plan");
}

static char *word(void) {
  if (next_word == plan_end) fail("the plan ends within an operation");
  char *found = next_word;
  next_word += strlen(found) + 1;
  return found;
}

static uint64_t number(int base, uint64_t max) {
  char *text = word(), *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, base);
  if (!isxdigit((unsigned char)*text) || *end != '\0' || errno != 0 || value > max)
    fail("the plan has a bad number: %s", text);
  return value;
}

/* The leader of the terminal's session must be in the container's PID namespace, for job control. */
static void op_terminal(void) {
  check(setsid(), "setsid");
  check(ioctl(STDIN_FILENO, TIOCSCTTY, 1), "set the controlling terminal");
}

/*
 * No namespace separates keyrings, and a session keyring is inherited by all descendants (session-keyring(7)): without one
 * of its own, a container could read and change the keys of the others and of the host's services.
 */
static void op_keyring(void) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) check(-1, "join a session keyring");
}

/* A path through a link in /proc could lead to a directory of the host, which has no path in here (CVE-2024-21626). */
static void op_directory(void) {
  char *path = word(), real[PATH_MAX];
  if (chdir(path) < 0) fail("chdir to cwd (\"%s\") failed: %s", path, reason(errno));
  if (syscall(SYS_getcwd, real, sizeof real) < 0 || real[0] != '/')
    fail("the working directory is outside of the container");
}

static void op_bounding(void) {
  uint64_t kept = number(16, UINT64_MAX);
  for (int capability = 0; capability < 64; capability++) {
    if ((kept >> capability) & 1) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break; /* The kernel has no more capabilities. */
    check(-1, "drop a capability");
  }
}

static void op_groups(void) {
  static gid_t groups[MAX_GROUPS];
  size_t count = number(10, MAX_GROUPS);
  for (size_t i = 0; i < count; i++) groups[i] = number(10, UINT32_MAX);
  check(setgroups(count, groups), "setgroups");
}

static void op_gid(void) {
  gid_t gid = number(10, UINT32_MAX);
  check(setresgid(gid, gid, gid), "setgid");
}

static void op_uid(void) {
  uid_t uid = number(10, UINT32_MAX);
  check(setresuid(uid, uid, uid), "setuid");
}

/* What is inheritable or ambient would survive the command's start. */
static void op_no_inheritable(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "clear the ambient capabilities");
  check(syscall(SYS_capget, &header, data), "capget");
  data[0].inheritable = data[1].inheritable = 0;
  check(syscall(SYS_capset, &header, data), "capset");
}

static void op_no_new_privileges(void) {
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs");
}

static unsigned digit(char c) {
  return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* The filter's instructions in hexadecimal digits. */
static void op_seccomp(void) {
  unsigned flags = number(10, UINT32_MAX);
  char *text = word();
  size_t bytes = strspn(text, "0123456789abcdef") / 2, count = bytes / sizeof(struct sock_filter);
  if (text[2 * bytes] != '\0' || count * sizeof(struct sock_filter) != bytes || count == 0 || count > BPF_MAXINSNS)
    fail("the plan has a bad seccomp filter");
  unsigned char *filter = malloc(bytes);
  if (filter == NULL) fail("no memory for the seccomp filter");
  for (size_t i = 0; i < bytes; i++) filter[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
  struct sock_fprog program = {count, (struct sock_filter *)filter};
  check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program), "load the seccomp filter");
}

static void op_env(void) {
  env[env_count++] = word();
}

static void op_arg(void) {
  args[arg_count++] = word();
}

/* Fails if the kernel would refuse the file: after `started`, an error can no longer be reported. */
static void check_executable(const char *path) {
  char head[256] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return; /* It may be executable without being readable. */
  ssize_t size = read(file, head, sizeof head - 1);
  close(file);
  if (size >= 4 && memcmp(head, "\177ELF", 4) == 0) return;
  if (size < 2 || head[0] != '#' || head[1] != '!') fail("exec %s: exec format error", path);
  char *interpreter = head + 2 + strspn(head + 2, " \t");
  interpreter[strcspn(interpreter, " \t\n")] = '\0';
  if (faccessat(AT_FDCWD, interpreter, X_OK, AT_EACCESS) < 0) fail("exec %s: %s", path, reason(errno));
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
  for (size_t i = 0; i < env_count; i++)
    if (strncmp(env[i], "PATH=", 5) == 0) directories = env[i] + 5;
  for (;;) {
    int length = strcspn(directories, ":");
    int size = snprintf(path, sizeof path, "%.*s/%s", length ? length : 1, length ? directories : ".", command);
    if (size < (int)sizeof path && is_executable(path)) return path;
    if (directories[length] == '\0') break;
    directories += length + 1;
  }
  fail("exec: \"%s\": executable file not found in $PATH", command);
}

static void op_exec(void) {
  if (arg_count == 0) fail("the plan has no command");
  const char *path = find_command(args[0]);
  check_executable(path);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* An older kernel lacks the call; then the caller's descriptors must be closed on exec by themselves. */
  syscall(SYS_close_range, STATUS, ~0U, CLOSE_RANGE_CLOEXEC);
  fcntl(STATUS, F_SETFD, FD_CLOEXEC);
  dprintf(STATUS, "started\n");
  execve(path, args, env);
  dprintf(STDERR_FILENO, "exec %s: %s\n", path, reason(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

static const struct {
  const char *name;
  void (*carry_out)(void);
} operations[] = {
    {"terminal", op_terminal},
    {"keyring", op_keyring},
    {"directory", op_directory},
    {"bounding", op_bounding},
    {"groups", op_groups},
    {"gid", op_gid},
    {"uid", op_uid},
    {"no-inheritable", op_no_inheritable},
    {"no-new-privileges", op_no_new_privileges},
    {"seccomp", op_seccomp},
    {"env", op_env},
    {"arg", op_arg},
    {"exec", op_exec},
};

int main(void) {
  read_plan();
  for (;;) {
    char *name = word();
    size_t i = 0, count = sizeof operations / sizeof *operations;
    while (i < count && strcmp(operations[i].name, name) != 0) i++;
    if (i == count) fail("the plan has an unknown operation: %s", name);
    operations[i].carry_out();
  }
}
