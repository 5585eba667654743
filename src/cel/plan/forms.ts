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
 * Plans `&&` and `||`. The deciding value ends the evaluation and discards earlier errors: `1/0 > 1 || true`
 * is true.
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

/**
 * Plans `condition ? yes : no`, which evaluates only one branch. As upstream charges it, a path continues
 * through the conditional.
 */
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

/** Plans `==` and `!=` for values of any types. */
export const equality =
  (wanted: boolean): SpecialForm =>
  ([first, second]) => {
    if (first === undefined || second === undefined) return undefined;
    return {
      run: (frame) => {
        const a = first.run(frame);
        const b = second.run(frame);
        // As upstream, opaque values cost one unit if the operator is `==`.
        frame.charge(wanted && a instanceof CelObject ? 1 : comparison.actual([a, b], wanted));
        if (a instanceof CelError) return a;
        if (b instanceof CelError) return b;
        const same = equal(a, b);
        // As upstream, values that cannot be compared are not equal.
        if (same instanceof CelError) return wanted ? same : true;
        return same === wanted;
      },
    };
  };

/** Plans `container[key]`, and `container[?key]`, which gives an optional. */
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
      // Upstream charges for a key that is an error, unless the access is optional.
      if (find === look && !(found instanceof Optional)) frame.charge(1);
      return name;
    });
  };

/** Returns the key if it has a valid type, otherwise an error. */
function keyOf(key: Result): Result {
  const isKey = key !== null && (typeof key !== "object" || key instanceof Double || key instanceof Uint);
  return isKey || key instanceof CelError ? key : new CelError(`invalid qualifier type: ${goTypeName(key)}`);
}

/** Plans `a.or(b)` and `a.orValue(b)`. `b` is only evaluated if `a` has no value. The operators are free. */
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
 * Plans `x in [1, 2, 3]` for a constant list of scalars that is known to be a list. The lookup in a set is
 * free.
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

/** A key that is equal for equal values of all scalar types. */
const setKey = (value: Simple): string | boolean | Int =>
  value instanceof Double || value instanceof Uint ? (wholeNumber(value) ?? Number(value.value)) : value;

/** NaN is not equal to any value. */
const isNaN = (value: Simple) => value instanceof Double && Number.isNaN(value.value);

/**
 * Plans the condition of macros such as `all`: the loop continues until the accumulator is false. An error
 * also continues.
 */
export const notStrictlyFalse: SpecialForm = ([value]) =>
  value && {
    run: (frame) => {
      const result = value.run(frame);
      frame.charge(1);
      return typeof result === "boolean" ? result : true;
    },
  };
