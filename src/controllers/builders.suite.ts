import type { Pod } from "../api/core/pod/schema.ts";
import { type Deployment, deployments } from "../api/apps/deployment/schema.ts";
import { type ReplicaSet, replicaSets } from "../api/apps/replica-set/schema.ts";
import { pods } from "../api/core/pod/schema.ts";
import { decode } from "../meta/decode.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";

/** The virtual time at which every test starts. */
export const start = Date.UTC(2026, 0, 1);

/** Builds an object as the API server would return it: with a UID, an age, and every default. */
export function build<K extends Kind>(kind: K, input: object): ObjectOf<K> {
  const { apiVersion, kind: name } = kind;
  return { apiVersion, kind: name, ...decode(kind.schema, input) } as ObjectOf<K>;
}

export const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web:1" }] },
};

export function aPod(name: string, { metadata = {}, spec = {}, status = {} }: PodParts = {}): Pod {
  return build(pods, {
    metadata: { name, namespace: "default", uid: `uid-${name}`, labels: { app: "web" }, ...metadata },
    spec: { ...template.spec, ...spec },
    status,
  });
}

interface PodParts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

export const readyAt = (time: string) => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }],
});

export function aReplicaSet(spec: object = {}, metadata: object = {}, status: object = {}): ReplicaSet {
  return build(replicaSets, {
    metadata: { name: "web", namespace: "default", uid: "uid-web", generation: 1, ...metadata },
    spec: { selector: { matchLabels: { app: "web" } }, template, ...spec },
    status,
  });
}

export function aDeployment(spec: object = {}, metadata: object = {}, status: object = {}): Deployment {
  return build(deployments, {
    metadata: { name: "web", namespace: "default", uid: "uid-web", generation: 1, ...metadata },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      ...spec,
    },
    status,
  });
}
