import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import {
  type ReplicationController,
  replicationControllers,
} from "../../api/core/replication-controller/schema.ts";
import type { PodTemplateSpec } from "../../api/core/pod/spec.ts";
import type { Controller } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { replicaController } from "../replica-set/replica-controller.ts";

/** Keeps the desired number of Pods for each ReplicationController (upstream `replication/replication_controller.go`). */
export function replicationController(clock: Clock): Controller {
  return replicaController(
    {
      name: "replication-controller",
      kind: replicationControllers,
      asReplicaSet,
      writeStatus: (client, object, { terminatingReplicas: _, ...status }) =>
        client.of(replicationControllers, object.metadata.namespace).updateStatus({ ...object, status }),
    },
    clock,
  );
}

/** Never used: validation requires a template. */
const emptyTemplate: PodTemplateSpec = { metadata: {}, spec: { containers: [] } };

/** The object as the plan reads it. Its metadata, group and kind stay: owner references name them. */
function asReplicaSet(object: ReplicationController): ReplicaSet {
  const { selector = {}, template = emptyTemplate, ...spec } = object.spec;
  return { ...object, spec: { ...spec, template, selector: { matchLabels: selector } } };
}
