import { type FieldError, forbidden, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateOneOf } from "../../../meta/validation/report.ts";
import type { PriorityClass } from "./schema.ts";

const systemPrefix = "system-";
/** The highest priority of users. Higher ones are reserved for the system. */
const highestPriority = 1_000_000_000;

const systemValues: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

const valuePath = root.child("value");
const policyPath = root.child("preemptionPolicy");

export function* validatePriorityClass(priorityClass: PriorityClass): Generator<FieldError> {
  const { metadata, value, preemptionPolicy } = priorityClass;
  const name = metadata.name ?? "";
  const problem = name.startsWith(systemPrefix) ? systemProblem(name, priorityClass) : undefined;
  if (problem !== undefined) {
    const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
    yield forbidden(root.child("metadata", "name"), why);
  }
  if (!name.startsWith(systemPrefix) && value > highestPriority) {
    yield forbidden(valuePath, `maximum allowed value of a user defined priority is ${highestPriority}`);
  }
  if (preemptionPolicy !== undefined) {
    yield* validateOneOf(preemptionPolicy, ["PreemptLowerPriority", "Never"], policyPath);
  }
}

function systemProblem(name: string, { value, globalDefault = false }: PriorityClass): string | undefined {
  const expected = systemValues.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function* validatePriorityClassUpdate(
  { value, preemptionPolicy }: PriorityClass,
  old: PriorityClass,
): Generator<FieldError> {
  if (value !== old.value) yield forbidden(valuePath, "may not be changed in an update.");
  yield* validateImmutable(preemptionPolicy, old.preemptionPolicy, policyPath);
}
