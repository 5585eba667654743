import type { KubeObject } from "../../meta/kind.ts";
import { labelKeyProblems } from "../../meta/label-syntax.ts";

const standard: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Returns the warnings about finalizers that a write adds (`customresource.validateKubeFinalizerName`). */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const known = new Set(old?.metadata.finalizers);
  return (object.metadata.finalizers ?? [])
    .filter((name) => !known.has(name))
    .toSorted()
    .flatMap((name) =>
      warningsOf(name).map((text) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`),
    );
}

function warningsOf(name: string): readonly string[] {
  const problems = labelKeyProblems(name);
  if (name.includes("/") || standard.has(name)) return problems;
  const path = name.includes(".") ? " including a path (/)" : "";
  return [
    ...problems,
    `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ];
}
