/*
 * A process's streams: to its log, in CRI's format, and to and from viewers. A viewer's socket carries frames: a type, the size
 * (4 bytes, big endian), and the content (src/kubelet/native/frames.ts).
 */
#include "init.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

enum frame { INPUT, OUTPUT, ERROR, SIZE, EXIT, REOPEN_LOG };
enum {
  MAX_VIEWERS = 64,
  HEAD = 5,
  CHUNK = 32 << 10,
  /* Longer lines are split into partial entries, as containerd splits them. */
  MAX_ENTRY = 16 << 10,
  /* A viewer with more unsent bytes is sent away: a container never waits for a viewer. A session waits for its essential one. */
  MAX_UNSENT = 4 << 20,
  MAX_UNSENT_ESSENTIAL = 256 << 10,
  /* What viewers may take to read the end, in milliseconds. */
  PATIENCE = 10000,
};

static struct viewer {
  int socket;
  int wants; /* Bits of INPUT, OUTPUT, ERROR; -1 until the viewer's first byte says it. */
  int essential;
  char *unsent;
  size_t start, size, room;
  unsigned char head[HEAD + 4];
  size_t have, left; /* Bytes of the frame: of its head, and still to come. */
} viewers[MAX_VIEWERS];
static int viewer_count;
static int essential_left; /* It reads, and says no more: its process must end. */

static int listener = -1, log_file = -1;
static const char *log_path;

/* The line of each stream that has not ended yet. */
static const char *const names[] = {"stdout", "stderr"};
static struct line {
  char rest[MAX_ENTRY];
  size_t size;
} lines[2];

/* The bytes for the process's input that its pipe has not taken yet. */
static char input[CHUNK];
static size_t input_start, input_size;
static int input_ended;

/* Knarr has made the file: a link or a special file in its place is a container's, and is refused. */
void open_log(const char *path) {
  struct stat file;
  log_path = path;
  log_file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (log_file < 0 || fstat(log_file, &file) < 0 || !S_ISREG(file.st_mode)) fail("open the log %s: %s", path, reason(errno));
}

static void reopen_log(void) {
  struct stat file;
  int fresh = open(log_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CREAT | O_CLOEXEC, 0640);
  if (fresh < 0) return;
  if (fstat(fresh, &file) == 0 && S_ISREG(file.st_mode)) {
    close(log_file);
    log_file = fresh;
  } else close(fresh);
}

/* The address is relative: an absolute one can be too long for a socket. */
void listen_for_viewers(const char *directory) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "attach"};
  listener = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket");
  check(chdir(directory), "chdir");
  check(bind(listener, (struct sockaddr *)&address, sizeof address), "bind");
  check(listen(listener, MAX_VIEWERS), "listen");
  check(chdir("/"), "chdir");
}

void add_viewer(int socket, unsigned wants, int essential) {
  check(fcntl(socket, F_SETFL, O_NONBLOCK), "fcntl");
  viewers[viewer_count++] = (struct viewer){.socket = socket, .wants = wants, .essential = essential};
}

static void accept_viewer(void) {
  int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (socket < 0) return;
  if (viewer_count == MAX_VIEWERS) close(socket);
  else add_viewer(socket, -1, 0);
}

static void leave(struct viewer *viewer, struct streams *streams) {
  if (viewer->socket < 0) return;
  close(viewer->socket);
  free(viewer->unsent);
  viewer->socket = -1;
  if (streams != NULL && streams->once && viewer->wants > 0 && (viewer->wants & 1 << INPUT)) input_ended = 1;
}

