import { serve, type Registration } from "../../meta/strategy.ts";
import { controllerRevisions } from "./v1/controller-revision.ts";
import { daemonSets } from "./v1/daemon-set.ts";
import { deployments } from "./v1/deployment.ts";
import { replicaSets } from "./v1/replica-set.ts";
import { statefulSets } from "./v1/stateful-set.ts";

/** The group `apps`. */
export const appsRegistrations: readonly Registration[] = [
  serve(deployments),
  serve(replicaSets),
  serve(statefulSets),
  serve(daemonSets),
  serve(controllerRevisions),
];
