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
  test("gets all defaults", () => {
    expect(spec(pod)).toEqual({ containers: [containerDefaults], enableServiceLinks: true, ...podDefaults });
  });

  test("gets enableServiceLinks, but a template does not", () => {
    const template = { ...pod, kind: "PodTemplate", template: { spec: pod["spec"] } };
    expect(load(template)).toMatchObject({ template: { spec: podDefaults } });
    expect(JSON.stringify(load(template))).not.toContain("enableServiceLinks");
  });

  test("has its ServiceAccount in both fields; the newer field takes precedence", () => {
    const both = { serviceAccountName: "new", serviceAccount: "new" };
    expect(spec(change(pod, "spec.serviceAccountName", "new"))).toMatchObject(both);
    expect(spec(change(pod, "spec.serviceAccount", "new"))).toMatchObject(both);
    expect(
      spec(change(change(pod, "spec.serviceAccount", "old"), "spec.serviceAccountName", "new")),
    ).toMatchObject(both);
  });

  test("gets probes with a path, a scheme and thresholds", () => {
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

  test("gets requests equal to its limits", () => {
    const limited = change(pod, "spec.containers.0.resources", {
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "500m" },
    });
    expect(spec(limited)).toMatchObject({
      containers: [{ resources: { requests: { cpu: "500m", memory: "1Gi" } } }],
    });
  });

  test("gets Pod-level requests that are the sum of its containers' requests", () => {
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

  test("in the host network gets host ports", () => {
    const open = change(pod, "spec.containers.0.ports", [{ containerPort: 80 }]);
    expect(spec(change(open, "spec.hostNetwork", true))).toMatchObject({
      containers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] }],
    });
  });

  test("gets volumes with modes, and an emptyDir if no source is set", () => {
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

  test("of type ClusterIP is only accessible from inside", () => {
    expect(spec(service({ ports: [{ port: 80 }] }))).toEqual({
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ports: [{ port: 80, targetPort: 80, protocol: "TCP" }],
    });
  });

  test("of type LoadBalancer gets node ports and a policy", () => {
    expect(spec(service({ type: "LoadBalancer" }))).toMatchObject({
      allocateLoadBalancerNodePorts: true,
      externalTrafficPolicy: "Cluster",
    });
  });

  test("has a session affinity of three hours", () => {
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

  test("a Deployment updates 25% of its Pods at a time", () => {
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

  test("a StatefulSet gets a partition only if the strategy's type is absent", () => {
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

  test("a DaemonSet updates one Pod at a time", () => {
    expect(spec(workload("DaemonSet"))).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });
});

describe("other kinds", () => {
  test("a namespace has a label with its name", () => {
    expect(load({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } })).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "a" } },
      status: { phase: "Active" },
    });
  });

  test("a claim is pending and has volumeMode Filesystem", () => {
    expect(load({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: {} })).toMatchObject({
      spec: { volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  test("the limits of containers complete each other", () => {
    const limits = [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1Gi" } }];
    expect(spec({ apiVersion: "v1", kind: "LimitRange", metadata, spec: { limits } })).toMatchObject({
      limits: [{ default: { cpu: "2" }, defaultRequest: { cpu: "2", memory: "1Gi" } }],
    });
  });

  test("the stringData of a Secret becomes data", () => {
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

  test("a ReplicationController gets labels and selector from its template", () => {
    const template = { metadata: { labels: { app: "a" } }, spec: pod["spec"] };
    const controller = { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { template } };
    expect(load(controller)).toMatchObject({
      metadata: { labels: { app: "a" } },
      spec: { replicas: 1, selector: { app: "a" } },
    });
  });
});

test.each([
  ["the first of podCIDRs", { podCIDRs: ["10.1.0.0/24", "2001:db8::/64"] }, ["10.1.0.0/24", "2001:db8::/64"]],
  ["the only one", { podCIDR: "10.1.0.0/24" }, ["10.1.0.0/24"]],
  [
    "the value of podCIDR if both differ",
    { podCIDR: "10.1.0.0/24", podCIDRs: ["10.2.0.0/24"] },
    ["10.1.0.0/24"],
  ],
])("the Pod CIDR of a Node is %s", (_, given, podCIDRs) => {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: given };
  expect(spec(node)).toEqual({ podCIDR: "10.1.0.0/24", podCIDRs });
});
