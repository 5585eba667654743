import { youngest } from "../../../meta/youngest.ts";
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
  return youngest(classes.filter(isDefaultClass));
}
