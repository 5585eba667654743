import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { type SystemCall, tokens, verdict, verdicts } from "./bpf.suite.ts";
import {
  type Action,
  actions,
  type Condition,
  type Operator,
  operators,
  type Rule,
  type SeccompProfile,
  verdictOf,
} from "./profile.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { type CallInterface, multiplexedCall, systemCalls, x32Bit } from "./system-calls.ts";

/** A profile is evaluated here as its documentation reads: rule by rule, without a filter. */

/** One way to match, with the place of its rule. */
interface Way {
  readonly conditions: readonly Condition[];
  readonly verdict: number;
}

const all = 2n ** 64n - 1n;

function holds({ index, op, value, valueTwo }: Condition, { args }: SystemCall, bits: number): boolean {
  const cut = (of: bigint) => BigInt.asUintN(bits, of);
  const arg = cut(args[index] ?? 0n);
  const other = cut(value);
  const meanings: Readonly<Record<Operator, boolean>> = {
    SCMP_CMP_NE: arg !== other,
    SCMP_CMP_LT: arg < other,
    SCMP_CMP_LE: arg <= other,
    SCMP_CMP_EQ: arg === other,
    SCMP_CMP_GE: arg >= other,
    SCMP_CMP_GT: arg > other,
    SCMP_CMP_MASKED_EQ: (arg & other) === (cut(valueTwo) & other),
  };
  return meanings[op];
}

function interfaceOf(
  { architectures }: SeccompProfile,
  { token, number }: SystemCall,
): CallInterface | undefined {
  if (token === tokens.x86) return architectures.includes("SCMP_ARCH_X86") ? "x86" : undefined;
  if (token !== tokens.x86_64) return undefined;
  if (number < x32Bit) return "x86_64";
  return architectures.includes("SCMP_ARCH_X32") ? "x32" : undefined;
}

function waysOf(rule: Rule): readonly Way[] {
  const args = rule.args ?? [];
  const verdict = verdictOf(rule.action, rule.errnoRet);
  const repeats = args.some(({ index }, i) => args.findIndex((one) => one.index === index) !== i);
  return repeats ? args.map((one) => ({ conditions: [one], verdict })) : [{ conditions: args, verdict }];
}

/** The ways of all rules for a call, in the profile's order. */
function waysFor(profile: SeccompProfile, of: CallInterface, number: number): readonly Way[] {
  return profile.syscalls.flatMap((rule) =>
    rule.names.flatMap((name): readonly Way[] => {
      const direct = systemCalls(of).get(name) === number ? waysOf(rule) : [];
      const other = multiplexedCall(of, name);
      if (other?.number !== number) return direct;
      const value = BigInt(other.selector);
      const condition = { index: 0, op: "SCMP_CMP_EQ", value, valueTwo: 0n } as const;
      return [...direct, { conditions: [condition], verdict: verdictOf(rule.action, rule.errnoRet) }];
    }),
  );
}

/** A text that sorts the ways of one call: the first that matches decides. */
function orderOf({ conditions }: Way): string {
  const digits = (value: bigint) => String(value).padStart(20, "0");
  const keys = conditions
    .toSorted((a, b) => b.index - a.index)
    .map(({ index, op, value }) => {
      const later = `${5 - index}`;
      if (op === "SCMP_CMP_NE") return `${later}b`;
      if (op === "SCMP_CMP_LT" || op === "SCMP_CMP_LE") return `${later}c${digits(value)}`;
      if (op === "SCMP_CMP_GT" || op === "SCMP_CMP_GE") return `${later}d${digits(all - value)}`;
      return `${later}a`;
    });
  return [conditions.length, ...keys].join(" ");
}

