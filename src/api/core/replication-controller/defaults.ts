import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../pod/spec-defaults.ts";
import type { ReplicationController } from "./schema.ts";

/** Defaults the selector and the labels from the template. */
export function defaultReplicationController({ metadata, spec }: Draft<ReplicationController>): void {
  if (spec.template === undefined) return;
  defaultPodSpec(spec.template.spec);
  const { labels } = spec.template.metadata;
  if (labels === undefined) return;
  spec.selector ??= { ...labels };
  metadata.labels ??= { ...labels };
}