/* Sends what the socket takes. Returns 0 if the viewer has left. */
static int flush(struct viewer *viewer) {
  while (viewer->size > 0) {
    ssize_t count = send(viewer->socket, viewer->unsent + viewer->start, viewer->size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    viewer->start += count;
    viewer->size -= count;
  }
  viewer->start = 0;
  return 1;
}

static int queue(struct viewer *viewer, enum frame type, const char *data, size_t size) {
  size_t end = viewer->start + viewer->size;
  if (viewer->size + size > MAX_UNSENT) return 0;
  if (end + HEAD + size > viewer->room) {
    memmove(viewer->unsent, viewer->unsent + viewer->start, viewer->size);
    viewer->start = 0;
    end = viewer->size;
    if (end + HEAD + size > viewer->room) {
      size_t room = 2 * (end + HEAD + size);
      char *larger = realloc(viewer->unsent, room);
      if (larger == NULL) return 0;
      viewer->unsent = larger;
      viewer->room = room;
    }
  }
  char *to = viewer->unsent + end;
  to[0] = type;
  for (int i = 0; i < 4; i++) to[1 + i] = size >> (24 - 8 * i);
  memcpy(to + HEAD, data, size);
  viewer->size += HEAD + size;
  return flush(viewer);
}

static void show(enum frame stream, const char *data, size_t size, struct streams *streams) {
  for (struct viewer *viewer = viewers; viewer < viewers + viewer_count; viewer++) {
    if (viewer->socket < 0 || viewer->wants < 0 || !(viewer->wants & 1 << stream)) continue;
    if (!queue(viewer, stream, data, size)) leave(viewer, streams);
  }
}

static void write_log(const char *text, size_t size) {
  while (size > 0) {
    ssize_t count = write(log_file, text, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return; /* A full disk loses log lines, but does not stop the container. */
    text += count;
    size -= count;
  }
}

static size_t put_entry(char *to, const struct line *line, char tag) {
  struct timespec now;
  struct tm date;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &date);
  size_t size = strftime(to, 32, "%Y-%m-%dT%H:%M:%S", &date);
  size += sprintf(to + size, ".%09ldZ %s %c ", now.tv_nsec, names[line - lines], tag);
  memcpy(to + size, line->rest, line->size);
  to[size + line->size] = '\n';
  return size + line->size + 1;
}

/* Writes the entries that the data completes. A line that is split, or that the stream's end cuts off, is partial. */
static void log_data(struct line *line, const char *data, size_t size) {
  static char entries[2 * (MAX_ENTRY + 64)];
  size_t used = 0;
  for (size_t at = 0; at < size; at++) {
    int ends = data[at] == '\n';
    if (ends || line->size == MAX_ENTRY) {
      used += put_entry(entries + used, line, ends ? 'F' : 'P');
      line->size = 0;
      if (used > sizeof entries / 2) {
        write_log(entries, used);
        used = 0;
      }
    }
    if (!ends) line->rest[line->size++] = data[at];
  }
  write_log(entries, used);
}

static void end_log(void) {
  static char entry[MAX_ENTRY + 64];
  for (struct line *line = lines; line < lines + 2; line++)
    if (line->size > 0) write_log(entry, put_entry(entry, line, 'P'));
}

/* Reads once. Returns the number of bytes, or 0 if there are none now; a stream that has ended is closed. */
static size_t pump(enum frame stream, int *from, struct streams *streams) {
  static char data[CHUNK];
  if (*from < 0) return 0;
  ssize_t count = read(*from, data, sizeof data);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) { /* A terminal that nobody has open gives EIO. */
    if (!streams->terminal) close(*from);
    *from = -1;
    return 0;
  }
  if (log_file >= 0) log_data(&lines[stream - OUTPUT], data, count);
  show(stream, data, count, streams);
  return count;
}

static void feed(struct streams *streams) {
  while (input_size > 0 && streams->in >= 0) {
    ssize_t count = write(streams->in, input + input_start, input_size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) { /* The process has closed its input. */
      if (!streams->terminal) close(streams->in);
      streams->in = -1;
      break;
    }
    input_start += count;
    input_size -= count;
  }
  input_start = input_size = 0;
  if (!input_ended || streams->in < 0 || streams->terminal) return; /* A terminal has no end of input. */
  close(streams->in);
  streams->in = -1;
}

static void carry_out(struct viewer *viewer, struct streams *streams) {
  const unsigned char *content = viewer->head + HEAD;
  if (viewer->head[0] == REOPEN_LOG && log_file >= 0) reopen_log();
  if (viewer->head[0] == SIZE && streams->terminal && viewer->have == HEAD + 4) {
    struct winsize size = {.ws_row = content[0] << 8 | content[1], .ws_col = content[2] << 8 | content[3]};
    ioctl(streams->out >= 0 ? streams->out : streams->in, TIOCSWINSZ, &size);
  }
}

