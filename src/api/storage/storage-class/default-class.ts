import { ascending } from "../../../util/compare.ts";
import type { StorageClass } from "./schema.ts";

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export function isDefaultClass({ metadata: { annotations = {} } }: Pick<StorageClass, "metadata">): boolean {
  return defaultAnnotations.some((one) => annotations[one] === "true");
}

/** The default class: of several, the youngest, then the first by name (upstream `volume/util/storageclass.go`). */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const age = ({ metadata }: StorageClass) => metadata.creationTimestamp ?? "";
  const name = ({ metadata }: StorageClass) => metadata.name ?? "";
  return classes
    .filter(isDefaultClass)
    .toSorted((a, b) => ascending(age(b), age(a)) || ascending(name(a), name(b)))[0];
}
