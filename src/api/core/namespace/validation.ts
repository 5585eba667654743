import { type FieldError, type FieldPath, invalid, root } from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { report } from "../../../meta/validation/report.ts";
import type { Namespace } from "./schema.ts";

const standardFinalizers: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"];

export function* validateFinalizerName(name: string, path: FieldPath): Generator<FieldError> {
  yield* report(path, name, labelKeyProblems(name));
  yield* validateStandardFinalizer(name, path);
}

/** Only permits Kubernetes' own finalizers without a domain. */
export function* validateStandardFinalizer(name: string, path: FieldPath): Generator<FieldError> {
  if (!name.includes("/") && !standardFinalizers.includes(name)) {
    yield invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

export function* validateNamespace({ spec }: Namespace): Generator<FieldError> {
  for (const name of spec.finalizers ?? []) {
    yield* validateFinalizerName(name, root.child("spec", "finalizers"));
  }
}

export function* validateNamespaceStatus({ metadata, status }: Namespace): Generator<FieldError> {
  const [phase, why] =
    metadata.deletionTimestamp === undefined ? ["Active", "is empty"] : ["Terminating", "is not empty"];
  if (status.phase === phase) return;
  yield invalid(
    root.child("status", "Phase"),
    status.phase ?? "",
    `may only be '${phase}' if \`deletionTimestamp\` ${why}`,
  );
}
