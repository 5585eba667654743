import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime.ts";
import type { PodView, ProbeResults } from "./view.ts";
import type { Backoff, Subject, Work, WorkState } from "./work-machine.ts";

export const now = Date.UTC(2026, 0, 1);
const uid = "u1";

export function aPod(spec: object = {}, metadata: object = {}, status: object = {}): Pod {
  const fields = {
    metadata: { name: "p", namespace: "ns", uid, ...metadata },
    spec: { containers: [{ name: "a" }], ...spec },
    status,
  };
  return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
}

export function aContainer(
  name: string,
  state: ContainerStatus["state"],
  more: Partial<ContainerStatus> = {},
): ContainerStatus {
  return {
    id: `${name}-${more.attempt ?? 0}`,
    name,
    attempt: 0,
    image: "i",
    imageId: "sha256:1",
    state,
    createdAt: now,
    ...(state === "created" ? {} : { startedAt: now }),
    ...(state === "exited" ? { finishedAt: now, exitCode: 0 } : {}),
    logPath: "",
    ...more,
  };
}

export function aSandbox(
  containers: readonly ContainerStatus[],
  state: SandboxStatus["state"] = "ready",
  attempt = 0,
): SandboxStatus {
  return {
    id: `s${attempt}`,
    pod: { uid, namespace: "ns", name: "p" },
    attempt,
    state,
    createdAt: now,
    ips: ["10.0.0.1"],
    containers,
  };
}

export function aView(pod: Pod, sandboxes: readonly SandboxStatus[], more: Partial<PodView> = {}): PodView {
  const running = sandboxes
    .flatMap(({ containers }) => containers)
    .filter(({ state }) => state === "running");
  const fine: ProbeResults = { started: true, ready: true };
  return {
    pod,
    sandboxes,
    now,
    work: new Map(),
    probes: new Map(running.map(({ id }) => [id, fine])),
    ...more,
  };
}

export const failed = (subject: Subject, retry: Backoff): ReadonlyMap<Subject, Work> =>
  new Map([[subject, { state: "idle", trouble: { failure: { reason: "R", message: "m" }, retry } }]]);
export const work = (subject: Subject, state: WorkState): PodView["work"] => new Map([[subject, { state }]]);
export const deleted = {
  deletionTimestamp: new Date(now + 5000).toISOString(),
  deletionGracePeriodSeconds: 5,
};
export const init = { initContainers: [{ name: "i1" }, { name: "i2" }] };
const rule = { action: "Restart", exitCodes: { operator: "In", values: [3] } };
export const ruled = {
  restartPolicy: "Never",
  containers: [{ name: "a", restartPolicy: "Never", restartPolicyRules: [rule] }],
};
export const sidecar = { initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "i2" }] };
export const evicted = { reason: "Evicted", message: "why", graceMs: 1000 };
