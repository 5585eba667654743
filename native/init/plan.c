/* The plan: words that each end with a zero byte. The first is the job's name; then come operations and their arguments. */
#include "init.h"
#include <ctype.h>

static char *next_word, *plan_end;

char *word(void) {
  if (next_word == plan_end) fail("the plan ends within an operation");
  char *found = next_word;
  next_word += strlen(found) + 1;
  return found;
}

uint64_t number(int base, uint64_t max) {
  char *text = word(), *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, base);
  if (!isxdigit((unsigned char)*text) || *end != '\0' || errno != 0 || value > max)
    fail("the plan has a bad number: %s", text);
  return value;
}

static unsigned digit(char c) {
  return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

void *bytes_of(const char *text, size_t *size) {
  *size = strspn(text, "0123456789abcdef") / 2;
  if (text[2 * *size] != '\0') fail("the plan has bad digits: %.20s", text + 2 * *size);
  unsigned char *bytes = malloc(*size + 1);
  if (bytes == NULL) fail("no memory for the plan");
  for (size_t i = 0; i < *size; i++) bytes[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
  return bytes;
}

/* Ends a plan without a command. */
static void op_done(void) {
  _exit(0);
}

static const struct {
  const char *name;
  void (*carry_out)(void);
} operations[] = {
    {"container", op_container},
    {"session", op_session},
    {"enter-container", op_enter_container},
    {"processes", op_processes},
    {"pause", op_pause},
    {"forward", op_forward},
    {"namespaces", op_namespaces},
    {"pin", op_pin},
    {"write", op_write},
    {"hostname", op_hostname},
    {"user", op_user},
    {"idmap", op_idmap},
    {"enter-user", op_enter_user},
    {"own-streams", op_own_streams},
    {"done", op_done},
    {"devices", op_devices},
    {"join", op_join},
    {"enter", op_enter},
    {"unshare", op_unshare},
    {"propagation", op_propagation},
    {"root", op_root},
    {"filesystem", op_filesystem},
    {"own-terminals", op_own_terminals},
    {"node", op_node},
    {"link", op_link},
    {"bind", op_bind},
    {"mask", op_mask},
    {"read-only", op_read_only},
    {"make-directory", op_make_directory},
    {"pivot", op_pivot},
    {"read-only-root", op_read_only_root},
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

void run_plan(char *words, size_t size) {
  if (size == 0 || words[size - 1] != '\0') fail("the plan has no end");
  next_word = words;
  plan_end = words + size;
  job = word();
  for (;;) {
    char *name = word();
    size_t i = 0, count = sizeof operations / sizeof *operations;
    while (i < count && strcmp(operations[i].name, name) != 0) i++;
    if (i == count) fail("the plan has an unknown operation: %s", name);
    operations[i].carry_out();
  }
}
