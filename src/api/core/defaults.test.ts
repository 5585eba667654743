import { describe, expect, test } from "vitest";
import { change, load, type Manifest } from "../pipeline.suite.ts";
import { imageTag } from "./pod/spec-defaults.ts";

const metadata = { name: "a", namespace: "b" };
const spec = (manifest: Manifest) => (load(manifest) as unknown as { readonly spec: object }).spec;

const pod: Manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata,
  spec: { containers: [{ name: "main", image: "nginx" }] },
};

const podDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};
const containerDefaults = {
  name: "main",
  image: "nginx",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
};

describe("a Pod", () => {
  test("gets all that it leaves out", () => {
    expect(spec(pod)).toEqual({ containers: [containerDefaults], enableServiceLinks: true, ...podDefaults });
  });

  test("gets services' variables switched on in itself, not in templates", () => {
    const template = { ...pod, kind: "PodTemplate", template: { spec: pod["spec"] } };
    expect(load(template)).toMatchObject({ template: { spec: podDefaults } });
    expect(JSON.stringify(load(template))).not.toContain("enableServiceLinks");
  });

  test("knows its account by both names, of which the newer wins", () => {
    const both = { serviceAccountName: "new", serviceAccount: "new" };
    expect(spec(change(pod, "spec.serviceAccountName", "new"))).toMatchObject(both);
    expect(spec(change(pod, "spec.serviceAccount", "new"))).toMatchObject(both);
    expect(
      spec(change(change(pod, "spec.serviceAccount", "old"), "spec.serviceAccountName", "new")),
    ).toMatchObject(both);
  });

  test("gets probes with a path, a scheme and counts", () => {
    const probed = change(pod, "spec.containers.0.livenessProbe", { httpGet: { port: 80 } });
    expect(spec(probed)).toMatchObject({
      containers: [
        {
          livenessProbe: {
            httpGet: { path: "/", port: 80, scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });

  test("requests what it limits", () => {
    const limited = change(pod, "spec.containers.0.resources", {
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "500m" },
    });
    expect(spec(limited)).toMatchObject({
      containers: [{ resources: { requests: { cpu: "500m", memory: "1Gi" } } }],
    });
  });

  test("requests for itself what its containers request together", () => {
    const requests = { resources: { requests: { cpu: "300m" } } };
    const containers = [
      { name: "a", image: "x", ...requests },
      { name: "b", image: "x", ...requests },
    ];
    const limited = change(change(pod, "spec.containers", containers), "spec.resources", {
      limits: { cpu: "1", memory: "1Gi" },
    });
    expect(spec(limited)).toMatchObject({ resources: { requests: { cpu: "600m", memory: "1Gi" } } });
  });

  test("of the host's network takes the host's ports", () => {
    const open = change(pod, "spec.containers.0.ports", [{ containerPort: 80 }]);
    expect(spec(change(open, "spec.hostNetwork", true))).toMatchObject({
      containers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] }],
    });
  });

  test("gets volumes with modes, and an empty directory where there is no source", () => {
    const volumes = [
      { name: "empty" },
      { name: "secret", secret: { secretName: "s" } },
      { name: "host", hostPath: { path: "/x" } },
      { name: "image", image: { reference: "a:v1" } },
    ];
    expect(spec(change(pod, "spec.volumes", volumes))).toMatchObject({
      volumes: [
        { emptyDir: {} },
        { secret: { defaultMode: 0o644 } },
        { hostPath: { path: "/x", type: "" } },
        { image: { pullPolicy: "IfNotPresent" } },
      ],
    });
  });
});

test.each([
  ["nginx", "latest"],
  ["nginx:latest", "latest"],
  ["nginx:1.29", "1.29"],
  ["localhost:5000/nginx", "latest"],
  ["localhost:5000/nginx:1", "1"],
  ["nginx@sha256:0123", ""],
  ["nginx:1@sha256:0123", "1"],
  ["Nginx", ""],
  ["", ""],
])("the tag of %j is %j", (image, tag) => expect(imageTag(image)).toBe(tag));

describe("a Service", () => {
  const service = (more: object): Manifest => ({ apiVersion: "v1", kind: "Service", metadata, spec: more });

  test("is reached from inside only", () => {
    expect(spec(service({ ports: [{ port: 80 }] }))).toEqual({
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ports: [{ port: 80, targetPort: 80, protocol: "TCP" }],
    });
  });

  test("of a load balancer gets node ports and a policy", () => {
    expect(spec(service({ type: "LoadBalancer" }))).toMatchObject({
      allocateLoadBalancerNodePorts: true,
      externalTrafficPolicy: "Cluster",
    });
  });

  test("keeps clients at their Pod for three hours", () => {
    expect(spec(service({ sessionAffinity: "ClientIP" }))).toMatchObject({
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
    });
  });
});

describe("workloads", () => {
  const workload = (kind: string, more: object = {}): Manifest => ({
    apiVersion: "apps/v1",
    kind,
    metadata,
    spec: { template: { spec: pod["spec"] }, ...more },
  });

  test("a Deployment rolls a quarter at a time", () => {
    expect(spec(workload("Deployment"))).toEqual({
      replicas: 1,
      template: { metadata: {}, spec: { containers: [containerDefaults], ...podDefaults } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(spec(workload("Deployment", { strategy: { rollingUpdate: { maxSurge: 1 } } }))).toMatchObject({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: 1 } },
    });
    expect(spec(workload("Deployment", { strategy: { type: "Recreate" } }))).toMatchObject({
      strategy: { type: "Recreate" },
    });
  });

  test("a StatefulSet has a partition only when it leaves out the type", () => {
    const retention = { whenDeleted: "Retain", whenScaled: "Retain" };
    expect(spec(workload("StatefulSet"))).toMatchObject({
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: retention,
    });
    const typed = spec(workload("StatefulSet", { updateStrategy: { type: "RollingUpdate" } }));
    expect(typed).toMatchObject({ updateStrategy: { type: "RollingUpdate" } });
    expect(JSON.stringify(typed)).not.toContain("partition");
  });

  test("a DaemonSet replaces one Pod at a time", () => {
    expect(spec(workload("DaemonSet"))).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });
});

describe("other kinds", () => {
  test("a namespace can be selected by its name", () => {
    expect(load({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } })).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "a" } },
      status: { phase: "Active" },
    });
  });

  test("a claim wants a file system and waits", () => {
    expect(load({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: {} })).toMatchObject({
      spec: { volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  test("limits of containers fill each other in", () => {
    const limits = [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1Gi" } }];
    expect(spec({ apiVersion: "v1", kind: "LimitRange", metadata, spec: { limits } })).toMatchObject({
      limits: [{ default: { cpu: "2" }, defaultRequest: { cpu: "2", memory: "1Gi" } }],
    });
  });

  test("a Secret's text becomes data", () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      data: { a: "eA==" },
      stringData: { a: "y" },
    };
    expect(load(secret)).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      data: { a: "eQ==" },
      type: "Opaque",
    });
  });

  test("a ReplicationController takes labels and selector from its template", () => {
    const template = { metadata: { labels: { app: "a" } }, spec: pod["spec"] };
    const controller = { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { template } };
    expect(load(controller)).toMatchObject({
      metadata: { labels: { app: "a" } },
      spec: { replicas: 1, selector: { app: "a" } },
    });
  });
});

test.each([
  [
    "the first of all ranges",
    { podCIDRs: ["10.1.0.0/24", "2001:db8::/64"] },
    ["10.1.0.0/24", "2001:db8::/64"],
  ],
  ["the only range", { podCIDR: "10.1.0.0/24" }, ["10.1.0.0/24"]],
  ["the range that is right", { podCIDR: "10.1.0.0/24", podCIDRs: ["10.2.0.0/24"] }, ["10.1.0.0/24"]],
])("a Node's one range is %s", (_, given, podCIDRs) => {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: given };
  expect(spec(node)).toEqual({ podCIDR: "10.1.0.0/24", podCIDRs });
});
