import { describe, expect, test } from "vitest";
import { cells, type Manifest } from "../pipeline.suite.ts";

const created = "2026-03-01T11:00:00Z";
const metadata = { name: "web", namespace: "default", creationTimestamp: created };

const containers = ["a", "b"].map((name) => ({ name, image: "nginx" }));
const pod = (status: object, spec: object = {}, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata, ...more },
  spec: { containers, ...spec },
  status,
});
const status = (name: string, state: object, more: object = {}) => ({
  name,
  state,
  lastState: {},
  ready: false,
  restartCount: 0,
  image: "nginx",
  imageID: "",
  ...more,
});
const running = { running: { startedAt: created } };
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, ...more } });
const ready = { ready: true };
const sidecar = { initContainers: [{ name: "s", image: "x", restartPolicy: "Always" }] };
const init = {
  initContainers: [
    { name: "i", image: "x" },
    { name: "j", image: "x" },
  ],
};

/** The expected cells Ready, Status and Restarts are those of upstream's table of Pods. */
describe("a Pod's row", () => {
  test.each<readonly [what: string, pod: Manifest, ready: string, status: string, restarts: string]>([
    ["waits", pod({ phase: "Pending" }), "0/2", "Pending", "0"],
    [
      "runs",
      pod({
        phase: "Running",
        containerStatuses: [status("a", running, ready), status("b", running, ready)],
      }),
      "2/2",
      "Running",
      "0",
    ],
    [
      "can't pull",
      pod({
        phase: "Pending",
        containerStatuses: [
          status("a", { waiting: { reason: "ImagePullBackOff" } }),
          status("b", running, ready),
        ],
      }),
      "1/2",
      "ImagePullBackOff",
      "0",
    ],
    [
      "has restarted",
      pod({
        phase: "Running",
        containerStatuses: [
          status("a", running, {
            ...ready,
            restartCount: 3,
            lastState: ended(1, { finishedAt: "2026-03-01T11:50:00Z" }),
          }),
          status("b", running, ready),
        ],
      }),
      "2/2",
      "Running",
      "3 (10m ago)",
    ],
    [
      "has failed",
      pod({
        phase: "Failed",
        containerStatuses: [
          status("a", ended(1, { reason: "Error" })),
          status("b", ended(0, { reason: "Completed" })),
        ],
      }),
      "0/2",
      "Error",
      "0",
    ],
    [
      "was killed",
      pod({ phase: "Failed", containerStatuses: [status("a", ended(0, { signal: 9 }))] }),
      "0/2",
      "Signal:9",
      "0",
    ],
    [
      "exited",
      pod({ phase: "Failed", containerStatuses: [status("a", ended(2))] }),
      "0/2",
      "ExitCode:2",
      "0",
    ],
    ["was evicted", pod({ phase: "Failed", reason: "Evicted" }), "0/2", "Evicted", "0"],
    [
      "is half done",
      pod({
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [status("a", ended(0, { reason: "Completed" })), status("b", running, ready)],
      }),
      "1/2",
      "Running",
      "0",
    ],
    [
      "is half done and not ready",
      pod({
        phase: "Running",
        containerStatuses: [status("a", ended(0, { reason: "Completed" })), status("b", running, ready)],
      }),
      "1/2",
      "NotReady",
      "0",
    ],
    [
      "is half failed",
      pod({
        phase: "Running",
        containerStatuses: [
          status("a", ended(0, { reason: "Completed" })),
          status("b", ended(1, { reason: "Error" })),
        ],
      }),
      "0/2",
      "Error",
      "0",
    ],
    [
      "starts up",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: [
            status("i", running),
            status("j", { waiting: { reason: "PodInitializing" } }),
          ],
        },
        init,
      ),
      "0/2",
      "Init:0/2",
      "0",
    ],
    [
      "starts up, one done",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: [status("i", ended(0), { restartCount: 1 }), status("j", running)],
        },
        init,
      ),
      "0/2",
      "Init:1/2",
      "1",
    ],
    [
      "can't start up",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: [status("i", ended(1, { reason: "Error" }), { restartCount: 2 })],
        },
        init,
      ),
      "0/2",
      "Init:Error",
      "2",
    ],
    [
      "can't start up, back off",
      pod(
        {
          phase: "Pending",
          initContainerStatuses: [
            status("i", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 2 }),
          ],
        },
        init,
      ),
      "0/2",
      "Init:CrashLoopBackOff",
      "2",
    ],
    [
      "has a sidecar",
      pod(
        {
          phase: "Running",
          initContainerStatuses: [status("s", running, { ...ready, started: true, restartCount: 1 })],
          containerStatuses: [status("a", running, ready)],
        },
        sidecar,
      ),
      "2/3",
      "Running",
      "1",
    ],
    [
      "has a sidecar that has not started",
      pod({ phase: "Pending", initContainerStatuses: [status("s", running, { started: false })] }, sidecar),
      "0/3",
      "Init:0/1",
      "0",
    ],
    [
      "is gated",
      pod({
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
      }),
      "0/2",
      "SchedulingGated",
      "0",
    ],
    ["is going", pod({ phase: "Running" }, {}, { deletionTimestamp: created }), "0/2", "Terminating", "0"],
    ["is gone", pod({ phase: "Succeeded" }, {}, { deletionTimestamp: created }), "0/2", "Succeeded", "0"],
    [
      "is lost",
      pod({ phase: "Running", reason: "NodeLost" }, {}, { deletionTimestamp: created }),
      "0/2",
      "Unknown",
      "0",
    ],
  ])("of a Pod that %s", (_, manifest, readyCell, statusCell, restarts) => {
    expect(cells(manifest).slice(0, 5)).toEqual(["web", readyCell, statusCell, restarts, "60m"]);
  });

  test("shows the node in wide output", () => {
    const wide = pod(
      { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "example.com/a", status: "True" }] },
      {
        nodeName: "n1",
        readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }],
      },
    );
    expect(cells(wide).slice(5)).toEqual(["10.0.0.1", "n1", "<none>", "1/2"]);
    expect(cells(pod({})).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
  });
});

