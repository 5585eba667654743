import type { Pod } from "../../api/core/pod/schema.ts";
import type { NodeEndpoint } from "../../meta/node-endpoint.ts";
import type { Env } from "../../util/env.ts";
import type { Metrics } from "../../util/metrics/metrics.ts";
import type { ProbeCount } from "../probes/probe-counts.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { Sample } from "../usage/rates.ts";
import type { MachineReadings } from "./machine-readings.ts";

/** The node agent, as the server sees it. */
export interface KubeletHost {
  readonly nodeName: string;
  readonly env: Env;
  readonly endpoint: NodeEndpoint;
  pods(): readonly Pod[];
  pod(namespace: string, name: string): Pod | undefined;
  sandboxes(uid: string): readonly SandboxStatus[];
  /** Returns true while the agent still looks at its runtime. */
  isSyncing(): boolean;
  /** Returns the last measurements; a part that cannot be measured is absent. */
  samples(): { readonly machine: Sample | undefined; readonly containers: ReadonlyMap<string, Sample> };
  /** Reads the machine's counters; absent for a node that is no machine. */
  readonly machine?: (() => Promise<MachineReadings>) | undefined;
  /** Measures the disk usage of Pods by UID; absent for containers that write nothing. */
  readonly storage?: (() => Promise<ReadonlyMap<string, PodStorage>>) | undefined;
  probeCounts(): Iterable<ProbeCount>;
  /** The metrics of the process. */
  readonly metrics: Metrics;
  /** The KubeletConfiguration in use. */
  readonly configuration: object;
}

/** The bytes on disk of a Pod. */
export interface PodStorage {
  readonly at: number;
  readonly volumes: ReadonlyMap<string, number>;
  /** By container: its own files, and its logs. */
  readonly containers: ReadonlyMap<string, { readonly rootfs: number | undefined; readonly logs: number }>;
  /** The sum with the Pod's other files. */
  readonly total: number;
}
