import { root } from "../../../meta/field-error.ts";
import { templateWarnings } from "../../core/pod/warnings/pod.ts";
import type { JobSpec } from "./schema.ts";

export function specWarnings(spec: JobSpec, path: string): readonly string[] {
  return [...sizeWarnings(spec, path), ...templateWarnings(spec.template, root.child(path, "template"))];
}

function sizeWarnings(spec: JobSpec, path: string): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 100_000 || parallelism <= 10_000) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
