import type { Steps } from "../../../util/steps.ts";
import type { Changes, Rules } from "../node-state.ts";
import { allowsAny, directions } from "../plan.ts";
import {
  podChain,
  podRules,
  policyChain,
  policyRules,
  type PolicyPlace,
  renderBase,
  setType,
  tableOf,
} from "./render.ts";

/** The number of elements in one line, because nft prints the line that it refuses. */
const elementsPerLine = 100;

/** The number of chains and sets that are written before other work gets a turn. */
const sliceSize = 20;

/**
 * The rules that the kernel has, and the transactions that change them. After a transaction that the kernel refused,
 * the content is unknown: it is replaced as a whole, by a new instance.
 */
export class LoadedRules {
  readonly #place: PolicyPlace;
  /** The text of each chain, to leave equal ones alone. */
  readonly #chains = new Map<string, string>();
  readonly #pods = new Set<string>();
  readonly #sets = new Map<string, Set<string>>();

  constructor(place: PolicyPlace) {
    this.#place = place;
  }

  /** Returns the transaction that replaces whatever the tables contain. */
  *replace(rules: Rules): Steps<string> {
    const everything: Changes = {
      pods: new Set(rules.addresses),
      policies: new Set(rules.policies.keys()),
      sets: new Map([...rules.setNames].map((name) => [name, undefined])),
    };
    const change = yield* this.change(rules, everything);
    return removal(this.#place) + renderBase(this.#place) + change;
  }

  /** Returns the transaction that makes the changed parts of the rules those of the kernel; empty for no change. */
  *change(rules: Rules, changes: Changes): Steps<string> {
    const script = new Script(tableOf(this.#place));
    let count = 0;
    for (const [name, elements] of changes.sets) {
      this.#changeSet(script, name, rules, elements);
      if (++count % sliceSize === 0) yield;
    }
    // Chains exist before rules jump to them, and end after the last jump.
    for (const key of changes.policies) {
      this.#changePolicy(script, key, rules);
      if (++count % sliceSize === 0) yield;
    }
    for (const address of changes.pods) {
      this.#changePod(script, address, rules);
      if (++count % sliceSize === 0) yield;
    }
    return script.text;
  }

  #changeSet(script: Script, name: string, rules: Rules, touched: ReadonlySet<string> | undefined): void {
    const next = rules.set(name);
    const present = this.#sets.get(name);
    if (next === undefined) {
      if (present !== undefined) script.last(`delete set ip ${script.table} ${name}`);
      this.#sets.delete(name);
      return;
    }
    if (present === undefined) {
      this.#sets.set(name, new Set(next.keys()));
      script.first(`add set ip ${script.table} ${name} { type ${setType(name)}; }`);
      script.elements("add", name, [...next.keys()]);
      return;
    }
    const compared = [...(touched ?? new Set([...present, ...next.keys()]))];
    const added = compared.filter((one) => next.has(one) && !present.has(one));
    const removed = compared.filter((one) => !next.has(one) && present.has(one));
    for (const one of added) present.add(one);
    for (const one of removed) present.delete(one);
    script.elements("add", name, added);
    script.elements("delete", name, removed);
  }

  /** A policy that allows nothing in a direction has no chain for it. */
  #changePolicy(script: Script, key: string, rules: Rules): void {
    const plan = rules.policies.get(key);
    for (const direction of directions) {
      const next =
        plan !== undefined && allowsAny(plan, direction) ? policyRules(plan, direction) : undefined;
      this.#changeChain(script, policyChain(direction, key), next);
    }
  }

  #changePod(script: Script, address: string, rules: Rules): void {
    const pod = rules.pod(address);
    const known = this.#pods.has(address);
    if (pod === undefined) this.#pods.delete(address);
    else this.#pods.add(address);
    for (const direction of directions) {
      const chain = podChain(direction, address);
      this.#changeChain(script, chain, pod && podRules(pod, direction, rules.policies));
      if (known === (pod !== undefined)) continue;
      script.elements(known ? "delete" : "add", direction, [`${address} : goto ${chain}`]);
    }
  }

  #changeChain(script: Script, name: string, next: readonly string[] | undefined): void {
    const present = this.#chains.get(name);
    if (next === undefined) {
      if (present !== undefined) script.deleteChain(name);
      this.#chains.delete(name);
      return;
    }
    const text = next.join("\n");
    if (text === present) return;
    this.#chains.set(name, text);
    script.setChain(name, next, present !== undefined);
  }
}

/** Removes the tables, whether or not they exist. */
export function removal(place: PolicyPlace): string {
  const families = ["ip", "bridge"];
  return families
    .map((family) => `add table ${family} ${tableOf(place)}\ndelete table ${family} ${tableOf(place)}\n`)
    .join("");
}

/** Commands of one transaction, in an order in which the kernel accepts them. */
class Script {
  readonly table: string;
  readonly #declared: string[] = [];
  readonly #flushed: string[] = [];
  readonly #rules: string[] = [];
  readonly #elements: string[] = [];
  readonly #deleted: string[] = [];

  constructor(table: string) {
    this.table = table;
  }

  get text(): string {
    const parts = [this.#declared, this.#flushed, this.#rules, this.#elements, this.#deleted];
    return parts.map((lines) => lines.map((line) => `${line}\n`).join("")).join("");
  }

  first(line: string): void {
    this.#declared.push(line);
  }

  last(line: string): void {
    this.#deleted.push(line);
  }

  setChain(name: string, rules: readonly string[], exists: boolean): void {
    if (exists) this.#flushed.push(`flush chain ip ${this.table} ${name}`);
    else this.#declared.push(`add chain ip ${this.table} ${name}`);
    for (const rule of rules) this.#rules.push(`add rule ip ${this.table} ${name} ${rule}`);
  }

  /** Only chains without rules can be deleted. */
  deleteChain(name: string): void {
    this.#flushed.push(`flush chain ip ${this.table} ${name}`);
    this.#deleted.push(`delete chain ip ${this.table} ${name}`);
  }

  elements(verb: "add" | "delete", set: string, elements: readonly string[]): void {
    for (let at = 0; at < elements.length; at += elementsPerLine) {
      const line = elements.slice(at, at + elementsPerLine).join(", ");
      this.#elements.push(`${verb} element ip ${this.table} ${set} { ${line} }`);
    }
  }
}
