import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { call, execute, tokens, verdict, verdicts } from "./bpf.suite.ts";
import type { Action, Condition, Operator, Rule, SeccompProfile } from "./profile.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import type { Container } from "./selection.ts";
import { systemCalls, x32Bit } from "./system-calls.ts";

const { allow, errno } = verdicts;
const everywhere = ["SCMP_ARCH_X86", "SCMP_ARCH_X32", "SCMP_ARCH_ARM"] as const;
const x64: Container = { architecture: "x64", capabilities: [], kernel: "6.12.0" };
const arm64: Container = { ...x64, architecture: "arm64" };
const most = 2n ** 64n - 1n;

function profile(syscalls: readonly Rule[], more: Partial<SeccompProfile> = {}): SeccompProfile {
  const nothing = { architectures: [], archMap: [], flags: undefined };
  return { defaultAction: "SCMP_ACT_ERRNO", ...nothing, syscalls, ...more };
}

function compiled(
  syscalls: readonly Rule[],
  more: Partial<SeccompProfile> = {},
  container = x64,
): Uint8Array {
  return seccompFilter(profile(syscalls, more), container).program;
}

/** A condition on an argument: `when(0, "EQ", 5)`. */
function when(index: number, op: string, value: bigint | number, valueTwo: bigint | number = 0): Condition {
  // Safe: the tests name operators.
  return { index, op: `SCMP_CMP_${op}` as Operator, value: BigInt(value), valueTwo: BigInt(valueTwo) };
}

/** A rule with an action, such as `rule("ALLOW", "read", when(0, "EQ", 5))`. */
function rule(action: string, name: string, ...args: readonly Condition[]): Rule {
  const [, kind = "", text] = /^(\w+?)(\d+)?$/.exec(action) ?? [];
  const errnoRet = text === undefined ? undefined : Number(text);
  // Safe: the tests name actions.
  return { names: [name], action: `SCMP_ACT_${kind}` as Action, errnoRet, args };
}

describe("operators", () => {
  const high = 2n ** 32n;
  const edges = [0n, 1n, 2n, high - 1n, high, high + 1n, high + 2n, 2n * high, 2n ** 63n, most - 1n, most];
  const meanings: Readonly<Record<string, (arg: bigint, value: bigint) => boolean>> = {
    NE: (arg, value) => arg !== value,
    LT: (arg, value) => arg < value,
    LE: (arg, value) => arg <= value,
    EQ: (arg, value) => arg === value,
    GE: (arg, value) => arg >= value,
    GT: (arg, value) => arg > value,
  };

  test.each(Object.keys(meanings))("%s compares 64 bits without sign", (op) => {
    for (const value of edges) {
      const program = compiled([rule("ALLOW", "read", when(2, op, value))]);
      for (const arg of edges) {
        const expected = meanings[op]?.(arg, value) === true ? allow : errno(1);
        expect(verdict(program, call("x86_64", "read", 7, 7, arg)), `${arg} ${op} ${value}`).toBe(expected);
      }
    }
  });

  test("MASKED_EQ compares the bits of its mask", () => {
    for (const mask of edges) {
      for (const value of edges) {
        const program = compiled([rule("ALLOW", "read", when(5, "MASKED_EQ", mask, value))]);
        for (const arg of edges) {
          const expected = (arg & mask) === (value & mask) ? allow : errno(1);
          const of = call("x86_64", "read", 0, 0, 0, 0, 0, arg);
          expect(verdict(program, of), `${arg} & ${mask} = ${value}`).toBe(expected);
        }
      }
    }
  });

  test("on 32-bit interfaces the low halves are compared", () => {
    const rules = [rule("ALLOW", "read", when(0, "EQ", most)), rule("ALLOW", "write", when(0, "LE", 5))];
    for (const of of ["x86", "x32", "arm"] as const) {
      const container = of === "arm" ? arm64 : x64;
      const program = compiled(rules, { architectures: everywhere }, container);
      expect(verdict(program, call(of, "read", 0xffffffff))).toBe(allow);
      expect(verdict(program, call(of, "read", 0xfffffffe))).toBe(errno(1));
      expect(verdict(program, call(of, "write", 5))).toBe(allow);
      expect(verdict(program, call(of, "write", 6))).toBe(errno(1));
    }
  });
});

