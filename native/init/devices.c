/* The guard of devices where cgroups are of version 2: a program in the kernel that is asked at each access. */
#include "init.h"
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

/* devices <directory of a cgroup> <instructions in hexadecimal digits> */
void op_devices(void) {
  const char *path = word(), *text = word();
  size_t size;
  void *instructions = bytes_of(text, &size);
  static const char license[] = "Apache-2.0";
  union bpf_attr load = {
      .prog_type = BPF_PROG_TYPE_CGROUP_DEVICE,
      .insns = (uintptr_t)instructions,
      .insn_cnt = size / sizeof(struct bpf_insn),
      .license = (uintptr_t)license,
  };
  int program = check(syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load), "load the guard of devices");
  int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) fail("open %s: %s", path, reason(errno));
  union bpf_attr attach = {
      .target_fd = group,
      .attach_bpf_fd = program,
      .attach_type = BPF_CGROUP_DEVICE,
      .attach_flags = BPF_F_ALLOW_MULTI,
  };
  check(syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach), "attach the guard of devices");
  free(instructions);
  close(group);
  close(program);
}