function evaluate(profile: SeccompProfile, of: SystemCall): number {
  const otherwise = verdictOf(profile.defaultAction, profile.defaultErrnoRet);
  const used = interfaceOf(profile, of);
  if (used === undefined) {
    const isSkipped = of.token === tokens.x86_64 && of.number === 0xffffffff;
    return isSkipped ? otherwise : verdicts.killThread;
  }
  const ways = waysFor(profile, used, of.number).filter((one) => one.verdict !== otherwise);
  const bits = used === "x86_64" ? 64 : 32;
  const matching = ways
    .filter(({ conditions }) => conditions.every((one) => holds(one, of, bits)))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : Number(orderOf(a) > orderOf(b))));
  if (matching[0] !== undefined) return matching[0].verdict;
  const names = profile.syscalls.flatMap((rule) => rule.names);
  const named = names.map((name) => systemCalls(used).get(name) ?? -1);
  const allows = ["SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "SCMP_ACT_TRACE"].includes(profile.defaultAction);
  const isNewer = Math.max(...named) > 0 && of.number > Math.max(...named);
  return isNewer && !allows && ways.length === 0 ? verdicts.errno(38) : otherwise;
}

const names =
  "read write open personality socket accept shmat socketcall ipc fcntl64 ioctl preadv2 statx clone3 nothing";
const edges = [0n, 1n, 2n, 3n, 5n, 21n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 32n + 1n, 2n ** 63n, all - 1n, all];
const value = fc.oneof(fc.constantFrom(...edges), fc.bigInt(0n, all));
// Safe: the keys of an object without other members.
const action = fc.constantFrom(...(Object.keys(actions) as Action[]));
const errnoRet = fc.option(fc.constantFrom(1, 2, 38), { nil: undefined });
const condition: fc.Arbitrary<Condition> = fc.record({
  index: fc.nat(2),
  op: fc.constantFrom(...operators),
  value,
  valueTwo: value,
});
const rule: fc.Arbitrary<Rule> = fc.record({
  names: fc.array(fc.constantFrom(...names.split(" ")), { maxLength: 4 }),
  action,
  errnoRet,
  args: fc.array(condition, { maxLength: 3 }),
});
const profiles: fc.Arbitrary<SeccompProfile> = fc.record({
  defaultAction: action,
  defaultErrnoRet: errnoRet,
  architectures: fc.subarray(["SCMP_ARCH_X86", "SCMP_ARCH_X32", "SCMP_ARCH_ARM"] as const),
  archMap: fc.constant([]),
  flags: fc.constant(undefined),
  syscalls: fc.array(rule, { maxLength: 12 }),
});
const numbers = (["x86_64", "x86", "x32"] as const).flatMap((of) => {
  const table = systemCalls(of);
  return names.split(" ").flatMap((name) => table.get(name) ?? []);
});
const calls: fc.Arbitrary<SystemCall> = fc.record({
  number: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...numbers) },
    fc.constantFrom(4, 600, x32Bit - 1, x32Bit, x32Bit + 600, 0xfffffffe, 0xffffffff),
  ),
  token: fc.constantFrom(tokens.x86_64, tokens.x86_64, tokens.x86, tokens.arm),
  args: fc.array(value, { minLength: 3, maxLength: 3 }),
});

test("a filter decides as the evaluation of its profile does", () => {
  const container = { architecture: "x64", capabilities: [], kernel: "6.12.0" } as const;
  let compared = 0;
  fc.assert(
    fc.property(profiles, fc.array(calls, { minLength: 20, maxLength: 20 }), (profile, some) => {
      const program = programOf(profile);
      if (program === undefined) return;
      for (const one of some) expect(verdict(program, one)).toBe(evaluate(profile, one));
      compared += some.length;
    }),
    { numRuns: 1000 },
  );
  // Few profiles contradict themselves.
  expect(compared).toBeGreaterThan(15_000);

  function programOf(profile: SeccompProfile): Uint8Array | undefined {
    try {
      return seccompFilter(profile, container).program;
    } catch (error) {
      if (error instanceof ConfigurationError && error.message.includes("has the same conditions"))
        return undefined;
      throw error;
    }
  }
});
