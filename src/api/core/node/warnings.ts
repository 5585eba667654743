import { root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { cidrWarnings } from "../warnings/ip.ts";
import type { Node } from "./schema.ts";

/** Warnings about deprecated fields (upstream `pkg/registry/core/node/strategy.go`). */
export function nodeWarnings({ spec, status }: Node, old: Node | undefined): readonly string[] {
  if (old !== undefined && !deepEqual(status, old.status)) return [];
  const { configSource, externalID = "", podCIDRs = [] } = spec;
  return [
    ...(configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
    ...(externalID === "" ? [] : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...podCIDRs.flatMap((subnet, i) => cidrWarnings(subnet, root.child("spec", "podCIDRs").index(i))),
  ];
}
