import { expect, test } from "vitest";
import type { Toleration } from "../../api/core/v1/scheduling.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { seededRandom } from "../../util/random.ts";
import { withoutRedundant } from "./redundant-tolerations.ts";

test("the remaining tolerations equal those of a pairwise comparison", () => {
  const random = seededRandom(1);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random.next() * values.length)] as T;
  const anyToleration = (): Toleration => {
    const [key, operator] = [pick([undefined, "a", "b"]), pick([undefined, "Equal", "Exists", "Lt"])];
    const [effect, value] = [pick([undefined, "NoSchedule", "NoExecute"]), pick([undefined, "x", "y"])];
    const tolerationSeconds = pick([undefined, 0, 1, 2]);
    const given = { key, operator, effect, value, tolerationSeconds };
    return Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined));
  };
  for (let round = 0; round < 3_000; round++) {
    const all = Array.from({ length: Math.floor(random.next() * 8) }, anyToleration);
    expect([all, withoutRedundant(all)]).toEqual([all, byComparingAll(all)]);
  }
});

/** Upstream's rule, word for word. */
function byComparingAll(all: readonly Toleration[]): readonly Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, one] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, one)) ||
      all.slice(index + 1).some((later) => !deepEqual(later, one) && covers(later, one));
    if (!isCovered) merged.push(one);
  }
  return merged;
}

/** Reports whether `wide` tolerates everything that `one` does. */
function covers(wide: Toleration, one: Toleration): boolean {
  if (deepEqual(wide, one)) return true;
  const { key = "", operator = "Equal", effect = "", value = "", tolerationSeconds: limit } = wide;
  if ((one.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((one.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && limit !== undefined && (one.tolerationSeconds ?? Infinity) > limit)
    return false;
  if (operator === "Equal") return one.operator === "Equal" && (one.value ?? "") === value;
  return operator === "Exists";
}
