import type { Toleration } from "../../api/core/v1/scheduling.ts";

/**
 * Removes redundant tolerations (upstream `MergeTolerations`): of equal tolerations the first stays, and any
 * toleration that another one covers is removed. Each is compared only with the widest similar ones, because
 * a Pod may have ten thousand.
 */
export function withoutRedundant(all: readonly Toleration[]): readonly Toleration[] {
  const later = new Widest();
  const uncoveredByLater = all.toReversed().filter((one) => {
    const isCovered = later.covers(one, identityOf(one));
    later.add(one);
    return !isCovered;
  });
  const merged = new Widest();
  const seen = new Set<string>();
  return uncoveredByLater.toReversed().filter((one) => {
    const identity = identityOf(one);
    if (seen.has(identity) || merged.covers(one, undefined)) return false;
    seen.add(identity);
    merged.add(one);
    return true;
  });
}

function identityOf({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return JSON.stringify([key, operator, value, effect, tolerationSeconds]);
}

/**
 * The longest time among tolerations that are otherwise equal in effect, and the longest among those with
 * another identity than that one.
 */
interface Longest {
  readonly identity: string;
  readonly seconds: number;
  readonly others: number;
}

/** Tolerations by the taints that they tolerate: a key or any, an effect or any, a value or any. */
class Widest {
  readonly #longest = new Map<string, Longest>();

  add(one: Toleration): void {
    const { key = "", effect = "", operator = "Equal", value = "", tolerationSeconds } = one;
    if (operator !== "Equal" && operator !== "Exists") return;
    const place = tolerationKey(key, effect, operator === "Exists" ? undefined : value);
    const seconds = effect === "NoExecute" ? (tolerationSeconds ?? Infinity) : Infinity;
    const identity = identityOf(one);
    const found = this.#longest.get(place);
    this.#longest.set(place, found === undefined ? { identity, seconds, others: none } : longer(found));

    function longer(old: Longest): Longest {
      if (old.identity === identity) return old;
      return seconds > old.seconds
        ? { identity, seconds, others: old.seconds }
        : { ...old, others: Math.max(old.others, seconds) };
    }
  }

  /** Reports whether one toleration covers `one` and has another identity than `except`. */
  covers(one: Toleration, except: string | undefined): boolean {
    const { key = "", effect = "", operator, value = "", tolerationSeconds: needed = Infinity } = one;
    const places = [effect, ""].flatMap((effect) => [
      tolerationKey(key, effect, undefined),
      tolerationKey("", effect, undefined),
      ...(operator === "Equal" ? [tolerationKey(key, effect, value)] : []),
    ]);
    return places.some((place) => {
      const found = this.#longest.get(place);
      if (found === undefined) return false;
      return (found.identity === except ? found.others : found.seconds) >= needed;
    });
  }
}

/** Less than every time. */
const none = Number.NEGATIVE_INFINITY;

function tolerationKey(key: string, effect: string, value: string | undefined): string {
  return JSON.stringify([key, effect, value]);
}
