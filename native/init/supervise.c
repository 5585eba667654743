/*
 * Supervisors. `container` and `session` divide the plan: the calling process becomes the supervisor of a new one, which
 * carries out the rest of the plan. A container's supervisor outlives Knarr; a session's serves one client.
 */
#include "init.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>

int terminals = -1;

/* The new process's ends of its streams. */
static int own[3];
static struct streams streams = {-1, -1, -1, 0, 0};

static void make_pipe(int wanted, int fd, int *here) {
  int ends[2], writes = fd != STDIN_FILENO;
  *here = -1;
  if (!wanted) {
    own[fd] = check(open("/dev/null", (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC), "open /dev/null");
    return;
  }
  check(pipe2(ends, O_CLOEXEC), "pipe");
  own[fd] = ends[writes];
  *here = ends[!writes];
  check(fcntl(*here, F_SETFL, O_NONBLOCK), "fcntl");
}

/* `multiplexer` is an open /dev/pts/ptmx. */
static void use_terminal(int multiplexer) {
  int unlock = 0;
  check(ioctl(multiplexer, TIOCSPTLCK, &unlock), "unlock the terminal");
  int terminal = check(ioctl(multiplexer, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC), "open the terminal");
  own[0] = own[1] = own[2] = terminal;
  check(fcntl(multiplexer, F_SETFL, O_NONBLOCK), "fcntl");
  streams = (struct streams){multiplexer, multiplexer, -1, 1, 0};
}

const char *line_of(pid_t pid) {
  static char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : read(file, line, sizeof line - 1);
  if (file >= 0) close(file);
  line[size < 0 ? 0 : size] = '\0';
  return line;
}

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || write(file, text, strlen(text)) < 0) fail("write %s: %s", path, reason(errno));
  close(file);
}

void record(const char *directory, const char *name, pid_t pid) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  write_file(path, line_of(pid));
}

static int said;        /* The read end of the new process's `failures`. */
static int entered = -1; /* Where a session's process names the one that it leaves in the container. */

static void lead_session(void) {
  check(setsid(), "setsid");
  if (streams.terminal) check(ioctl(STDIN_FILENO, TIOCSCTTY, 0), "set the controlling terminal");
}

/* In the new process, which no other one may inspect before its command runs, returns 0. */
static pid_t divide(unsigned flags) {
  int ends[2];
  check(pipe2(ends, O_CLOEXEC), "pipe");
  pid_t pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  check(pid, "clone");
  if (pid == 0) {
    failures = ends[1];
    close(reports);
    reports = -1;
    check(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl");
    for (int fd = 0; fd < 3; fd++) check(dup2(own[fd], fd), "dup2");
    if (entered < 0) lead_session();
    return 0;
  }
  close(ends[1]);
  for (int fd = 0; fd < 3; fd++)
    if (fd == 0 || own[fd] != own[0]) close(own[fd]);
  said = ends[0];
  return pid;
}

/* Reports whether the command runs. After that nothing is left to say to Knarr. */
static void report_start(pid_t pid) {
  char why[2048];
  size_t size = 0;
  for (ssize_t count; (count = read(said, why + size, sizeof why - 1 - size)) != 0;) {
    if (count < 0 && errno != EINTR) break;
    if (count > 0) size += count;
    if (size == sizeof why - 1) break;
  }
  close(said);
  why[size] = '\0';
  if (size > 0) {
    waitpid(pid, NULL, 0);
    fail("%s", why);
  }
  report("started", "");
  close(reports);
  reports = -1;
}

/*
 * Just before the command runs. A session's process leaves another one in the container, with the container's rights alone:
 * what the container's processes can see never had the host's. It becomes the supervisor's child.
 */
void leave_command(void) {
  int *last = failures >= 0 ? &failures : &reports, kept = STDERR_FILENO + 1;
  check(dup3(*last, 200, O_CLOEXEC), "dup3");
  if (entered >= 0) check(dup3(entered, 201, O_CLOEXEC), "dup3");
  *last = 200;
  check(syscall(SYS_close_range, kept, 199, 0), "close_range");
  check(syscall(SYS_close_range, 202, ~0U, 0), "close_range");
  if (entered < 0) return;
  pid_t pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  check(pid, "clone");
  if (pid > 0) {
    check(write(201, &pid, sizeof pid), "name the new process");
    _exit(0);
  }
  close(201);
  lead_session();
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static long oom_kills(const char *path) {
  char text[4096];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  text[size < 0 ? 0 : size] = '\0';
  for (char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, "oom_kill ", 9) == 0) return atol(line + 9);
  }
  return 0;
}