function object(kind: string, fields: object, apiVersion = "v1"): Manifest {
  return { apiVersion, kind, metadata, ...fields };
}

const template = { spec: { containers, nodeSelector: { disk: "ssd" } } };
const selector = { matchLabels: { app: "web" } };
const workload = (kind: string, fields: object) => object(kind, fields, "apps/v1");

describe("other rows", () => {
  test.each<readonly [what: string, object: Manifest, cells: readonly unknown[]]>([
    [
      "Service",
      object("Service", {
        spec: {
          clusterIPs: ["10.0.0.1"],
          ports: [
            { port: 80, nodePort: 30080 },
            { port: 53, protocol: "UDP" },
          ],
          selector: { app: "web" },
        },
      }),
      ["ClusterIP", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "app=web"],
    ],
    [
      "load balancer",
      object("Service", {
        spec: { type: "LoadBalancer", externalIPs: ["1.2.3.4"] },
        status: { loadBalancer: { ingress: [{ ip: "5.6.7.8" }, { hostname: "lb" }] } },
      }),
      ["LoadBalancer", "<none>", "5.6.7.8,lb,1.2.3.4", "<none>", "<none>"],
    ],
    [
      "load balancer to come",
      object("Service", { spec: { type: "LoadBalancer" } }),
      ["LoadBalancer", "<none>", "<pending>", "<none>", "<none>"],
    ],
    [
      "other name",
      object("Service", { spec: { type: "ExternalName", externalName: "example.com" } }),
      ["ExternalName", "<none>", "example.com", "<none>", "<none>"],
    ],
    [
      "Endpoints",
      object("Endpoints", {
        subsets: [{ addresses: [1, 2, 3, 4].map((i) => ({ ip: `10.0.0.${i}` })), ports: [{ port: 80 }] }],
      }),
      ["10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more..."],
    ],
    [
      "EndpointSlice",
      object(
        "EndpointSlice",
        { addressType: "IPv4", endpoints: [], ports: [{ name: "http" }] },
        "discovery.k8s.io/v1",
      ),
      ["IPv4", "http", "<unset>"],
    ],
    ["Namespace", object("Namespace", {}), ["Active"]],
    ["ConfigMap", object("ConfigMap", { data: { a: "" }, binaryData: { b: "" } }), [2]],
    ["Secret", object("Secret", { data: { a: "" } }), ["Opaque", 1]],
    [
      "volume",
      object("PersistentVolume", {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce"],
          claimRef: { namespace: "n", name: "c" },
        },
      }),
      ["1Gi", "RWO,RWX", "Retain", "Pending", "n/c", "", "<unset>", "", "Filesystem"],
    ],
    [
      "claim",
      object("PersistentVolumeClaim", {
        spec: { volumeName: "v", storageClassName: "fast" },
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadOnlyMany"] },
      }),
      ["Bound", "v", "1Gi", "ROX", "fast", "<unset>", "Filesystem"],
    ],
    [
      "quota",
      object("ResourceQuota", { status: { hard: { pods: "4", "limits.cpu": "2" }, used: { pods: "1" } } }),
      ["pods: 1/4", "limits.cpu: 0/2"],
    ],
    [
      "Deployment",
      workload("Deployment", {
        spec: { replicas: 3, selector, template },
        status: { readyReplicas: 2, updatedReplicas: 1 },
      }),
      ["2/3", 1, 0, "a,b", "nginx,nginx", "app=web"],
    ],
    [
      "ReplicaSet",
      workload("ReplicaSet", { spec: { selector, template }, status: { replicas: 1 } }),
      [1, 1, 0, "a,b", "nginx,nginx", "app=web"],
    ],
    ["StatefulSet", workload("StatefulSet", { spec: { template } }), ["0/1", "a,b", "nginx,nginx"]],
    [
      "DaemonSet",
      workload("DaemonSet", { spec: { selector, template }, status: { desiredNumberScheduled: 2 } }),
      [2, 0, 0, 0, 0, "disk=ssd", "a,b", "nginx,nginx", "app=web"],
    ],
    [
      "binding of a role",
      object(
        "RoleBinding",
        {
          roleRef: { kind: "Role", name: "r" },
          subjects: [
            { kind: "User", name: "u" },
            { kind: "ServiceAccount", name: "s", namespace: "n" },
          ],
        },
        "rbac.authorization.k8s.io/v1",
      ),
      ["Role/r", "u", "", "n/s"],
    ],
    ["Lease", object("Lease", { spec: { holderIdentity: "h" } }, "coordination.k8s.io/v1"), ["h"]],
    ["LimitRange", object("LimitRange", { spec: { limits: [] } }), ["web", created]],
  ])("%s", (_, manifest, expected) => expect(cells(manifest)).toEqual(expected));

  test("a node shows its roles and its readiness", () => {
    const node = {
      ...object("Node", {
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          addresses: [{ type: "InternalIP", address: "10.0.0.9" }],
          nodeInfo: { kubeletVersion: "v1.36.3", kernelVersion: "6.1", architecture: "amd64" },
        },
      }),
      metadata: {
        ...metadata,
        labels: { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/edge": "" },
      },
    };
    expect(cells(node)).toEqual([
      "web",
      "Ready,SchedulingDisabled",
      "edge,worker",
      "60m",
      "v1.36.3",
      "10.0.0.9",
      "<none>",
      "<unknown>",
      "6.1 (amd64)",
      "<unknown>",
    ]);
  });

  test("an event shows its last occurrence, and its name in the last column", () => {
    const event = object("Event", {
      involvedObject: { kind: "Pod", name: "p" },
      type: "Warning",
      reason: "Failed",
      message: " Back-off\n",
      source: { component: "kubelet", host: "n1" },
      firstTimestamp: created,
      lastTimestamp: "2026-03-01T11:59:00Z",
      count: 3,
    });
    expect(cells(event)).toEqual([
      "60s",
      "Warning",
      "Failed",
      "pod/p",
      "",
      "kubelet, n1",
      "Back-off",
      "60m",
      3,
      "web",
    ]);
  });
});
