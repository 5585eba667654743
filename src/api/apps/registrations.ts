import { type Registration, serve } from "../../meta/strategy.ts";
import { controllerRevisions } from "./controller-revision/schema.ts";
import { controllerRevisionStrategy } from "./controller-revision/strategy.ts";
import { daemonSets } from "./daemon-set/schema.ts";
import { daemonSetStrategy } from "./daemon-set/strategy.ts";
import { deployments } from "./deployment/schema.ts";
import { deploymentStrategy } from "./deployment/strategy.ts";
import { replicaSets } from "./replica-set/schema.ts";
import { replicaSetStrategy } from "./replica-set/strategy.ts";
import { statefulSets } from "./stateful-set/schema.ts";
import { statefulSetStrategy } from "./stateful-set/strategy.ts";

/** The group `apps`. */
export const appsRegistrations: readonly Registration[] = [
  serve(controllerRevisions, controllerRevisionStrategy),
  serve(daemonSets, daemonSetStrategy),
  serve(deployments, deploymentStrategy),
  serve(replicaSets, replicaSetStrategy),
  serve(statefulSets, statefulSetStrategy),
];
