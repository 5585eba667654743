import { addQuantities, formatQuantity, parseQuantity, type Quantity } from "../../../meta/quantity.ts";
import type { Amounts, ResourceList } from "../pod/resources.ts";

const zero: Quantity = { nanos: 0n, format: "decimal" };

/** Returns a whole number as a quantity. */
export function whole(count: number): Quantity {
  return { nanos: BigInt(count) * 1_000_000_000n, format: "decimal" };
}

export function parseAmounts(list: ResourceList = {}): Amounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]));
}

/** Returns the amounts in the API's form, sorted by resource. */
export function formatAmounts(amounts: Amounts): Record<string, string> {
  const texts = [...amounts].map(([name, amount]) => [name, formatQuantity(amount)] as const);
  return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds the amounts of `by` to those of `to`, in place. */
export function addAmounts(to: Amounts, by: Amounts): void {
  for (const [name, amount] of by) to.set(name, addQuantities(to.get(name) ?? zero, amount));
}

/** Returns the amounts by which `now` exceeds `before`. */
export function growth(now: Amounts, before: Amounts): Amounts {
  const grown: Amounts = new Map();
  for (const [name, { nanos, format }] of now) {
    const more = nanos - (before.get(name)?.nanos ?? 0n);
    if (more > 0n) grown.set(name, { nanos: more, format });
  }
  return grown;
}

/** Returns the amounts of the resources that `has` contains. */
export function pick(amounts: Amounts, has: { has(name: string): boolean }): Amounts {
  return new Map([...amounts].filter(([name]) => has.has(name)));
}
