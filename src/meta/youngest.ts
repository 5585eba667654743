import { ascending } from "../util/compare.ts";

interface Aged {
  readonly metadata: { readonly name?: string | undefined; readonly creationTimestamp?: string | undefined };
}

/** Returns the object that was created last; of several, the first by name. */
export function youngest<T extends Aged>(objects: readonly T[]): T | undefined {
  const age = ({ metadata }: Aged) => metadata.creationTimestamp ?? "";
  const name = ({ metadata }: Aged) => metadata.name ?? "";
  return objects.toSorted((a, b) => ascending(age(b), age(a)) || ascending(name(a), name(b)))[0];
}