/* Takes a viewer's bytes: at most as many as the input has room for. Returns 0 if the viewer has left. */
static int take(struct viewer *viewer, struct streams *streams) {
  unsigned char data[CHUNK / 2];
  ssize_t count = recv(viewer->socket, data, sizeof data, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (count == 0 && viewer->essential) return essential_left = 1;
  if (count <= 0) return 0;
  for (ssize_t at = 0; at < count;) {
    if (viewer->wants < 0) {
      viewer->wants = data[at++];
      continue;
    }
    if (viewer->have < HEAD) {
      viewer->head[viewer->have++] = data[at++];
      if (viewer->have < HEAD) continue;
      viewer->left = (size_t)viewer->head[1] << 24 | viewer->head[2] << 16 | viewer->head[3] << 8 | viewer->head[4];
      if (viewer->head[0] == INPUT && viewer->left == 0 && (viewer->wants & 1 << INPUT) && streams->once) input_ended = 1;
    } else {
      size_t part = viewer->left < (size_t)(count - at) ? viewer->left : (size_t)(count - at);
      if (viewer->head[0] == INPUT && (viewer->wants & 1 << INPUT) && streams->in >= 0 && !input_ended) {
        memcpy(input + input_start + input_size, data + at, part);
        input_size += part;
      } else if (viewer->head[0] != INPUT)
        for (size_t i = 0; i < part && viewer->have < sizeof viewer->head; i++)
          viewer->head[viewer->have++] = data[at + i];
      viewer->left -= part;
      at += part;
    }
    if (viewer->have < HEAD || viewer->left > 0) continue;
    carry_out(viewer, streams);
    viewer->have = 0;
  }
  feed(streams);
  return 1;
}

static const struct viewer *essential_viewer(void) {
  return viewer_count > 0 && viewers[0].essential ? &viewers[0] : NULL;
}

static void forget_the_left(void) {
  int kept = 0;
  for (int i = 0; i < viewer_count; i++)
    if (viewers[i].socket >= 0 || viewers[i].essential) viewers[kept++] = viewers[i];
  viewer_count = kept;
}

int relay(struct streams *streams, pid_t pid) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int child_ended = check(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  int status = 0, ended = waitpid(pid, &status, WNOHANG) == pid;
  for (;;) {
    const struct viewer *essential = essential_viewer();
    if (essential_left || (essential != NULL && essential->socket < 0)) {
      kill(-pid, SIGKILL); /* With what it has started in its session. */
      if (!ended) waitpid(pid, &status, 0);
      ended = 1;
    }
    /* A session also waits for the output of what its process has left behind, as containerd does. */
    if (ended && (essential == NULL || essential_left || essential->socket < 0 || (streams->out < 0 && streams->err < 0))) break;
    int waits = essential != NULL && essential->size > MAX_UNSENT_ESSENTIAL;
    struct pollfd events[5 + MAX_VIEWERS] = {
        {child_ended, POLLIN, 0},
        {viewer_count < MAX_VIEWERS ? listener : -1, POLLIN, 0},
        {waits ? -1 : streams->out, POLLIN, 0},
        {waits ? -1 : streams->err, POLLIN, 0},
        {input_size > 0 ? streams->in : -1, POLLOUT, 0},
    };
    for (int i = 0; i < viewer_count; i++)
      events[5 + i] = (struct pollfd){viewers[i].socket, (input_size > 0 ? 0 : POLLIN) | (viewers[i].size > 0 ? POLLOUT : 0), 0};
    int count = viewer_count;
    if (poll(events, 5 + count, -1) < 0 && errno != EINTR) check(-1, "poll");
    if (events[0].revents != 0) {
      struct signalfd_siginfo info;
      while (read(child_ended, &info, sizeof info) > 0) {}
      if (!ended) ended = waitpid(pid, &status, WNOHANG) == pid;
    }
    if (events[2].revents != 0) pump(OUTPUT, &streams->out, streams);
    if (events[3].revents != 0) pump(ERROR, &streams->err, streams);
    if (events[4].revents != 0) feed(streams);
    for (int i = 0; i < count; i++) {
      struct viewer *viewer = &viewers[i];
      short happened = events[5 + i].revents;
      if (viewer->socket < 0 || happened == 0) continue;
      if ((happened & POLLOUT) && !flush(viewer)) leave(viewer, streams);
      else if ((happened & POLLIN) && input_size == 0 && !take(viewer, streams)) leave(viewer, streams);
      else if ((happened & (POLLHUP | POLLERR)) && !(happened & POLLIN)) leave(viewer, streams);
    }
    feed(streams);
    if (events[1].revents != 0) accept_viewer();
    forget_the_left();
  }
  /* Everything that the process has written is in its pipes by now. */
  while (pump(OUTPUT, &streams->out, streams) > 0) {}
  while (pump(ERROR, &streams->err, streams) > 0) {}
  if (log_file >= 0) end_log();
  return status;
}

void dismiss_viewers(int code) {
  char content[] = {code >> 24, code >> 16, code >> 8, code};
  for (struct viewer *viewer = viewers; viewer < viewers + viewer_count; viewer++) {
    if (viewer->socket < 0 || !queue(viewer, EXIT, content, sizeof content)) continue;
    while (viewer->size > 0) {
      struct pollfd event = {viewer->socket, POLLOUT, 0};
      if (poll(&event, 1, viewer->essential ? -1 : PATIENCE) == 0 || !flush(viewer)) break;
    }
    close(viewer->socket);
  }
}
