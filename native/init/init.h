/* What the files of knarr-init share. */
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* plan.c: the plan's words, and its interpretation. */
void run_plan(char *words, size_t size) __attribute__((noreturn));
char *word(void);
uint64_t number(int base, uint64_t max);
/* Returns the bytes that hexadecimal digits stand for, in memory of their own. */
void *bytes_of(const char *text, size_t *size);

/* report.c: words to Knarr. */
extern int reports;  /* Knarr's end of the reports; -1 once this process has nothing more to say. */
extern int failures; /* In a container's process: where its supervisor reads why it cannot start. */
extern const char *job;
void report(const char *what, const char *text);
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
const char *reason(int error);
long check(long result, const char *what);

/* inside.c: paths that containers, images and volumes control. */
enum scope { BENEATH, IN_ROOT };
struct creation {
  mode_t type; /* S_IFDIR or S_IFREG: what the last part becomes; 0: nothing is created. */
  mode_t mode; /* Of directories. */
  uid_t owner;
};
void create_as(uid_t owner);
int open_inside(int root, const char *path, enum scope scope, struct creation missing);

/* namespaces.c */
void write_to(const char *path, const char *text);
/* Keeps the rights to the one ID of a user namespace without others, and leaves every other one. */
void drop_groups(void);
extern uid_t first_id;      /* The host's ID of the root of the container's user namespace; 0: it has none. */
extern int user_namespace;
void show_ids(int mount, const char *path);
void become_root(void);
void op_namespaces(void);
void op_pin(void);
void op_write(void);
void op_hostname(void);
void op_user(void);
void op_idmap(void);
void op_enter_user(void);

/* mounts.c, launch.c: operations of a container's process. */
int make_filesystem(const char *type, char *options, unsigned attributes);
void op_devices(void);
void op_join(void);
void op_enter(void);
void op_unshare(void);
void op_propagation(void);
void op_root(void);
void op_filesystem(void);
void op_own_terminals(void);
void op_node(void);
void op_link(void);
void op_bind(void);
void op_mask(void);
void op_read_only(void);
void op_make_directory(void);
void op_pivot(void);
void op_read_only_root(void);
void op_keyring(void);
void op_directory(void);
void op_bounding(void);
void op_groups(void);
void op_own_streams(void);
void op_gid(void);
void op_uid(void);
void op_no_inheritable(void);
void op_no_new_privileges(void);
void op_seccomp(void);
void op_env(void);
void op_arg(void);
void op_exec(void);

/* supervise.c: operations that make the rest of the plan another process, and supervise it. */
extern int terminals; /* The file system of a container's terminals, not attached yet; -1: none. */
void op_container(void);
void op_session(void);
void op_enter_container(void);
void op_processes(void);
void op_pause(void);
void leave_command(void);
/* Connects to Knarr's socket and says the name by which it is expected there. */
int dial(const char *path, const char *token);

/* Returns a process's line in /proc, which tells it from a later one with the same ID: its start is part of it. */
const char *line_of(pid_t pid);
/* Returns a field of such a line, counted from 1; NULL if there is none. */
const char *field_of(const char *line, int number);
void record(const char *directory, const char *name, pid_t pid);

/* rootless.c, relay.c: the node of an ordinary user. */
int run_node(char **argv);
void leave_session(const char *name);
void start_relay(const char *directory);

/* forward.c */
void op_forward(void);

/* streams.c: the supervised process's streams, its log and its viewers. */
struct streams {
  int in, out, err; /* Ends of pipes, or all the same terminal; -1: none. */
  int terminal;     /* A flag. */
  int once;         /* The input ends with the first viewer that ends it. */
};
void open_log(const char *path);
void listen_for_viewers(const char *directory);
void add_viewer(int socket, unsigned wants, int essential);
/* Moves bytes until the process `pid` has ended; returns its status of waitpid(2). Kills it if its essential viewer leaves. */
int relay(struct streams *streams, pid_t pid);
/* Sends the exit code to all viewers, and ends them. */
void dismiss_viewers(int code);
