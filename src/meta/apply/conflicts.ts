import type { StatusCause } from "../status.ts";
import type { ManagedFieldsEntry } from "../v1.ts";
import { intersection, isEmpty, type FieldSet } from "./field-set.ts";
import { fieldSetOf, identityOf } from "./managers.ts";
import { formatPath, type Path, pathsOf } from "./path.ts";
import { by } from "../../util/compare.ts";

/** A field that another manager owns and that a configuration would change. */
export interface Conflict {
  readonly entry: ManagedFieldsEntry;
  readonly path: Path;
}

/**
 * Thrown when server-side apply would change fields that other managers own. The caller can change its
 * configuration or force the change.
 */
export class ApplyConflictsError extends Error {
  override readonly name = "ApplyConflictsError";
  readonly causes: readonly StatusCause[];

  constructor(conflicts: readonly Conflict[]) {
    super(describe(conflicts));
    this.causes = conflicts.map(({ entry, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${nameOf(entry)}`,
      field: formatPath(path),
    }));
  }
}

/** The changed fields that other managers own, ordered by manager and path. */
export function conflictsWith(others: readonly ManagedFieldsEntry[], changed: FieldSet): Conflict[] {
  return others
    .map((entry) => ({ entry, shared: intersection(fieldSetOf(entry), changed) }))
    .filter(({ shared }) => !isEmpty(shared))
    .toSorted(by(({ entry }) => identityOf(entry)))
    .flatMap(({ entry, shared }) => pathsOf(shared).map((path) => ({ entry, path })));
}

function describe(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${nameOf(first.entry)}: ${formatPath(first.path)}`;
  }
  const lines: string[] = [];
  let last: ManagedFieldsEntry | undefined;
  for (const { entry, path } of conflicts) {
    if (entry !== last) lines.push(`conflicts with ${nameOf(entry)}:`);
    lines.push(`- ${formatPath(path)}`);
    last = entry;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function nameOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const through =
    subresource === undefined || subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${JSON.stringify(manager)}${through}${using}`;
}