describe("actions", () => {
  test.each<[string, number]>([
    ["KILL", verdicts.killThread],
    ["KILL_THREAD", verdicts.killThread],
    ["KILL_PROCESS", verdicts.killProcess],
    ["TRAP", verdicts.trap],
    ["ERRNO", errno(1)],
    ["ERRNO0", errno(0)],
    ["ERRNO38", errno(38)],
    ["TRACE", verdicts.trace(1)],
    ["TRACE65535", verdicts.trace(65535)],
    ["LOG", verdicts.log],
    ["ALLOW", allow],
  ])("%s returns %i", (action, value) => {
    expect(verdict(compiled([rule(action, "read")]), call("x86_64", "read"))).toBe(value);
  });

  test("the default action has an errno of its own", () => {
    const program = compiled([rule("ALLOW", "write")], { defaultErrnoRet: 13 });
    expect(verdict(program, call("x86_64", "read"))).toBe(errno(13));
  });

  test.each<[SeccompProfile["flags"], number]>([
    [undefined, 4],
    [[], 0],
    [["SECCOMP_FILTER_FLAG_TSYNC"], 0],
    [["SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_SPEC_ALLOW"], 6],
  ])("the flags %j have the bits %i", (flags, bits) => {
    expect(seccompFilter(profile([], { flags }), x64).flags).toBe(bits);
  });
});

