import { describe, expect, test } from "vitest";
import { call, execute, type SystemCall, tokens, verdict, verdicts } from "./bpf.suite.ts";
import { runtimeDefault } from "./runtime-default.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import type { Container } from "./selection.ts";
import { type CallInterface, systemCalls } from "./system-calls.ts";

const { allow, errno } = verdicts;
const eperm = errno(1);
const enosys = errno(38);
const defaults =
  "audit_write chown dac_override fowner fsetid kill net_bind_service net_raw setfcap setgid setpcap setuid sys_chroot".split(
    " ",
  );
const x64: Container = { architecture: "x64", capabilities: defaults, kernel: "6.12.0" };
const arm64: Container = { ...x64, architecture: "arm64" };

/** Returns the decision about a call in a container. */
function decide(of: SystemCall, more: Partial<Container> = {}): number {
  return verdict(seccompFilter(runtimeDefault, { ...x64, ...more }).program, of);
}

const own = (name: string, ...args: readonly (bigint | number)[]) => call("x86_64", name, ...args);

describe("the default profile", () => {
  test.each(
    "read openat execve mmap futex ptrace seccomp clock_gettime statmount uretprobe chroot".split(" "),
  )("%s is allowed", (name) => expect(decide(own(name))).toBe(allow));

  test.each(
    "mount umount2 unshare setns bpf keyctl add_key request_key userfaultfd kexec_load init_module reboot swapon io_uring_setup".split(
      " ",
    ),
  )("%s is refused with EPERM", (name) => expect(decide(own(name))).toBe(eperm));

  test.each([
    ["CAP_DAC_READ_SEARCH", "open_by_handle_at"],
    ["CAP_SYS_ADMIN", "mount"],
    ["CAP_SYS_ADMIN", "unshare"],
    ["CAP_SYS_ADMIN", "clone3"],
    ["CAP_SYS_BOOT", "reboot"],
    ["CAP_SYS_MODULE", "finit_module"],
    ["CAP_SYS_PACCT", "acct"],
    ["CAP_SYS_PTRACE", "kcmp"],
    ["CAP_SYS_RAWIO", "iopl"],
    ["CAP_SYS_TIME", "settimeofday"],
    ["CAP_SYS_TTY_CONFIG", "vhangup"],
    ["CAP_SYS_NICE", "mbind"],
    ["CAP_SYSLOG", "syslog"],
    ["CAP_BPF", "bpf"],
    ["CAP_PERFMON", "perf_event_open"],
    ["CAP_SYS_CHROOT", "chroot"],
  ])("with %s, %s is allowed", (capability, name) => {
    expect(decide(own(name), { capabilities: [] })).not.toBe(allow);
    expect(decide(own(name), { capabilities: [capability] })).toBe(allow);
  });

  test("a process can trace others since Linux 4.8", () => {
    expect(decide(own("ptrace"), { kernel: "4.7.0" })).toBe(eperm);
    expect(decide(own("ptrace"), { kernel: "4.8.0" })).toBe(allow);
    expect(decide(own("ptrace"), { kernel: "4.7.0", capabilities: ["CAP_SYS_PTRACE"] })).toBe(allow);
  });

  test.each<[bigint, number]>([
    [0n, allow],
    [0x8n, allow],
    [0x20000n, allow],
    [0x20008n, allow],
    [0xffffffffn, allow],
    [1n, eperm],
    [0x40000n, eperm],
    [0x100000000n, eperm],
    [2n ** 64n - 1n, eperm],
  ])("personality(%i) gets %i", (value, expected) =>
    expect(decide(own("personality", value))).toBe(expected),
  );

  test.each([0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])(
    "clone with the namespace %i needs CAP_SYS_ADMIN",
    (flag) => {
      expect(decide(own("clone", flag | 17))).toBe(eperm);
      expect(decide(own("clone", flag | 17), { capabilities: ["CAP_SYS_ADMIN"] })).toBe(allow);
      expect(verdict(seccompFilter(runtimeDefault, arm64).program, call("aarch64", "clone", flag))).toBe(
        eperm,
      );
    },
  );

  test("clone makes threads and processes, and clone3 does not exist", () => {
    // The flags of pthread_create(3) and fork(2).
    for (const flags of [0x3d0f00, 0x1200011, 17]) expect(decide(own("clone", flags))).toBe(allow);
    expect(decide(own("clone3"))).toBe(enosys);
  });

  test("sockets of all address families but AF_ALG, AF_VSOCK and unknown ones are made", () => {
    const refused = [...Array(64).keys()].filter((family) => decide(own("socket", family)) !== allow);
    // AF_UNSPEC (0) is no family: the kernel refuses it.
    expect(refused).toEqual([38, 40, ...[...Array(18).keys()].map((i) => 46 + i)]);
    expect(decide(own("socket", 2n ** 32n + 40n))).toBe(eperm);
  });

  test("calls that are newer than the profile do not exist", () => {
    expect(decide(own("removexattrat"))).toBe(allow);
    expect(decide(own("open_tree_attr"))).toBe(enosys);
    expect(decide({ number: 1000, token: tokens.x86_64, args: [] })).toBe(enosys);
    expect(decide({ number: 1000, token: tokens.x86, args: [] })).toBe(enosys);
  });

  test("the other interfaces of x86 have the same rules, and those of other machines none", () => {
    for (const of of ["x86", "x32"] as const) {
      expect(decide(call(of, "read"))).toBe(allow);
      expect(decide(call(of, "mount"))).toBe(eperm);
      expect(decide(call(of, "clone3"))).toBe(enosys);
      expect(decide(call(of, "clone", 0x10000000))).toBe(eperm);
    }
    expect(decide(call("x86", "socketcall", 1))).toBe(allow);
    expect(decide(call("aarch64", "read"))).toBe(verdicts.killThread);
    const { program } = seccompFilter(runtimeDefault, arm64);
    for (const of of ["aarch64", "arm"] as const) {
      expect(verdict(program, call(of, "read"))).toBe(allow);
      expect(verdict(program, call(of, "mount"))).toBe(eperm);
    }
    expect(verdict(program, call("arm", "set_tls"))).toBe(allow);
    expect(verdict(program, call("x86_64", "read"))).toBe(verdicts.killThread);
  });

  test("an x86 machine knows the calls of x86", () => {
    for (const name of ["arch_prctl", "modify_ldt"]) expect(decide(own(name))).toBe(allow);
    expect(decide(own("uselib"))).toBe(eperm);
  });

  test("each name is a call of some interface", () => {
    const tables = (["x86_64", "x86", "x32", "aarch64", "arm"] as const).map(systemCalls);
    const unknown = runtimeDefault.syscalls
      .flatMap(({ names }) => names)
      .filter((name) => !tables.some((numbers) => numbers.has(name)));
    // 32-bit ARM calls it arm_sync_file_range.
    expect(unknown).toEqual(["sync_file_range2"]);
  });

  test.each<[Container["architecture"], readonly CallInterface[], number, number]>([
    ["x64", ["x86_64", "x86", "x32"], 393, 12],
    ["arm64", ["aarch64", "arm"], 292, 13],
  ])("the filter for %s is small", (architecture, interfaces, length, most) => {
    const { program } = seccompFilter(runtimeDefault, { ...x64, architecture });
    expect(program.length).toBe(length * 8);
    const steps = interfaces.flatMap((of) =>
      [...systemCalls(of).keys()]
        .filter((name) => !["socket", "personality", "clone"].includes(name))
        .map((name) => execute(program, call(of, name)).steps),
    );
    expect(Math.max(...steps)).toBe(most);
  });
});
