/*
 * knarr-init: makes the processes of containers.
 *
 * One spawner runs beside Knarr. Its input is a sequence of plans, each after its size (4 bytes, little endian). Each plan
 * is a job: a process of its own, which outlives Knarr if it supervises a container. What becomes of the jobs is reported
 * on the output (report.c): `failed <why>`, `started`, and `ended <exit code>` when the job's own process has ended. A plan
 * decides what is done and in which order (src/kubelet/native/init-plan.ts), and this program decides nothing. With
 * arguments, it is the start of a rootless node instead (rootless.c).
 */
#include "init.h"
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MAX_PLAN = 16 << 20 };

static struct running {
  struct running *next;
  pid_t pid;
  char job[32];
} *running;

/*
 * A process that enters a container can be made to run its own program again (`#!/proc/self/exe`), and a process inside
 * could then write to the program's file (CVE-2019-5736). So that this changes nothing on the host, the program first
 * replaces itself by a copy in memory that nobody can change.
 */
static void run_from_sealed_copy(char **argv) {
  int all = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  int self = check(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "open the program");
  if (fcntl(self, F_GET_SEALS) == all) {
    close(self);
    return;
  }
  int copy = syscall(SYS_memfd_create, "knarr-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | 0x10U /* MFD_EXEC */);
  if (copy < 0 && errno == EINVAL)
    copy = syscall(SYS_memfd_create, "knarr-init", MFD_CLOEXEC | MFD_ALLOW_SEALING); /* Before Linux 6.3. */
  check(copy, "create a copy of the program");
  struct stat file;
  check(fstat(self, &file), "read the program");
  for (off_t at = 0; at < file.st_size;)
    if (check(sendfile(copy, self, &at, file.st_size - at), "copy the program") == 0) fail("the program has no end");
  check(fcntl(copy, F_ADD_SEALS, all), "seal the program's copy");
  char *none[] = {NULL};
  fexecve(copy, argv, none);
  check(-1, "run the program's copy");
}

static int read_all(void *into, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t count = read(STDIN_FILENO, (char *)into + have, size - have);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    have += count;
  }
  return 1;
}

/* Becomes a job. It keeps nothing of Knarr's but the output for reports and the file of its errors. */
__attribute__((noreturn)) static void run_job(char *plan, size_t size, int child_ended) {
  check(setsid(), "setsid");
  close(child_ended);
  reports = check(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10), "keep the reports");
  int null = check(open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null");
  check(dup2(null, STDIN_FILENO), "dup2");
  check(dup2(null, STDOUT_FILENO), "dup2");
  close(null);
  run_plan(plan, size);
}

/* Returns 0 at the end of the requests. */
static int take_request(int child_ended) {
  unsigned char head[4];
  if (!read_all(head, sizeof head)) return 0;
  size_t size = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
  if (size > MAX_PLAN) fail("the plan is larger than %d bytes", MAX_PLAN);
  char *plan = malloc(size + 1);
  struct running *entry = malloc(sizeof *entry);
  if (plan == NULL || entry == NULL) fail("no memory for the plan");
  if (!read_all(plan, size)) return 0;
  plan[size] = '\0';
  snprintf(entry->job, sizeof entry->job, "%s", plan);
  entry->pid = fork();
  if (entry->pid == 0) run_job(plan, size, child_ended);
  free(plan);
  if (entry->pid < 0) {
    job = entry->job;
    report("failed", reason(errno));
    report("ended", "128");
    free(entry);
  } else {
    entry->next = running;
    running = entry;
  }
  return 1;
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    struct running **at = &running;
    while (*at != NULL && (*at)->pid != pid) at = &(*at)->next;
    if (*at == NULL) continue;
    struct running *ended = *at;
    *at = ended->next;
    char code[16];
    snprintf(code, sizeof code, "%d", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    job = ended->job;
    report("ended", code);
    free(ended);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) return run_node(argv);
  reports = STDOUT_FILENO;
  run_from_sealed_copy(argv);
  check(prctl(PR_SET_NAME, "knarr-init", 0, 0, 0), "prctl");
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  check(sigprocmask(SIG_BLOCK, &child, NULL), "sigprocmask");
  int child_ended = check(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  for (;;) {
    struct pollfd events[] = {{STDIN_FILENO, POLLIN, 0}, {child_ended, POLLIN, 0}};
    if (poll(events, 2, -1) < 0 && errno != EINTR) check(-1, "poll");
    if (events[1].revents != 0) {
      struct signalfd_siginfo info;
      while (read(child_ended, &info, sizeof info) > 0) {}
      reap();
    }
    if (events[0].revents != 0 && !take_request(child_ended)) return 0;
  }
}