describe("rules for one call", () => {
  const decide = (rules: readonly Rule[], ...args: number[]) =>
    verdict(compiled(rules), call("x86_64", "read", ...args));

  test("all conditions of a rule must hold", () => {
    const rules = [rule("ALLOW", "read", when(0, "EQ", 1), when(2, "GE", 2), when(1, "NE", 3))];
    expect(decide(rules, 1, 0, 2)).toBe(allow);
    for (const args of [
      [0, 0, 2],
      [1, 3, 2],
      [1, 0, 1],
    ])
      expect(decide(rules, ...args)).toBe(errno(1));
  });

  test("rules are alternatives", () => {
    const rules = [1, 5, 7].map((value) => rule("ALLOW", "read", when(0, "EQ", value)));
    for (const value of [1, 5, 7]) expect(decide(rules, value)).toBe(allow);
    for (const value of [0, 2, 6, 8]) expect(decide(rules, value)).toBe(errno(1));
  });

  test("two conditions on one argument are alternatives", () => {
    const rules = [rule("ALLOW", "read", when(0, "LT", 3), when(0, "GT", 6), when(1, "EQ", 9))];
    expect(decide(rules, 2, 0)).toBe(allow);
    expect(decide(rules, 7, 0)).toBe(allow);
    expect(decide(rules, 4, 9)).toBe(allow);
    expect(decide(rules, 4, 0)).toBe(errno(1));
  });

  test("the first rule without conditions wins", () => {
    const rules = [
      rule("ERRNO5", "read", when(0, "EQ", 1)),
      rule("ALLOW", "read"),
      rule("KILL", "read"),
      rule("ERRNO6", "read", when(0, "EQ", 2)),
    ];
    for (const value of [0, 1, 2]) expect(decide(rules, value)).toBe(allow);
  });

  test("a rule with the default action has no effect", () => {
    const rules = [rule("ERRNO1", "read"), rule("ALLOW", "read", when(0, "EQ", 1))];
    expect(decide(rules, 1)).toBe(allow);
    expect(decide(rules, 2)).toBe(errno(1));
  });

  // libseccomp 2.5.4 decides the same, in both orders.
  test.each<[string, Condition, Condition, number]>([
    ["EQ before GE", when(0, "EQ", 8), when(0, "GE", 5), 8],
    ["EQ before NE", when(0, "EQ", 8), when(0, "NE", 3), 8],
    ["NE before LT", when(0, "NE", 3), when(0, "LT", 9), 8],
    ["LE before GE", when(0, "LE", 8), when(0, "GE", 8), 8],
    ["the smaller LE first", when(0, "LE", 8), when(0, "LT", 9), 8],
    ["the greater GT first", when(0, "GT", 7), when(0, "GE", 5), 8],
    ["MASKED_EQ before GT", when(0, "MASKED_EQ", 15, 8), when(0, "GT", 7), 8],
    ["the later argument first", when(1, "GE", 0), when(0, "EQ", 8), 8],
  ])("of two rules with different actions, %s", (_, winner, other, value) => {
    const rules = [rule("ERRNO5", "read", winner), rule("ERRNO6", "read", other)];
    expect(decide(rules, value)).toBe(errno(5));
    expect(decide(rules.toReversed(), value)).toBe(errno(5));
  });

  test("a rule wins over one that has its condition and another", () => {
    const rules = [
      rule("ERRNO5", "read", when(0, "EQ", 3), when(1, "EQ", 4)),
      rule("ALLOW", "read", when(0, "EQ", 3)),
    ];
    expect(decide(rules, 3, 4)).toBe(allow);
  });

  test("rules with the same conditions and different actions are refused", () => {
    const rules = [
      rule("ALLOW", "write"),
      rule("ALLOW", "read", when(0, "EQ", 3), when(1, "MASKED_EQ", 3, 1)),
      rule("LOG", "read", when(1, "MASKED_EQ", 3, 5), when(0, "EQ", 3)),
    ];
    const text =
      'syscalls[2].args: Invalid value: "read": has the same conditions as syscalls[1] and another action';
    expect(() => compiled(rules)).toThrow(ConfigurationError);
    expect(() => compiled(rules)).toThrow(text);
    // The same action is no conflict.
    expect(
      decide([rule("ALLOW", "read", when(0, "EQ", 3)), rule("ALLOW", "read", when(0, "EQ", 3))], 3),
    ).toBe(allow);
  });

  test("a name that the interface does not have is skipped", () => {
    const program = compiled(
      [rule("ALLOW", "fcntl64"), rule("ALLOW", "no_such_call"), rule("ALLOW", "read")],
      {
        architectures: everywhere,
      },
    );
    expect(verdict(program, call("x86_64", "read"))).toBe(allow);
    expect(verdict(program, call("x86", "fcntl64"))).toBe(allow);
  });
});