const char *field_of(const char *line, int number) {
  const char *field = strrchr(line, ')'); /* The end of the second, which may contain anything. */
  for (int at = 2; field != NULL && at < number; at++) {
    field = strchr(field, ' ');
    if (field != NULL) field++;
  }
  return field;
}

static int container = -1;

/* Finds the running process as it was recorded, not a later one with the same ID. */
static void find_process(pid_t pid, const char *start) {
  container = syscall(SYS_pidfd_open, pid, 0);
  if (container < 0) fail("the container is not running");
  fcntl(container, F_SETFD, FD_CLOEXEC);
  const char *field = field_of(line_of(pid), 22);
  size_t length = strlen(start);
  if (field == NULL || strncmp(field, start, length) != 0 || field[length] != ' ')
    fail("the container is not running");
}

/*
 * container <directory> <exit file> <file with oom_kill> <log> <input: none, open or once> <terminal> <group of
 * terminals> <processes: own, host or shared>; then, if they are shared, the PID and the start of a process with whom
 */
void op_container(void) {
  const char *directory = word(), *exit_file = word(), *oom_file = word(), *log = word(), *input = word();
  int terminal = number(10, 1);
  unsigned group = number(10, UINT32_MAX);
  const char *processes = word();
  if (strcmp(processes, "shared") == 0) {
    pid_t peer = number(10, INT32_MAX);
    find_process(peer, word());
    check(setns(container, CLONE_NEWPID), "enter the shared processes");
    close(container);
  }
  record(directory, "supervisor", getpid());
  open_log(log);
  listen_for_viewers(directory);
  if (terminal) {
    char options[64];
    snprintf(options, sizeof options, "ptmxmode=0666,mode=0620,gid=%u", group);
    terminals = make_filesystem("devpts", options, 2 | 8 /* MOUNT_ATTR_NOSUID, NOEXEC */);
    use_terminal(check(openat(terminals, "ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), "open ptmx"));
    if (*input == 'n') streams.in = -1;
  } else {
    make_pipe(*input != 'n', STDIN_FILENO, &streams.in);
    make_pipe(1, STDOUT_FILENO, &streams.out);
    make_pipe(1, STDERR_FILENO, &streams.err);
    streams.once = strcmp(input, "once") == 0;
  }
  pid_t pid = divide(strcmp(processes, "own") == 0 ? CLONE_NEWPID : 0);
  if (pid == 0) return;
  if (terminals >= 0) close(terminals);
  record(directory, "init", pid);
  report_start(pid);
  int code = exit_code(relay(&streams, pid));
  char text[64];
  snprintf(text, sizeof text, "%d %ld\n", code, oom_kills(oom_file));
  write_file(exit_file, text);
  dismiss_viewers(code);
  _exit(0);
}

/* A new terminal of the container's own. What is at its path now may be anything; it is opened only if it makes terminals. */
static int container_multiplexer(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/root", (int)pid);
  int root = check(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), "open the container's root");
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS};
  int place = syscall(SYS_openat2, root, "dev/pts/ptmx", &how, sizeof how);
  struct statfs system;
  if (place < 0 || fstatfs(place, &system) < 0 || system.f_type != DEVPTS_SUPER_MAGIC)
    fail("the container has no terminals at /dev/pts");
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  int multiplexer = check(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC), "open ptmx");
  close(place);
  close(root);
  return multiplexer;
}

