/*
 * The relay: the only part of a rootless node that stays in the machine's network. It serves a Unix socket, which only this
 * user can connect to. A client writes a line of `<host> <port>`, reads `ok` or why there is no connection, and the rest are
 * the connection's bytes.
 */
#include "init.h"
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>

enum { MAX_LINE = 512, MAX_CLIENTS = 64, PATIENCE_SECONDS = 30, BUFFER = 65536 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};

/* Reads one byte at a time, because what follows the line is for the other end. Returns 0 if there is no whole line. */
static int read_line(int from, char *line) {
  for (size_t size = 0; size < MAX_LINE; size++) {
    if (recv(from, line + size, 1, 0) != 1) return 0;
    if (line[size] != '\n') continue;
    line[size] = '\0';
    return 1;
  }
  return 0;
}

static int connect_to(const char *host, const char *port, const char **why) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all;
  int found = getaddrinfo(host, port, &hints, &all), made = -1;
  if (found != 0) {
    *why = found == EAI_AGAIN ? "EAI_AGAIN" : "ENOTFOUND";
    return -1;
  }
  struct timeval patience = {PATIENCE_SECONDS, 0};
  for (struct addrinfo *one = all; one != NULL && made < 0; one = one->ai_next) {
    int try = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (try < 0) continue;
    setsockopt(try, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(try, one->ai_addr, one->ai_addrlen) == 0) made = try;
    else {
      *why = errno == ECONNREFUSED ? "ECONNREFUSED" : errno == EINPROGRESS || errno == ETIMEDOUT ? "ETIMEDOUT"
             : errno == ENETUNREACH ? "ENETUNREACH" : "EHOSTUNREACH";
      close(try);
    }
  }
  freeaddrinfo(all);
  return made;
}

static int send_all(int to, const char *bytes, ssize_t size) {
  for (ssize_t sent = 0; sent < size;) {
    ssize_t count = send(to, bytes + sent, size - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    sent += count;
  }
  return 1;
}

/* Copies both ways until both ends have said all; blocking writes keep a fast end from filling this process. */
static void copy(int a, int b) {
  static char bytes[BUFFER];
  struct pollfd ends[] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
  int open_ends = 2;
  while (open_ends > 0) {
    if (poll(ends, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; i++) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      int other = i == 0 ? b : a;
      ssize_t count = recv(ends[i].fd, bytes, sizeof bytes, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 || !send_all(other, bytes, count)) return;
      if (count > 0) continue;
      shutdown(other, SHUT_WR);
      ends[i].fd = -1;
      open_ends--;
    }
  }
}

static void die_with(pid_t parent) {
  check(prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0), "prctl");
  if (getppid() != parent) _exit(0); /* It has ended before. */
}

static void serve_client(int client) {
  char line[MAX_LINE];
  const char *why = "EHOSTUNREACH";
  struct timeval patience = {PATIENCE_SECONDS, 0}, none = {0, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (!read_line(client, line)) return;
  char *port = strchr(line, ' ');
  if (port == NULL) return;
  *port++ = '\0';
  int server = connect_to(line, port, &why);
  if (server < 0) {
    send_all(client, why, strlen(why));
    send_all(client, "\n", 1);
    return;
  }
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  setsockopt(server, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  if (send_all(client, "ok\n", 3)) copy(client, server);
}

static int is_own(int client) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void end(int number) {
  (void)number;
  unlink(address.sun_path);
  _exit(0);
}

static __attribute__((noreturn)) void serve(int socket, pid_t parent) {
  leave_session("knarr-relay");
  pid_t own = getpid();
  signal(SIGTERM, end);
  die_with(parent);
  for (int clients = 0;;) {
    while (clients > 0 && waitpid(-1, NULL, clients < MAX_CLIENTS ? WNOHANG : 0) > 0) clients--;
    /* Ended ones are noticed at the next connection. */
    int client = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) continue;
    pid_t pid = is_own(client) ? fork() : -1;
    if (pid == 0) {
      signal(SIGTERM, SIG_DFL);
      die_with(own);
      close(socket);
      serve_client(client);
      _exit(0);
    }
    if (pid > 0) clients++;
    close(client);
  }
}

/* Serves `KNARR_RELAY` until this process, or the command that it becomes, has ended. */
void start_relay(const char *directory) {
  pid_t parent = getpid();
  int size = snprintf(address.sun_path, sizeof address.sun_path, "%s/relay-%d.sock", directory, (int)parent);
  if (size >= (int)sizeof address.sun_path) fail("the path is too long for a socket: %s", directory);
  int listener = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  unlink(address.sun_path);
  mode_t before = umask(0177);
  check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
  umask(before);
  check(listen(listener, MAX_CLIENTS), "listen");
  pid_t pid = check(fork(), "fork");
  if (pid == 0) {
    check(dup2(listener, 3), "dup2");
    check(syscall(SYS_close_range, 4, ~0U, 0), "close_range");
    serve(3, parent);
  }
  close(listener);
  setenv("KNARR_RELAY", address.sun_path, 1);
}