describe("interfaces", () => {
  const rules = [rule("ALLOW", "read"), rule("ALLOW", "ioctl")];
  const skipped = { number: 0xffffffff, token: tokens.x86_64, args: [] };
  const enosys = errno(38);

  test("an interface that the profile does not name kills the thread", () => {
    for (const defaultAction of ["SCMP_ACT_ERRNO", "SCMP_ACT_ALLOW"] as const) {
      const program = compiled(rules, { defaultAction });
      for (const of of ["x86", "x32", "arm", "aarch64"] as const)
        expect(verdict(program, call(of, "read")), of).toBe(verdicts.killThread);
      expect(verdict(program, { ...skipped, number: 0xfffffffe })).toBe(verdicts.killThread);
    }
    expect(verdict(compiled(rules, {}, arm64), call("arm", "read"))).toBe(verdicts.killThread);
    expect(verdict(compiled(rules, {}, arm64), call("aarch64", "read"))).toBe(allow);
  });

  test("a call that a tracer skipped gets the default", () => {
    expect(verdict(compiled(rules), skipped)).toBe(errno(1));
    expect(verdict(compiled(rules, { defaultAction: "SCMP_ACT_ALLOW" }), skipped)).toBe(allow);
  });

  test("a named interface has numbers of its own", () => {
    const x64Program = compiled(rules, { architectures: everywhere });
    for (const of of ["x86_64", "x86", "x32"] as const) {
      expect(verdict(x64Program, call(of, "ioctl")), of).toBe(allow);
      expect(verdict(x64Program, call(of, "write")), of).toBe(errno(1));
    }
    expect(verdict(x64Program, { number: x32Bit + 16, token: tokens.x32, args: [] })).toBe(errno(1));
    const armProgram = compiled(rules, { architectures: everywhere }, arm64);
    for (const of of ["aarch64", "arm"] as const)
      expect(verdict(armProgram, call(of, "ioctl")), of).toBe(allow);
  });

  test("an entry of archMap names the interfaces of its machine only", () => {
    const archMap = [
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] },
      { architecture: "SCMP_ARCH_AARCH64", subArchitectures: ["SCMP_ARCH_ARM"] },
    ] as const;
    expect(verdict(compiled(rules, { archMap }), call("x86", "read"))).toBe(allow);
    expect(verdict(compiled(rules, { archMap }), call("x32", "read"))).toBe(verdicts.killThread);
    expect(verdict(compiled(rules, { archMap }, arm64), call("arm", "read"))).toBe(allow);
  });

  test("a call beyond all that the profile names does not exist", () => {
    const some = [rule("ALLOW", "read"), rule("ERRNO1", "statx")];
    const decide = (more: Partial<SeccompProfile>, of: "x86_64" | "x86" | "x32", name: string) =>
      verdict(compiled(some, { architectures: everywhere, ...more }), call(of, name));
    for (const of of ["x86_64", "x86"] as const) {
      expect(decide({}, of, "statx")).toBe(errno(1));
      expect(decide({}, of, "clone3")).toBe(enosys);
    }
    // The numbers of x32 begin anew.
    expect(decide({}, "x32", "write")).toBe(errno(1));
    expect(decide({}, "x32", "clone3")).toBe(enosys);
    for (const defaultAction of ["SCMP_ACT_KILL", "SCMP_ACT_KILL_PROCESS", "SCMP_ACT_TRAP"] as const)
      expect(decide({ defaultAction }, "x86_64", "clone3")).toBe(enosys);
    expect(decide({ defaultAction: "SCMP_ACT_LOG" }, "x86_64", "clone3")).toBe(verdicts.log);
    expect(decide({ defaultAction: "SCMP_ACT_TRACE" }, "x86_64", "clone3")).toBe(verdicts.trace(1));
    expect(decide({ defaultAction: "SCMP_ACT_ALLOW" }, "x86_64", "clone3")).toBe(allow);
  });

  test("a rule about a socket applies to socketcall, without the arguments in memory", () => {
    const sockets = [rule("ALLOW", "socket", when(0, "EQ", 1)), rule("LOG", "shmat", when(0, "EQ", 5))];
    const program = compiled(sockets, { architectures: everywhere });
    expect(verdict(program, call("x86", "socket", 1))).toBe(allow);
    expect(verdict(program, call("x86", "socket", 2))).toBe(errno(1));
    expect(verdict(program, call("x86", "socketcall", 1, 2))).toBe(allow);
    expect(verdict(program, call("x86", "socketcall", 2))).toBe(errno(1));
    expect(verdict(program, call("x86", "ipc", 21))).toBe(verdicts.log);
    expect(verdict(program, call("x86", "ipc", 22))).toBe(errno(1));
    const first = [rule("LOG", "socket", when(0, "EQ", 1)), rule("ALLOW", "socket", when(0, "EQ", 2))];
    expect(verdict(compiled(first, { architectures: everywhere }), call("x86", "socketcall", 1))).toBe(
      verdicts.log,
    );
    // Nothing else is named, and socketcall's number is higher than accept's, which 32-bit x86 has not.
    const accept = compiled([rule("ALLOW", "accept"), rule("ALLOW", "read")], { architectures: everywhere });
    expect(verdict(accept, call("x86", "socketcall", 5))).toBe(allow);
    expect(verdict(accept, call("x86", "socketcall", 1))).toBe(errno(1));
  });
});