int dial(const char *path, const char *token) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("the path is too long for a socket: %s", path);
  strcpy(address.sun_path, path);
  int client = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  check(connect(client, (struct sockaddr *)&address, sizeof address), "connect to Knarr");
  if (write(client, token, strlen(token)) < 0 || write(client, "\n", 1) < 0) check(-1, "write to Knarr");
  return client;
}

/*
 * session <Knarr's socket> <its name there> <standard input> <output> <error> <terminal> <the container's first process>
 * <its start>
 */
void op_session(void) {
  const char *path = word(), *token = word();
  int input = number(10, 1), output = number(10, 1), error = number(10, 1), terminal = number(10, 1);
  pid_t pid = number(10, INT32_MAX);
  find_process(pid, word());
  add_viewer(dial(path, token), input | output << 1 | error << 2, 1);
  if (terminal) {
    use_terminal(container_multiplexer(pid));
  } else {
    make_pipe(input, STDIN_FILENO, &streams.in);
    make_pipe(output, STDOUT_FILENO, &streams.out);
    make_pipe(error, STDERR_FILENO, &streams.err);
  }
  streams.once = 1;
  int ends[2];
  check(pipe2(ends, O_CLOEXEC), "pipe");
  entered = ends[1];
  pid_t guide = divide(0), child;
  if (guide == 0) return;
  close(container);
  close(entered);
  report_start(guide);
  waitpid(guide, NULL, 0);
  if (read(ends[0], &child, sizeof child) != sizeof child) _exit(0);
  close(ends[0]);
  dismiss_viewers(exit_code(relay(&streams, child)));
  _exit(0);
}

/*
 * processes <directory>: the rest of the plan is carried out by the first process of a new PID namespace, which outlives this
 * one.
 */
void op_processes(void) {
  const char *directory = word();
  for (int fd = 0; fd < 3; fd++) make_pipe(0, fd, &streams.in);
  pid_t pid = divide(CLONE_NEWPID);
  if (pid == 0) return;
  record(directory, "pause", pid);
  report_start(pid);
  _exit(0);
}

/* As a user that owns nothing; where the user namespace has no other user than root, without capabilities. */
static void lose_rights(void) {
  if (setresgid(65535, 65535, 65535) < 0 && errno != EINVAL) check(-1, "setgid");
  if (setresuid(65535, 65535, 65535) == 0) return;
  if (errno != EINVAL) check(-1, "setuid");
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  check(syscall(SYS_capset, &header, none), "capset");
}

/* Waits for the processes that others leave behind, until it is killed, with no rights and no files. */
void op_pause(void) {
  sigset_t all;
  sigfillset(&all);
  drop_groups();
  check(unshare(CLONE_NEWNS), "unshare");
  check(syscall(SYS_mount, NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "keep mounts private");
  check(syscall(SYS_mount, "tmpfs", "/proc", "tmpfs", MS_RDONLY, "size=0"), "mount an empty root");
  check(chdir("/proc"), "chdir");
  check(syscall(SYS_pivot_root, ".", "."), "pivot_root");
  check(syscall(SYS_umount2, ".", 2 /* MNT_DETACH */), "unmount the old root");
  lose_rights();
  check(sigprocmask(SIG_BLOCK, &all, NULL), "sigprocmask");
  check(syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0), "close_range");
  for (;;) {
    sigwaitinfo(&all, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
  }
}

/* enter-container <has a user namespace>: in the new process of a session, after it has joined the container's cgroups. Its child will be in the PID namespace. */
void op_enter_container(void) {
  int all = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWPID;
  int has_user = number(10, 1);
  check(setns(container, all | (has_user ? CLONE_NEWUSER : 0)), "enter the container");
  if (has_user) become_root();
}
