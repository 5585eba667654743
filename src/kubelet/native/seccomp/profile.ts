/**
 * A seccomp profile after decoding: the form of the runtime specification (runtime-spec `LinuxSeccomp`), with the
 * conditions of Docker's form (moby/profiles `seccomp.Seccomp`).
 */
export interface SeccompProfile {
  readonly defaultAction: Action;
  /** The errno of a default action with one. Default: EPERM. */
  readonly defaultErrnoRet?: number | undefined;
  /** The interfaces that calls may use besides the machine's own. */
  readonly architectures: readonly Architecture[];
  /** Docker's form of `architectures`: the entry of the machine's own architecture counts. */
  readonly archMap: readonly ArchitectureEntry[];
  /** Undefined is not the same as an empty list: see `filterFlags`. */
  readonly flags: readonly Flag[] | undefined;
  readonly syscalls: readonly Rule[];
}

export interface ArchitectureEntry {
  readonly architecture: Architecture;
  readonly subArchitectures: readonly Architecture[];
}

/** A rule for some system calls. It matches when the conditions hold: see `alternativesOf`. */
export interface Rule {
  readonly names: readonly string[];
  readonly action: Action;
  /** The errno, or the message to the tracer. Default: EPERM. */
  readonly errnoRet?: number | undefined;
  readonly args?: readonly Condition[] | undefined;
  /** The rule counts only where all of this holds. */
  readonly includes?: Requirement | undefined;
  /** The rule does not count where any of this holds. */
  readonly excludes?: Requirement | undefined;
}

/** A comparison of one argument. MASKED_EQ compares the bits in `value` with those of `valueTwo`. */
export interface Condition {
  /** 0 to 5. */
  readonly index: number;
  /** 64 bits without sign. */
  readonly value: bigint;
  readonly valueTwo: bigint;
  readonly op: Operator;
}

export interface Requirement {
  /** Capabilities, such as CAP_SYS_ADMIN. */
  readonly caps: readonly string[];
  /** Architectures in Go's spelling, such as amd64. */
  readonly arches: readonly string[];
  readonly minKernel?: KernelVersion | undefined;
}

export interface KernelVersion {
  readonly kernel: number;
  readonly major: number;
}

/** The actions and their return values (seccomp(2)). KILL is KILL_THREAD, as in libseccomp. */
export const actions = {
  SCMP_ACT_KILL: 0,
  SCMP_ACT_KILL_THREAD: 0,
  SCMP_ACT_KILL_PROCESS: 0x8000_0000,
  SCMP_ACT_TRAP: 0x0003_0000,
  SCMP_ACT_ERRNO: 0x0005_0000,
  SCMP_ACT_TRACE: 0x7ff0_0000,
  SCMP_ACT_LOG: 0x7ffc_0000,
  SCMP_ACT_ALLOW: 0x7fff_0000,
} as const;
export type Action = keyof typeof actions;

export const operators = [
  "SCMP_CMP_NE",
  "SCMP_CMP_LT",
  "SCMP_CMP_LE",
  "SCMP_CMP_EQ",
  "SCMP_CMP_GE",
  "SCMP_CMP_GT",
  "SCMP_CMP_MASKED_EQ",
] as const;
export type Operator = (typeof operators)[number];

/** All names that runc knows (runc `libcontainer/seccomp/config.go`). */
export const architectures = [
  "SCMP_ARCH_X86",
  "SCMP_ARCH_X86_64",
  "SCMP_ARCH_X32",
  "SCMP_ARCH_ARM",
  "SCMP_ARCH_AARCH64",
  "SCMP_ARCH_MIPS",
  "SCMP_ARCH_MIPS64",
  "SCMP_ARCH_MIPS64N32",
  "SCMP_ARCH_MIPSEL",
  "SCMP_ARCH_MIPSEL64",
  "SCMP_ARCH_MIPSEL64N32",
  "SCMP_ARCH_PPC",
  "SCMP_ARCH_PPC64",
  "SCMP_ARCH_PPC64LE",
  "SCMP_ARCH_RISCV64",
  "SCMP_ARCH_S390",
  "SCMP_ARCH_S390X",
  "SCMP_ARCH_LOONGARCH64",
] as const;
export type Architecture = (typeof architectures)[number];

/**
 * The flags of seccomp(2), by their bits. TSYNC has none: a filter is loaded while the process has one thread. All
 * exist since Linux 4.17.
 */
export const flags = {
  SECCOMP_FILTER_FLAG_TSYNC: 0,
  SECCOMP_FILTER_FLAG_LOG: 1 << 1,
  SECCOMP_FILTER_FLAG_SPEC_ALLOW: 1 << 2,
} as const;
export type Flag = keyof typeof flags;

/** The errno of an action without one. */
export const eperm = 1;
export const enosys = 38;

/** Returns the value that a filter returns for an action. */
export function verdictOf(action: Action, errnoRet: number | undefined): number {
  const value = actions[action];
  return action === "SCMP_ACT_ERRNO" || action === "SCMP_ACT_TRACE" ? value + (errnoRet ?? eperm) : value;
}
