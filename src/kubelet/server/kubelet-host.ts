import type { NodeEndpoint } from "../../meta/node-endpoint.ts";
import type { Env } from "../../util/env.ts";
import { Metrics } from "../../util/metrics/metrics.ts";
import type { Kubelet } from "../kubelet.ts";
import type { KubeletHost } from "./host.ts";
import { readMachine } from "./machine-readings.ts";
import { StorageMonitor } from "./storage.ts";

export interface KubeletHostOptions {
  readonly env: Env;
  readonly kubelet: Kubelet;
  readonly endpoint: NodeEndpoint;
  /** The KubeletConfiguration in use. */
  readonly configuration: object;
}

/** Shows a node agent to its server. A node of simulated containers is no machine: it has no readings. */
export function kubeletHost({ env, kubelet, endpoint, configuration }: KubeletHostOptions): KubeletHost {
  const { context } = kubelet;
  const isReal = context.runtime.writableLayer !== undefined;
  const storage = new StorageMonitor(
    context,
    () => kubelet.pods(),
    (uid) => kubelet.sandboxes(uid),
  );
  return {
    nodeName: context.name,
    env,
    endpoint,
    pods: () => kubelet.pods(),
    pod: (namespace, name) => kubelet.pod(namespace, name),
    sandboxes: (uid) => kubelet.sandboxes(uid),
    isSyncing: () => kubelet.isSyncing(),
    samples: () => kubelet.samples(),
    ...(isReal && {
      machine: () => readMachine(context.logDirectory),
      storage: () => storage.measure(),
    }),
    probeCounts: () => kubelet.probeCounts(),
    metrics: env.metrics ?? new Metrics(),
    configuration,
  };
}
