import type { Frame } from "../frame.ts";
import { int64, wholeNumber } from "../integers.ts";
import { runtimeType } from "../runtime-type.ts";
import { CelError, CelList, CelMap, CelObject, Optional, type Result, type Value } from "../values.ts";
import { formatValue } from "../format-value.ts";

/**
 * The value at a key, index or field name; undefined when it is absent. An error means that the key has a
 * wrong type.
 */
function find(container: Value, key: Value): Result | undefined {
  if (container instanceof CelMap) return container.get(key);
  if (container instanceof CelList) return element(container, key);
  if (container instanceof CelObject && typeof key === "string") return container.field(key);
  return undefined;
}

function element(list: CelList, key: Value): Result | undefined {
  const index = wholeNumber(key);
  if (index !== undefined && index >= int64.min && index <= int64.max)
    return index >= 0 && index < list.size ? list.at(Number(index)) : undefined;
  const { name } = runtimeType(key);
  return new CelError(
    name === "double" || name === "uint"
      ? `unsupported index value ${formatValue(key)} in list`
      : `unsupported index type '${name}' in list`,
  );
}

/** Evaluates `container.key` or `container[key]`. The result is an optional if the container is one. */
export function look(frame: Frame, container: Result, key: Value): Result {
  if (container instanceof CelError) return container;
  if (container instanceof Optional) return lookOptionally(frame, container, key);
  frame.charge(1);
  const isObject = container instanceof CelObject && typeof key === "string";
  const found = isObject ? container.read(key) : find(container, key);
  if (found !== undefined) return found;
  const problem = container instanceof CelList ? "index out of bounds" : "no such key";
  return new CelError(`${problem}: ${formatValue(key)}`);
}

/** Evaluates `container.?key` or `container[?key]`. Free if the value is absent. */
export function lookOptionally(frame: Frame, container: Result, key: Value): Result {
  if (container instanceof CelError) return container;
  const inner = container instanceof Optional ? container.value : container;
  if (inner === undefined) return Optional.none;
  const found = find(inner, key);
  if (found === undefined) return Optional.none;
  frame.charge(1);
  return found instanceof CelError ? found : Optional.of(found);
}

/** Evaluates `has(container.key)`. */
export function test(frame: Frame, container: Result, key: string): Result {
  if (container instanceof CelError) return container;
  if (container instanceof Optional) {
    const found = lookOptionally(frame, container, key);
    return found instanceof Optional ? found.value !== undefined : found;
  }
  frame.charge(1);
  const found = find(container, key);
  return found instanceof CelError ? found : found !== undefined;
}
