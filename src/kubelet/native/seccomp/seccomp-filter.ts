import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { BpfProgram, ProgramTooLargeError, type Target } from "./bpf-program.ts";
import { decisionsOf, type PlacedRule } from "./decisions.ts";
import { actions, type Architecture, enosys, flags, type SeccompProfile, verdictOf } from "./profile.ts";
import { addTree, joined, type Range } from "./search-tree.ts";
import { activeRules, chosenArchitectures, type Container } from "./selection.ts";
import { type CallInterface, x32Bit } from "./system-calls.ts";

/** A filter for seccomp(2). */
export interface SeccompFilter {
  /** The instructions: an array of `struct sock_filter`, 8 bytes each, little endian. */
  readonly program: Uint8Array;
  /** The flags of SECCOMP_SET_MODE_FILTER. */
  readonly flags: number;
}

/**
 * Compiles a profile for a container. The filter decides as the one that runc makes through libseccomp, and is
 * pure in its arguments.
 *
 * @throws ConfigurationError if rules contradict each other, or the filter is too large for the kernel
 */
export function seccompFilter(profile: SeccompProfile, container: Container): SeccompFilter {
  try {
    return { program: compile(profile, container), flags: filterFlags(profile) };
  } catch (error) {
    if (!(error instanceof ProgramTooLargeError)) throw error;
    throw new ConfigurationError(`syscalls: ${error.message}`, { cause: error });
  }
}

/** Without a list of flags, a container keeps speculative execution, as runc decides (`SetupSeccomp`). */
function filterFlags({ flags: names = ["SECCOMP_FILTER_FLAG_SPEC_ALLOW"] }: SeccompProfile): number {
  return names.reduce((bits, name) => bits | flags[name], 0);
}

/** An interface as the kernel reports it in `struct seccomp_data` (linux/audit.h, `AUDIT_ARCH_*`). */
interface Abi {
  readonly name: Architecture;
  readonly calls: CallInterface;
  readonly token: number;
  readonly words: 1 | 2;
  /** The numbers of its calls. */
  readonly first: number;
  readonly last: number;
}

const wholeRange = { first: 0, last: 0xffff_ffff };
const x64Token = 0xc000_003e;

/** The interfaces of each machine, its own first. libseccomp compares the low halves of x32's arguments only. */
const abis: Readonly<Record<Container["architecture"], readonly Abi[]>> = {
  x64: [
    { name: "SCMP_ARCH_X86_64", calls: "x86_64", token: x64Token, words: 2, first: 0, last: x32Bit - 1 },
    { name: "SCMP_ARCH_X32", calls: "x32", token: x64Token, words: 1, first: x32Bit, last: 0xffff_ffff },
    { name: "SCMP_ARCH_X86", calls: "x86", token: 0x4000_0003, words: 1, ...wholeRange },
  ],
  arm64: [
    { name: "SCMP_ARCH_AARCH64", calls: "aarch64", token: 0xc000_00b7, words: 2, ...wholeRange },
    { name: "SCMP_ARCH_ARM", calls: "arm", token: 0x4000_0028, words: 1, ...wholeRange },
  ],
};

/** The words of `struct seccomp_data` (linux/seccomp.h). */
const numberOffset = 0;
const architectureOffset = 4;

/** The verdict about an interface that the profile does not name: libseccomp's default for a bad architecture. */
const badArchitecture = actions.SCMP_ACT_KILL_THREAD;

function compile(profile: SeccompProfile, container: Container): Uint8Array {
  const chosen = chosenArchitectures(profile, container);
  const rules = activeRules(profile, container);
  const otherwise = verdictOf(profile.defaultAction, profile.defaultErrnoRet);
  const ranges = new Map<number, readonly Range[]>();
  for (const [i, abi] of abis[container.architecture].entries()) {
    // A profile always applies to the machine's own interface.
    const isNamed = i === 0 || chosen.has(abi.name);
    const found = isNamed ? rangesOf(abi, profile, rules, otherwise) : unnamed(abi, otherwise);
    if (found.length > 0) ranges.set(abi.token, [...(ranges.get(abi.token) ?? []), ...found]);
  }
  const program = new BpfProgram();
  let entry: Target = { value: badArchitecture };
  for (const [token, some] of [...ranges].toReversed()) {
    let tree = addTree(program, joined(some), otherwise);
    if ("place" in tree) tree = program.load(numberOffset);
    entry = program.compare("jumpEqual", token, tree, entry);
  }
  return program.startingAt("place" in entry ? program.load(architectureOffset) : entry);
}

/** The ranges of an interface that the profile names. */
function rangesOf(
  { calls, words, first, last }: Abi,
  { defaultAction }: SeccompProfile,
  rules: readonly PlacedRule[],
  otherwise: number,
): readonly Range[] {
  const { outcomes, highest } = decisionsOf(calls, rules, otherwise);
  // Multiplexers of named calls may have higher numbers than all names.
  const newer = highest === 0 || permissive.has(defaultAction) ? Infinity : highest + 1;
  const ranges: Range[] = [];
  const fill = (from: number, to: number) => {
    if (from < Math.min(to, newer)) ranges.push({ from, outcome: otherwise, words });
    if (Math.max(from, newer) < to)
      ranges.push({ from: Math.max(from, newer), outcome: enosysVerdict, words });
  };
  let next = first;
  for (const [number, outcome] of [...outcomes].sort(([a], [b]) => a - b)) {
    fill(next, number);
    ranges.push({ from: number, outcome, words });
    next = number + 1;
  }
  fill(next, last + 1);
  return ranges;
}

/**
 * The default actions under which calls newer than the profile get the default, too. Under others, a call beyond all
 * that the profile names fails with ENOSYS, so that C libraries use an older call instead (runc `patchbpf`).
 */
const permissive = new Set(["SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "SCMP_ACT_TRACE"]);
const enosysVerdict = verdictOf("SCMP_ACT_ERRNO", enosys);

/**
 * The ranges of an interface that the profile does not name, but which shares its token with the machine's own: x32.
 * The number -1 is a call that a tracer has skipped (libseccomp `gen_bpf.c`).
 */
function unnamed({ token, words, first, last }: Abi, otherwise: number): readonly Range[] {
  if (token !== x64Token) return [];
  return [
    { from: first, outcome: badArchitecture, words },
    { from: last, outcome: otherwise, words },
  ];
}