describe("requirements of rules", () => {
  const minKernel = { kernel: 4, major: 8 };
  test.each<[Partial<Rule>, Partial<Container>, boolean]>([
    [{ includes: { caps: ["CAP_SYS_ADMIN"], arches: [] } }, {}, false],
    [{ includes: { caps: ["CAP_SYS_ADMIN"], arches: [] } }, { capabilities: ["sys_admin"] }, true],
    [{ includes: { caps: ["CAP_BPF", "CAP_KILL"], arches: [] } }, { capabilities: ["CAP_BPF"] }, false],
    [{ excludes: { caps: ["CAP_BPF", "CAP_KILL"], arches: [] } }, { capabilities: ["CAP_BPF"] }, false],
    [{ excludes: { caps: ["CAP_BPF"], arches: [] } }, {}, true],
    [{ includes: { caps: [], arches: ["arm64", "amd64"] } }, {}, true],
    [{ includes: { caps: [], arches: ["arm64"] } }, {}, false],
    [{ excludes: { caps: [], arches: ["amd64"] } }, {}, false],
    [{ includes: { caps: [], arches: [], minKernel } }, { kernel: "4.7.99" }, false],
    [{ includes: { caps: [], arches: [], minKernel } }, { kernel: "4.8-rc1" }, true],
    [{ includes: { caps: [], arches: [], minKernel } }, { kernel: "3.19.0" }, false],
    [{ includes: { caps: [], arches: [], minKernel } }, { kernel: "5.1.0-1-amd64" }, true],
    [{ excludes: { caps: [], arches: [], minKernel } }, { kernel: "5.1.0" }, false],
    [{ includes: { caps: [], arches: [] }, excludes: { caps: [], arches: [] } }, {}, true],
  ])("%j with %j: %s", (requirements, facts, counts) => {
    const program = compiled([{ ...rule("ALLOW", "read"), ...requirements }], {}, { ...x64, ...facts });
    expect(verdict(program, call("x86_64", "read"))).toBe(counts ? allow : errno(1));
  });

  test("a kernel without version is refused", () => {
    expect(() => compiled([], {}, { ...x64, kernel: "six" })).toThrow(
      'cannot read the version of the kernel "six"',
    );
  });
});

describe("size", () => {
  test("a search takes steps by the logarithm of the calls", () => {
    // Every second number has an outcome of its own, so there are 400 ranges.
    const even = [...systemCalls("x86_64")].filter(([, number]) => number % 2 === 0);
    const program = compiled(even.map(([name], i) => rule(`ERRNO${i + 2}`, name)));
    for (const [i, [name, number]] of even.entries()) {
      expect(verdict(program, call("x86_64", name))).toBe(errno(i + 2));
      const { steps } = execute(program, { number, token: tokens.x86_64, args: [] });
      // Three to find the numbers, nine comparisons, jumps to far instructions, and the return.
      expect(steps).toBeLessThanOrEqual(16);
    }
  });

  test("a profile of more instructions than the kernel takes is refused", () => {
    const many = Array.from({ length: 1100 }, (_, i) => rule("ALLOW", "read", when(0, "EQ", i)));
    expect(() => compiled(many)).toThrow(ConfigurationError);
    expect(() => compiled(many)).toThrow("syscalls: the filter has more than 4096 instructions");
    const fitting = compiled(many.slice(0, 900));
    for (const value of [0, 450, 899]) expect(verdict(fitting, call("x86_64", "read", value))).toBe(allow);
    expect(verdict(fitting, call("x86_64", "read", 900))).toBe(errno(1));
  });
});
