import type { Controller } from "../operator/controller.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { disruptedPodController } from "./disruption/pods.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { jobController } from "./job/controller.ts";
import { orphanedPodController } from "./job/orphans.ts";
import { namespaceController } from "./namespace/controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { podGarbageCollector } from "./pod-garbage-collector/controller.ts";
import { replicaSetController } from "./replica-set/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
import { replicationController } from "./replication-controller/controller.ts";
import { resourceQuotaController } from "./resource-quota/controller.ts";
import { rootCaPublisher } from "./root-ca/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { serviceAccountTokenController, type SignToken } from "./service-account-token/controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.ts";

export interface ControllersOptions {
  /** The CA certificate, in PEM, with which Pods verify the API server. */
  readonly rootCertificate: string;
  /** Signs the tokens in Secrets of ServiceAccounts. */
  readonly signToken: SignToken;
  /** The manager's clock. Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Makes all built-in controllers for one manager. Each acts as the ServiceAccount of its name, except
 * `tokens-controller`.
 */
export function controllers({
  rootCertificate,
  signToken,
  clock = systemClock,
}: ControllersOptions): readonly Controller[] {
  return [
    namespaceController(),
    serviceAccountController(),
    serviceAccountTokenController({ rootCertificate, sign: signToken }),
    rootCaPublisher(rootCertificate),
    replicaSetController(clock),
    statefulSetController(),
    daemonSetController(clock),
    replicationController(clock),
    deploymentController(),
    jobController(clock),
    orphanedPodController(),
    ttlAfterFinishedController(),
    cronJobController(),
    endpointSliceController(clock),
    endpointsController(),
    clusterRoleAggregationController(),
    podGarbageCollector(),
    nodeLifecycleController(),
    disruptionController(),
    disruptedPodController(),
    resourceQuotaController(clock),
  ];
}
