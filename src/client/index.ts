export { Client, type ClientOptions, type UntypedInput, type UntypedObject } from "./client.ts";
export { ConfigError, ConnectionError, RequestError } from "./errors.ts";
export { EventRecorder, type EventSink } from "./event-recorder.ts";
export { type Connection, HttpTransport } from "./http.ts";
export { type Delta, Informer, type InformerOptions } from "./informer.ts";
export { inClusterContext } from "./in-cluster.ts";
export {
  type Kubeconfig,
  kubeconfigPaths,
  loadKubeconfig,
  type ResolvedContext,
  resolveContext,
} from "./kubeconfig.ts";
export { runAsLeader } from "./leader-election.ts";
export { ResourceClient } from "./resource-client.ts";
export { retryOnConflict } from "./retry.ts";
export type { Transport } from "./transport.ts";
export { WorkQueue } from "./work-queue.ts";
export { hasReason, type Status, StatusError } from "../meta/status.ts";
export { type Clock, systemClock } from "../util/clock.ts";
export type { Env } from "../util/env.ts";
export { type Logger, silentLogger } from "../util/logger.ts";
export { systemRandom } from "../util/random.ts";
