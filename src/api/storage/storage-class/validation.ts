import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateLabelKey } from "../../../meta/validation/labels.ts";
import { report, validateOneOf } from "../../../meta/validation/report.ts";
import { repeats } from "../../../util/repeats.ts";
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from "../../core/v1/scheduling.ts";
import type { StorageClass } from "./schema.ts";
import { by } from "../../../util/compare.ts";

const max = { parameters: 512, parameterBytes: 256 * 1024 } as const;

export function* validateStorageClass(storageClass: StorageClass): Generator<FieldError> {
  yield* validateProvisioner(storageClass.provisioner, root.child("provisioner"));
  yield* validateParameters(storageClass.parameters ?? {}, root.child("parameters"));
  const policy: string = storageClass.reclaimPolicy ?? "";
  const policies = ["Delete", "Retain"];
  if (policy !== "" && !policies.includes(policy)) {
    yield notSupported(root.child("reclaimPolicy"), policy, policies);
  }
  const modes = ["Immediate", "WaitForFirstConsumer"];
  const mode: string | undefined = storageClass.volumeBindingMode;
  const modePath = root.child("volumeBindingMode");
  if (mode === "") yield notSupported(modePath, mode, modes);
  else yield* validateOneOf(mode, modes, modePath);
  yield* validateTopologies(storageClass.allowedTopologies ?? [], root.child("allowedTopologies"));
}

export function* validateStorageClassUpdate(next: StorageClass, old: StorageClass): Generator<FieldError> {
  for (const name of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
    yield* validateImmutable(next[name], old[name], root.child(name));
  }
}

export function* validateProvisioner(name: string, path: FieldPath): Generator<FieldError> {
  const lower = name.toLowerCase();
  if (name === "") yield requiredValue(path);
  else yield* report(path, lower, labelKeyProblems(lower));
}

export function* validateParameters(
  parameters: Readonly<Record<string, string>>,
  path: FieldPath,
): Generator<FieldError> {
  const entries = Object.entries(parameters);
  if (entries.length > max.parameters) {
    yield tooLong(path, max.parameters);
    return;
  }
  if (parameters[""] !== undefined) yield invalid(path, "", "field can not be empty.");
  if (Buffer.byteLength(entries.flat().join("")) > max.parameterBytes) {
    yield tooLong(path, max.parameterBytes);
  }
}

function* validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath): Generator<FieldError> {
  // Compares terms by their meaning: keys and values are sorted, so equal terms have equal texts.
  const seen = new Set([meaningOf(new Map())]);
  for (const [i, { matchLabelExpressions: expressions = [] }] of terms.entries()) {
    const place = path.index(i).child("matchLabelExpressions");
    const meaning = new Map<string, readonly string[]>();
    for (const [j, one] of expressions.entries()) {
      yield* validateRequirement(one, place.index(j));
      if (meaning.has(one.key)) yield duplicate(place.index(j).child("key"), one.key);
      meaning.set(one.key, [...new Set(one.values)].sort());
    }
    const text = meaningOf(meaning);
    if (seen.has(text)) yield duplicate(place, "");
    seen.add(text);
  }
}

function meaningOf(meaning: ReadonlyMap<string, readonly string[]>): string {
  return JSON.stringify([...meaning].sort(by(([key]) => key)));
}

function* validateRequirement(
  { key, values }: TopologySelectorLabelRequirement,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("values");
  if (values.length === 0) yield requiredValue(place);
  const repeated = repeats(values);
  for (const [i, value] of values.entries()) {
    if (repeated.has(i)) yield duplicate(place.index(i), value);
  }
  yield* validateLabelKey(key, path.child("key"));
}
