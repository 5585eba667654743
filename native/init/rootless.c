/*
 * Containers for an ordinary user. `knarr up` starts itself again inside a user namespace, in which it is root over a mount
 * and a network namespace of its own: the node's. A process without other work, the holder, keeps the namespaces until the
 * cluster has no container, so that the next `knarr up` finds them. Another process, the relay (relay.c), stays outside.
 */
#include "init.h"
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { NAMESPACES = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC, MAX_PATH = 4096 };

static const char holder_name[] = "knarr-holder";

static const char *below(const char *directory, const char *name) {
  static char path[MAX_PATH];
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) fail("the path is too long: %s", directory);
  return path;
}

struct maps {
  char *users, *groups; /* Words of newuidmap(1) and newgidmap(1), or empty: one ID each. */
};

/* Runs a program that may map the IDs of /etc/subuid or /etc/subgid, of which the user cannot map any. */
static void run_mapper(const char *program, pid_t pid, char *map) {
  char number[16], *words[32];
  int count = 0;
  snprintf(number, sizeof number, "%d", (int)pid);
  words[count++] = (char *)program;
  words[count++] = number;
  for (char *word = strtok(map, " "); word != NULL && count < 31; word = strtok(NULL, " ")) words[count++] = word;
  words[count] = NULL;
  pid_t child = check(fork(), "fork");
  if (child == 0) {
    execvp(program, words);
    fail("exec %s: %s", program, reason(errno));
  }
  int status;
  check(waitpid(child, &status, 0), "waitpid");
  if (status != 0) _exit(1); /* It has said why. */
}

/* Starts a process that maps IDs from outside once `*begin` is written to. It ends with 0 when it has done so. */
static pid_t start_mapper(struct maps maps, int *begin) {
  int ends[2];
  char byte;
  pid_t parent = getpid();
  check(pipe2(ends, O_CLOEXEC), "pipe");
  pid_t pid = check(fork(), "fork");
  if (pid == 0) {
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    run_mapper("newuidmap", parent, maps.users);
    run_mapper("newgidmap", parent, maps.groups);
    _exit(0);
  }
  close(ends[0]);
  *begin = ends[1];
  return pid;
}

static void write_map(const char *name, unsigned id) {
  char text[64];
  snprintf(text, sizeof text, "0 %u 1", id);
  write_to(name, text);
}

static void raise_loopback(void) {
  struct ifreq loopback = {.ifr_name = "lo"};
  int any = check(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  check(ioctl(any, SIOCGIFFLAGS, &loopback), "read the loopback interface");
  loopback.ifr_flags |= IFF_UP;
  check(ioctl(any, SIOCSIFFLAGS, &loopback), "raise the loopback interface");
  close(any);
}

/* The user is root inside; without maps, there is no other ID. Mounts of the host appear inside, and none of inside on the host. */
static void make_namespaces(struct maps maps) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  int begin = -1, status;
  pid_t mapper = *maps.users == '\0' ? 0 : start_mapper(maps, &begin);
  check(unshare(NAMESPACES), "make a user namespace");
  if (mapper == 0) {
    write_to("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", uid);
    write_map("/proc/self/gid_map", gid);
  } else {
    check(write(begin, "", 1), "write");
    close(begin);
    check(waitpid(mapper, &status, 0), "waitpid");
    if (status != 0) _exit(128); /* It has said why. */
    become_root();
  }
  check(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL), "set the propagation");
  raise_loopback();
}

/* Keeps nothing of the terminal, the pipes and the folder that `knarr up` was started with. */
void leave_session(const char *name) {
  check(setsid(), "setsid");
  check(prctl(PR_SET_NAME, name, 0, 0, 0), "prctl");
  int null = check(open("/dev/null", O_RDWR), "open /dev/null");
  for (int fd = 0; fd < 3; fd++) check(dup2(null, fd), "dup2");
  check(chdir("/"), "chdir");
}

static void hold(const char *directory) {
  int ready[2];
  char byte;
  check(pipe2(ready, O_CLOEXEC), "pipe");
  pid_t pid = check(fork(), "fork");
  if (pid == 0) {
    leave_session(holder_name);
    check(write(ready[1], "", 1), "write");
    check(syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0), "close_range");
    for (;;) pause();
  }
  close(ready[1]);
  if (read(ready[0], &byte, 1) != 1) fail("the holder of the namespaces has ended");
  close(ready[0]);
  record(directory, "holder", pid);
}

