import type { Random } from "../../../src/util/random.ts";
import { chance, oddText, oddValue, ownEntries, pick } from "./words.ts";

/** Returns a copy of the value with a change in it, most likely deep inside. */
export function mutate(random: Random, value: unknown): unknown {
  const isContainer = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isContainer || chance(random, 0.1)) return replacement(random, value);
  return Array.isArray(value) ? mutateList(random, value) : mutateObject(random, Object.entries(value));
}

function replacement(random: Random, value: unknown): unknown {
  if (typeof value === "string" && chance(random, 0.5))
    return chance(random, 0.5) ? oddText(random) : value + oddText(random);
  if (typeof value === "number" && chance(random, 0.3)) return value * -1;
  return chance(random, 0.1) ? [value, value] : oddValue(random);
}

function mutateList(random: Random, list: readonly unknown[]): unknown {
  const at = Math.floor(random.next() * list.length);
  if (chance(random, 0.15)) return list.toSpliced(at, 1);
  // One duplicate, and sometimes many.
  if (chance(random, 0.2))
    return list.concat(Array.from({ length: pick(random, [1, 2, 300]) }, () => list[at]));
  return list.with(at, mutate(random, list[at]));
}

function mutateObject(random: Random, entries: readonly (readonly [string, unknown])[]): object {
  const at = Math.floor(random.next() * entries.length);
  const [key, value] = entries[at] ?? ["a", 1];
  if (chance(random, 0.1)) return ownEntries(entries.toSpliced(at, 1));
  if (chance(random, 0.1)) return ownEntries(entries.with(at, [oddText(random), value]));
  if (chance(random, 0.1)) return ownEntries([...entries, [oddText(random), oddValue(random)]]);
  return ownEntries(entries.with(at, [key, mutate(random, value)]));
}
