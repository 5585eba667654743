import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import type { Controller } from "../../operator/controller.ts";
import type { Clock } from "../../util/clock.ts";
import { replicaController } from "./replica-controller.ts";

/** Keeps the desired number of Pods for each ReplicaSet. */
export function replicaSetController(clock: Clock): Controller {
  return replicaController(
    {
      name: "replicaset-controller",
      kind: replicaSets,
      asReplicaSet: (replicaSet) => replicaSet,
      writeStatus: (client, replicaSet, status) =>
        client.of(replicaSets, replicaSet.metadata.namespace).updateStatus({ ...replicaSet, status }),
    },
    clock,
  );
}
