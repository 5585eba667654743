import type { Draft } from "../../../meta/schema.ts";
import type { Namespace } from "./schema.ts";

/** Labels each namespace with its name, for selectors. */
export function defaultNamespace({ metadata }: Draft<Namespace>): void {
  if (metadata.name === undefined) return;
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}
