/*
 * Reports: lines of `<job> <what> <text>` on the spawner's output, which all jobs share. Each is written at once and is
 * shorter than PIPE_BUF, so that lines do not mix.
 */
#include "init.h"
#include <stdarg.h>

int reports = -1, failures = -1;
const char *job = "0";

enum { CANNOT_START = 128, MAX_TEXT = 2048 };

void report(const char *what, const char *text) {
  char line[MAX_TEXT + 256];
  if (reports < 0) return;
  int size = snprintf(line, sizeof line, "%s %s %s\n", job, what, text);
  for (char *c = line; c < line + size - 1; c++)
    if (*c == '\n') *c = ' ';
  while (write(reports, line, size) < 0 && errno == EINTR) {}
}

void fail(const char *format, ...) {
  char text[MAX_TEXT];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (failures == STDERR_FILENO) dprintf(failures, "%s\n", text);
  else if (failures < 0) report("failed", text);
  else while (write(failures, text, strlen(text)) < 0 && errno == EINTR) {}
  _exit(CANNOT_START);
}

/* Go's texts of errors, which Kubernetes' messages contain. */
const char *reason(int error) {
  switch (error) {
  case ENOENT: return "no such file or directory";
  case EACCES: return "permission denied";
  case EPERM: return "operation not permitted";
  case ENOTDIR: return "not a directory";
  case ENOEXEC: return "exec format error";
  case EINVAL: return "invalid argument";
  case EROFS: return "read-only file system";
  case ELOOP: return "too many levels of symbolic links";
  case ENAMETOOLONG: return "file name too long";
  case EXDEV: return "path leads out of its root";
  default: return strerror(error);
  }
}

long check(long result, const char *what) {
  if (result < 0) fail("%s: %s", what, reason(errno));
  return result;
}
