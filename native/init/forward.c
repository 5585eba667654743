/* Connections to ports inside a sandbox. */
#include "init.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

enum { CHUNK = 64 << 10 };

/* One direction: what `from` has sent and `to` has not taken yet. */
struct half {
  int from, to, ended;
  size_t start, size;
  char data[CHUNK];
};

/* Returns 0 if the connection is broken. */
static int move(struct half *half, short readable) {
  if (half->size == 0 && !half->ended && readable) {
    ssize_t count = recv(half->from, half->data, CHUNK, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    half->start = 0;
    half->size = count;
    if (count == 0) {
      half->ended = 1;
      shutdown(half->to, SHUT_WR);
    }
  }
  while (half->size > 0) {
    ssize_t count = send(half->to, half->data + half->start, half->size, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    half->start += count;
    half->size -= count;
  }
  return 1;
}

/* forward <Knarr's socket> <its name there> <port>: connects to the port on this network's loopback, after `enter`. */
void op_forward(void) {
  const char *path = word(), *token = word();
  static struct half halves[2];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(number(10, 65535))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int target = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  if (connect(target, (struct sockaddr *)&address, sizeof address) < 0) fail("%s", reason(errno));
  int client = dial(path, token);
  report("started", "");
  close(reports);
  check(fcntl(target, F_SETFL, O_NONBLOCK), "fcntl");
  check(fcntl(client, F_SETFL, O_NONBLOCK), "fcntl");
  halves[0] = (struct half){.from = client, .to = target};
  halves[1] = (struct half){.from = target, .to = client};
  while (!halves[0].ended || !halves[1].ended || halves[0].size > 0 || halves[1].size > 0) {
    struct pollfd events[2] = {{client, 0, 0}, {target, 0, 0}};
    for (int i = 0; i < 2; i++) {
      if (halves[i].size > 0) events[1 - i].events |= POLLOUT;
      else if (!halves[i].ended) events[i].events |= POLLIN;
    }
    if (poll(events, 2, -1) < 0 && errno != EINTR) check(-1, "poll");
    for (int i = 0; i < 2; i++) {
      if (!move(&halves[i], events[i].revents & (POLLIN | POLLHUP | POLLERR))) _exit(0);
    }
  }
  _exit(0);
}
