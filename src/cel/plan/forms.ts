import { comparison } from "../cost/model.ts";
import type { SpecialForm } from "../declarations.ts";
import { equal } from "../equality.ts";
import { goTypeName } from "../format-value.ts";
import { wholeNumber } from "../integers.ts";
import {
  CelError,
  CelList,
  CelObject,
  Double,
  type Int,
  noSuchOverload,
  Optional,
  type Result,
  Uint,
  type Value,
} from "../values.ts";
import { look } from "./lookup.ts";
import { constant, extend, freePath, type Planned, PlanError, type Step } from "./planned.ts";

const readOf = ({ read, run }: Planned): Step => read ?? run;

/**
 * `&&` and `||`. The value that decides stops the evaluation, and also makes errors before it forgotten:
 * `1/0 > 1 || true` is true.
 */
export const logical =
  (decisive: boolean): SpecialForm =>
  ([first, second]) => {
    if (first === undefined || second === undefined) return undefined;
    const run: Step = (frame) => {
      const left = first.run(frame);
      if (left === decisive) return decisive;
      const right = second.run(frame);
      if (right === decisive) return decisive;
      return notBoolean(left) ?? notBoolean(right) ?? !decisive;
    };
    return { run };
  };

function notBoolean(result: Result): CelError | undefined {
  if (typeof result === "boolean") return undefined;
  return result instanceof CelError ? result : noSuchOverload;
}

/** `condition ? yes : no`: only one of them is worked out. A path continues through it, as upstream charges it. */
export const conditional: SpecialForm = ([condition, yes, no]) => {
  if (condition === undefined || yes === undefined || no === undefined) return undefined;
  const [ifTrue, ifFalse] = [readOf(yes), readOf(no)];
  const read: Step = (frame) => {
    const decision = condition.run(frame);
    if (decision === true) return ifTrue(frame);
    return decision === false ? ifFalse(frame) : (notBoolean(decision) ?? noSuchOverload);
  };
  return freePath(read);
};

/** `==` and `!=`, of values of any two types. */
export const equality =
  (wanted: boolean): SpecialForm =>
  ([first, second]) => {
    if (first === undefined || second === undefined) return undefined;
    return {
      run: (frame) => {
        const a = first.run(frame);
        const b = second.run(frame);
        // Values that the language does not know are compared in one go, but only to find that they are equal.
        frame.charge(wanted && a instanceof CelObject ? 1 : comparison.actual([a, b], wanted));
        if (a instanceof CelError) return a;
        if (b instanceof CelError) return b;
        const same = equal(a, b);
        // What cannot be compared is not equal, as upstream has it.
        if (same instanceof CelError) return wanted ? same : true;
        return same === wanted;
      },
    };
  };

/** `container[key]`, and with `?` the optional that may be there. */
export const index =
  (find: typeof look): SpecialForm =>
  ([container, key]) => {
    if (container === undefined || key === undefined) return undefined;
    const constantKey = key.constant === undefined ? undefined : keyOf(key.constant);
    if (constantKey instanceof CelError) throw new PlanError(constantKey.message);
    const readKey = readOf(key);
    return extend(container, (frame, found) => {
      if (found instanceof CelError || (found instanceof Optional && found.value === undefined)) return found;
      const name = keyOf(readKey(frame));
      if (!(name instanceof CelError)) return find(frame, found, name);
      // Upstream charges for a key that cannot be worked out, but not where the key may be absent.
      if (find === look && !(found instanceof Optional)) frame.charge(1);
      return name;
    });
  };

/** Only what a map may have for a key, or a list for an index, is looked for. */
function keyOf(key: Result): Result {
  const isKey = key !== null && (typeof key !== "object" || key instanceof Double || key instanceof Uint);
  return isKey || key instanceof CelError ? key : new CelError(`invalid qualifier type: ${goTypeName(key)}`);
}

/** `a.or(b)` and `a.orValue(b)`: `b` is only worked out when there is no `a`. They cost nothing themselves. */
export const fallback =
  (unwrap: (optional: Optional) => Value): SpecialForm =>
  ([first, second]) => {
    if (first === undefined || second === undefined) return undefined;
    return {
      run: (frame) => {
        const optional = first.run(frame);
        if (!(optional instanceof Optional)) return optional;
        return optional.value === undefined ? second.run(frame) : unwrap(optional);
      },
    };
  };

/**
 * `x in [1, 2, 3]`, where the list is a constant of simple values and known to be a list: a look into a set,
 * which costs nothing.
 */
export const membership: SpecialForm = ([element, list], overloads) => {
  if (element === undefined || !(list?.constant instanceof CelList) || overloads.length !== 1)
    return undefined;
  if (list.constant.size === 0) return constant(false);
  const values = [...list.constant];
  if (!values.every(isSimple)) return undefined;
  const known = new Set(values.map(setKey));
  return {
    run: (frame) => {
      const value = element.run(frame);
      if (value instanceof CelError) return value;
      return isSimple(value) && known.has(setKey(value)) && !isNaN(value);
    },
  };
};

type Simple = string | boolean | Int | Double | Uint;

const isSimple = (value: Result): value is Simple =>
  value !== null && (typeof value !== "object" || value instanceof Double || value instanceof Uint);

/** The same for equal values of all simple types. */
const setKey = (value: Simple): string | boolean | Int =>
  value instanceof Double || value instanceof Uint ? (wholeNumber(value) ?? Number(value.value)) : value;

/** NaN equals nothing. */
const isNaN = (value: Simple) => value instanceof Double && Number.isNaN(value.value);

/** The condition of macros such as `all`: goes on until the accumulator is false, errors included. */
export const notStrictlyFalse: SpecialForm = ([value]) =>
  value && {
    run: (frame) => {
      const result = value.run(frame);
      frame.charge(1);
      return typeof result === "boolean" ? result : true;
    },
  };
