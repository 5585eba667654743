import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { describe, FieldPath, invalid } from "../../../meta/field-error.ts";
import { ascending } from "../../../util/compare.ts";
import { type Condition, type Operator, type Rule, verdictOf } from "./profile.ts";
import { type CallInterface, multiplexedCall, systemCalls } from "./system-calls.ts";

/** One way for a call to match: all conditions hold. There is at least one condition. */
export interface Alternative {
  /** By descending index of the argument, each index at most once. */
  readonly conditions: readonly Condition[];
  readonly verdict: number;
}

/** The outcome of a system call: a value to return, or the first alternative that matches and else the default. */
export type Outcome = number | readonly Alternative[];

export interface Decisions {
  /** By number of the system call. All other calls get the default. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** The highest number that a rule names, even in a rule without effect; 0 for none. */
  readonly highest: number;
}

/** A rule that counts, with its place in the profile. */
export interface PlacedRule {
  readonly rule: Rule;
  readonly index: number;
}

/**
 * Combines the rules for each system call of an interface, as runc and libseccomp do:
 * - A name without a number here is skipped.
 * - A rule with the default action is skipped.
 * - The first rule without conditions wins over all others.
 * - Rules with conditions are alternatives, ordered by `precedence`.
 *
 * @throws ConfigurationError if two rules have the same conditions and different actions
 */
export function decisionsOf(
  of: CallInterface,
  rules: readonly PlacedRule[],
  defaultVerdict: number,
): Decisions {
  const numbers = systemCalls(of);
  const calls = new Map<number, Call>();
  let highest = 0;
  const callAt = (number: number): Call => {
    const call = calls.get(number) ?? new Call();
    calls.set(number, call);
    return call;
  };
  for (const { rule, index } of rules) {
    const verdict = verdictOf(rule.action, rule.errnoRet);
    const alternatives = alternativesOf(rule.args ?? []);
    for (const name of rule.names) {
      const number = numbers.get(name);
      if (number !== undefined) highest = Math.max(highest, number);
      if (verdict === defaultVerdict) continue;
      if (number !== undefined) callAt(number).add(alternatives, verdict, { index, name });
      const other = multiplexedCall(of, name);
      // The other arguments are in memory, where a filter cannot see them.
      if (other !== undefined) callAt(other.number).select(other.selector, verdict);
    }
  }
  return { outcomes: new Map([...calls].map(([number, call]) => [number, call.outcome])), highest };
}

/**
 * Returns the ways for a rule to match. Usually all conditions must hold. When two conditions are about the same
 * argument, one condition is enough (runc `matchCall`).
 */
function alternativesOf(conditions: readonly Condition[]): readonly (readonly Condition[])[] {
  const indexes = new Set(conditions.map(({ index }) => index));
  if (indexes.size < conditions.length) return conditions.map((one) => [one]);
  return [conditions.toSorted((a, b) => b.index - a.index)];
}

/** The origin of an alternative, for messages. */
interface Origin {
  readonly index: number;
  readonly name: string;
}

/** The rules for one system call. */
class Call {
  #always: number | undefined;
  readonly #alternatives = new Map<string, Alternative & { readonly origin: Origin | undefined }>();

  add(alternatives: readonly (readonly Condition[])[], verdict: number, origin: Origin): void {
    for (const conditions of alternatives) {
      if (conditions.length === 0) this.#always ??= verdict;
      else this.#addAlternative(conditions, verdict, origin);
    }
  }

  /** Adds a call of a multiplexer. The first verdict wins, because the conditions that tell rules apart are lost. */
  select(selector: number, verdict: number): void {
    const condition = { index: 0, op: "SCMP_CMP_EQ", value: BigInt(selector), valueTwo: 0n } as const;
    const key = keyOf([condition]);
    if (!this.#alternatives.has(key))
      this.#alternatives.set(key, { conditions: [condition], verdict, origin: undefined });
  }

  #addAlternative(conditions: readonly Condition[], verdict: number, origin: Origin): void {
    const key = keyOf(conditions);
    const other = this.#alternatives.get(key);
    if (other === undefined) this.#alternatives.set(key, { conditions, verdict, origin });
    else if (other.verdict !== verdict && other.origin !== undefined) throw conflict(origin, other.origin);
  }

  get outcome(): Outcome {
    return this.#always ?? [...this.#alternatives.values()].sort(precedence);
  }
}

function conflict({ index, name }: Origin, other: Origin): ConfigurationError {
  const path = new FieldPath("syscalls").index(index).child("args");
  const detail = `has the same conditions as syscalls[${other.index}] and another action`;
  return new ConfigurationError(describe(invalid(path, name, detail)));
}

/** Returns a text that is the same for equal conditions. MASKED_EQ ignores the bits of valueTwo outside its mask. */
function keyOf(conditions: readonly Condition[]): string {
  return conditions
    .map(({ index, op, value, valueTwo }) =>
      op === "SCMP_CMP_MASKED_EQ" ? `${index}${op}${value}/${valueTwo & value}` : `${index}${op}${value}`,
    )
    .join(" ");
}

/**
 * The order of the operators. Those of one rank are ordered by their values: the smallest set of arguments first.
 * The order matters only where two rules with different actions match; libseccomp 2.5 orders them so when each has
 * one condition (`src/db.c`).
 */
const ranks: Readonly<Record<Operator, number>> = {
  SCMP_CMP_EQ: 0,
  SCMP_CMP_MASKED_EQ: 0,
  SCMP_CMP_NE: 1,
  SCMP_CMP_LT: 2,
  SCMP_CMP_LE: 2,
  SCMP_CMP_GE: 3,
  SCMP_CMP_GT: 3,
};

/**
 * Orders alternatives: fewer conditions first, so that the more general of two rules wins, like one without
 * conditions; then later arguments, then the operators' ranks. Otherwise the profile's order remains.
 */
function precedence(a: Alternative, b: Alternative): number {
  if (a.conditions.length !== b.conditions.length) return a.conditions.length - b.conditions.length;
  for (const [i, one] of a.conditions.entries()) {
    const order = conditionOrder(one, b.conditions[i] ?? one);
    if (order !== 0) return order;
  }
  return 0;
}

function conditionOrder(a: Condition, b: Condition): number {
  if (a.index !== b.index) return b.index - a.index;
  const rank = ranks[a.op];
  if (rank !== ranks[b.op]) return rank - ranks[b.op];
  if (rank === 2) return ascending(a.value, b.value);
  return rank === 3 ? ascending(b.value, a.value) : 0;
}