/* Returns a descriptor of the holder, if it runs: the process whose line in /proc was recorded, not a later one. */
static int find_holder(const char *directory) {
  char text[1024], name[64];
  int file = open(below(directory, "holder"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return -1;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size < 0 ? 0 : size] = '\0';
  pid_t pid = atol(text);
  if (pid <= 1) return -1;
  int found = syscall(SYS_pidfd_open, pid, 0);
  if (found < 0) return -1;
  snprintf(name, sizeof name, "%d (%s) ", (int)pid, holder_name);
  const char *now = line_of(pid);
  const char *before = field_of(text, 22), *after = field_of(now, 22);
  const char *state = field_of(now, 3);
  int same = state != NULL && *state != 'Z' && before != NULL && after != NULL && strncmp(now, name, strlen(name)) == 0 && atoll(before) == atoll(after);
  if (same) return found;
  close(found);
  return -1;
}

static void enter_namespaces(const char *directory, struct maps maps) {
  char here[MAX_PATH];
  if (getcwd(here, sizeof here) == NULL) strcpy(here, "/");
  int lock = check(open(below(directory, "holder.lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), "open the lock");
  check(flock(lock, LOCK_EX), "lock");
  int holder = find_holder(directory);
  if (holder < 0) {
    make_namespaces(maps);
    hold(directory);
  } else {
    check(setns(holder, NAMESPACES), "enter the node's namespaces");
    close(holder);
    become_root();
    if (chdir(here) < 0) check(chdir("/"), "chdir");
  }
  close(lock);
}

/* The socket stays in the network namespace that it is made in. An error is left to the command, which can explain it. */
static void listen_outside(const char *address, const char *port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
  char number[16];
  int one = 1;
  if (getaddrinfo(address, port, &hints, &found) != 0) {
    setenv("KNARR_LISTEN_ERROR", "ENOTFOUND", 1);
    return;
  }
  int listener = socket(found->ai_family, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (listener < 0 || bind(listener, found->ai_addr, found->ai_addrlen) < 0 || listen(listener, 511) < 0) {
    const char *code = errno == EADDRINUSE ? "EADDRINUSE" : errno == EACCES ? "EACCES" : "EADDRNOTAVAIL";
    setenv("KNARR_LISTEN_ERROR", code, 1);
    if (listener >= 0) close(listener);
  } else {
    snprintf(number, sizeof number, "%d", listener);
    setenv("KNARR_LISTENER", number, 1);
  }
  freeaddrinfo(found);
}

/*
 * rootless <directory> <maps of users and of groups> <address; empty: no listener> <port> <command> ...: runs the command in
 * the node's namespaces.
 */
static void run_rootless(char **arguments) {
  for (int i = 0; i < 6; i++)
    if (arguments[i] == NULL) fail("rootless needs a directory, two maps, an address, a port and a command");
  const char *directory = arguments[0];
  setenv("KNARR_ROOTLESS", "1", 1);
  if (*arguments[3] != '\0') {
    listen_outside(arguments[3], arguments[4]);
    start_relay(directory);
  }
  enter_namespaces(directory, (struct maps){arguments[1], arguments[2]});
  execv(arguments[5], arguments + 5);
  fail("exec %s: %s", arguments[5], reason(errno));
}

static void probe_processes(void) {
  char none[] = "";
  check(unshare(CLONE_NEWPID), "make a PID namespace");
  pid_t pid = check(fork(), "fork");
  if (pid == 0) {
    make_filesystem("proc", none, 0);
    make_filesystem("sysfs", none, 0);
    _exit(0);
  }
  int status;
  check(waitpid(pid, &status, 0), "waitpid");
  if (status != 0) _exit(128); /* It has said why. */
}

/* rootless-probe <directory> <maps of users and of groups>: fails with the reason if containers cannot run with their files in the empty directory. */
static void probe(char **arguments) {
  static const char *names[] = {"lower", "upper", "work", "root"};
  for (int i = 0; i < 3; i++)
    if (arguments[i] == NULL) fail("rootless-probe needs a directory and two maps");
  check(chdir(arguments[0]), "chdir");
  make_namespaces((struct maps){arguments[1], arguments[2]});
  probe_processes();
  for (int i = 0; i < 4; i++) check(mkdir(names[i], 0700), "mkdir");
  int result = mount("overlay", "root", "overlay", 0, "lowerdir=lower,upperdir=upper,workdir=work,userxattr");
  int error = errno;
  if (result == 0) umount2("root", MNT_DETACH);
  rmdir("work/work");
  for (int i = 0; i < 4; i++) rmdir(names[i]);
  if (result < 0) fail("overlayfs in this directory: %s", reason(error));
}

int run_node(char **argv) {
  reports = -1;
  failures = STDERR_FILENO;
  if (strcmp(argv[1], "rootless-probe") == 0) probe(argv + 2);
  else if (strcmp(argv[1], "rootless") == 0) run_rootless(argv + 2);
  else fail("unknown command: %s", argv[1]);
  return 0;
}
