import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../../core/pod/spec-defaults.ts";
import type { ReplicaSet } from "./schema.ts";

export function defaultReplicaSet({ spec }: Draft<ReplicaSet>): void {
  defaultPodSpec(spec.template.spec);
}
