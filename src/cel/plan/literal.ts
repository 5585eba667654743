import type { ListLiteral, MapLiteral, StructLiteral } from "../ast.ts";
import { ArrayList, HashMap } from "../collections.ts";
import { Frame } from "../frame.ts";
import { CelError, Optional, type Result, type Value } from "../values.ts";
import { formatValue } from "../format-value.ts";
import { constant, type Planned, PlanError, type Step } from "./planned.ts";
import type { PlanContext } from "./plan-context.ts";

/** The cost of making a list, without its parts. */
const listUnits = 10;
const mapUnits = 30;
const structUnits = 40;

/** Folds a literal of constants to a constant, which is free. */
function fold(parts: readonly Planned[], run: Step): Planned {
  if (!parts.every((part) => part.constant !== undefined)) return { run };
  const value = run(new Frame({}, 0, Number.POSITIVE_INFINITY));
  if (value instanceof CelError) throw new PlanError(value.message);
  return constant(value);
}

/** The value of an element or entry; undefined for `?x` without a value. */
function present(value: Result, optional: boolean, what: string): Result | undefined {
  if (!optional || value instanceof CelError) return value;
  if (value instanceof Optional) return value.value;
  return new CelError(`cannot initialize ${what} from non-optional value ${formatValue(value)}`);
}

export function planList(planner: PlanContext, { elements }: ListLiteral): Planned {
  const parts = elements.map(({ value, optional }) => ({ ...planner.plan(value), optional }));
  return fold(parts, (frame) => {
    const values: Value[] = [];
    for (const { run, optional } of parts) {
      const value = present(run(frame), optional, "optional list element");
      if (value instanceof CelError) return charged(frame, listUnits, value);
      if (value !== undefined) values.push(value);
    }
    return charged(frame, listUnits, new ArrayList(values));
  });
}

export function planMap(planner: PlanContext, { entries }: MapLiteral): Planned {
  const parts = entries.map(({ key, value, optional }) => ({
    key: planner.plan(key),
    value: planner.plan(value),
    optional,
  }));
  const planned = parts.flatMap(({ key, value }) => [key, value]);
  return fold(planned, (frame) => {
    const map = new HashMap();
    for (const { key, value, optional } of parts) {
      const name = key.run(frame);
      if (name instanceof CelError) return charged(frame, mapUnits, name);
      const what = optional ? `optional entry '${formatValue(name)}'` : "";
      const held = present(value.run(frame), optional, what);
      if (held instanceof CelError) return charged(frame, mapUnits, held);
      if (held !== undefined) map.set(name, held);
    }
    return charged(frame, mapUnits, map);
  });
}

export function planStruct(planner: PlanContext, expression: StructLiteral): Planned {
  const reference = planner.reference(expression);
  const name = reference?.kind === "type" ? reference.type.name : expression.typeName;
  const provider = planner.environment.types.find((one) => one.findType(name) !== undefined);
  const construct = provider?.construct?.bind(provider);
  const parts = expression.fields.map((field) => ({ ...field, planned: planner.plan(field.value) }));
  return {
    run: (frame) => {
      const fields = new Map<string, Value>();
      for (const { name: field, planned, optional } of parts) {
        const value = present(planned.run(frame), optional, `optional entry '${field}'`);
        if (value instanceof CelError) return charged(frame, structUnits, value);
        if (value !== undefined) fields.set(field, value);
      }
      return charged(frame, structUnits, construct?.(name, fields) ?? new CelError(`unknown type '${name}'`));
    },
  };
}

function charged(frame: Frame, units: number, result: Result): Result {
  frame.charge(units);
  return result;
}
