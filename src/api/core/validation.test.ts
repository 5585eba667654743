import { describe, expect, test } from "vitest";
import { change, create, type Manifest, update } from "../pipeline.suite.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

function manifest(kind: string, fields: object, metadata: object = { name: "a", namespace: "b" }): Manifest {
  return { apiVersion: "v1", kind, metadata, ...fields };
}

const claim = manifest("PersistentVolumeClaim", {
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const volume = manifest(
  "PersistentVolume",
  {
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/data" } },
  },
  { name: "a" },
);
const controller = manifest("ReplicationController", {
  spec: {
    selector: { app: "a" },
    template: {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "main", image: "nginx" }] },
    },
  },
});
const node = manifest("Node", { spec: {} }, { name: "a" });
const quota = manifest("ResourceQuota", {
  spec: { hard: { cpu: "1", pods: "10", "count/widgets.example.com": "3" } },
});
const limits = (item: object) =>
  manifest("LimitRange", { spec: { limits: [{ type: "Container", ...item }] } });
const secret = (type: string, data: object = {}) => manifest("Secret", { type, data });
const event = manifest("Event", { involvedObject: { namespace: "b", kind: "Pod", name: "p" } });
const endpoints = (address: object) =>
  manifest("Endpoints", { subsets: [{ addresses: [address], ports: [{ port: 80 }] }] });

describe("new objects", () => {
  test.each<readonly [string, Manifest, readonly string[]]>([
    ["a claim", claim, []],
    [
      "a claim without a size",
      change(claim, "spec.resources", {}),
      ["spec.resources[storage]: Required value"],
    ],
    [
      "a claim without access modes",
      change(claim, "spec.accessModes", []),
      ["spec.accessModes: Required value: at least 1 access mode is required"],
    ],
    [
      "a claim for one Pod and others",
      change(claim, "spec.accessModes", ["ReadWriteOncePod", "ReadOnlyMany"]),
      ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
    ],
    ["a volume", volume, []],
    [
      "a volume of two sources",
      change(volume, "spec.nfs", { server: "s", path: "/" }),
      ["spec.nfs: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      "a volume without a source",
      change(volume, "spec.hostPath", undefined),
      ["spec: Required value: must specify a volume type"],
    ],
    [
      "a local volume anywhere",
      change(change(volume, "spec.hostPath", undefined), "spec.local", { path: "/x" }),
      ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
    ],
    ["a controller", controller, []],
    [
      "a controller of other Pods",
      change(controller, "spec.selector", { app: "z" }),
      [
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "a controller of Pods that end",
      change(controller, "spec.template.spec.restartPolicy", "Never"),
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    ["a node", node, []],
    [
      "a node with one taint twice",
      change(node, "spec.taints", [
        { key: "k", effect: "NoSchedule" },
        { key: "k", effect: "NoSchedule" },
      ]),
      [
        'metadata.taints[1]: Duplicate value: {"key":"k","effect":"NoSchedule"}: taints must be unique by key and effect pair',
      ],
    ],
    [
      "a node with a bad range",
      change(node, "spec.podCIDRs", ["10.0.0.1/24"]),
      ['spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length'],
    ],
    ["a quota", quota, []],
    [
      "a quota of parts",
      change(quota, "spec.hard.pods", "1500m"),
      ['spec.hard[pods]: Invalid value: "1500m": must be an integer'],
    ],
    [
      "a quota of nothing known",
      change(quota, "spec.hard.apples", "1"),
      [
        'spec.hard[apples]: Invalid value: "apples": must be a standard resource type or fully qualified',
        'spec.hard[apples]: Invalid value: "apples": must be a standard resource for quota',
      ],
    ],
    [
      "a quota of opposites",
      change(quota, "spec", { hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] }),
      ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
    ],
    ["limits in order", limits({ min: { cpu: "1" }, max: { cpu: "2" } }), []],
    [
      "limits out of order",
      limits({ min: { cpu: "3" }, max: { cpu: "2" } }),
      [
        'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2',
        'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 2',
      ],
    ],
    ["a Secret", secret("Opaque", { a: base64("b") }), []],
    [
      "a Secret for TLS",
      secret("kubernetes.io/tls"),
      ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
    ],
    [
      "a Secret of nobody",
      secret("kubernetes.io/service-account-token"),
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
    [
      "a Secret that is no JSON",
      secret("kubernetes.io/dockerconfigjson", { ".dockerconfigjson": base64("x") }),
      ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid JSON'],
    ],
    [
      "a ConfigMap with one key twice",
      manifest("ConfigMap", { data: { a: "b" }, binaryData: { a: "Yg==" } }),
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      "a ConfigMap that is too big",
      manifest("ConfigMap", { data: { a: "x".repeat(1024 * 1024 + 1) } }),
      ["<nil>: Too long: may not be more than 1048576 bytes"],
    ],
    ["an event", event, []],
    [
      "an event of elsewhere",
      change(event, "involvedObject.namespace", "c"),
      ['involvedObject.namespace: Invalid value: "c": does not match event.namespace'],
    ],
    [
      "a new event without details",
      change(event, "eventTime", "2026-01-01T00:00:00.000000Z"),
      [
        "reportingComponent: Required value",
        expect.stringContaining('reportingComponent: Invalid value: "": name part must be non-empty'),
        expect.stringContaining('reportingComponent: Invalid value: "": name part must consist of'),
        "reportingInstance: Required value",
        "action: Required value",
        "reason: Required value",
      ],
    ],
    ["endpoints", endpoints({ ip: "10.0.0.1" }), []],
    [
      "endpoints of the node's own",
      endpoints({ ip: "127.0.0.1" }),
      [
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      "a binding to nothing",
      manifest("Binding", { target: { kind: "Pod" } }),
      [
        'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
        "target.name: Required value",
      ],
    ],
    [
      "a namespace with a strange finalizer",
      manifest("Namespace", { spec: { finalizers: ["mine"] } }, { name: "a" }),
      [
        'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
  ])("%s", (_, object, errors) => expect(create(object).errors).toEqual(errors));
});

describe("updates", () => {
  test.each<readonly [string, Manifest, Manifest, readonly string[]]>([
    [
      "a claim's spec",
      claim,
      change(claim, "spec.accessModes", ["ReadOnlyMany"]),
      [
        "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
      ],
    ],
    ["a claim's class, filled in", claim, change(claim, "spec.storageClassName", "fast"), []],
    [
      "a volume's source",
      volume,
      change(volume, "spec.hostPath.path", "/other"),
      ["spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n"],
    ],
    ["a Secret's type", secret("a/b"), secret("a/c"), ['type: Invalid value: "a/c": field is immutable']],
    [
      "a frozen Secret",
      { ...secret("Opaque"), immutable: true },
      secret("Opaque", { a: "Yg==" }),
      [
        "immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set",
      ],
    ],
    [
      "a node's range",
      change(node, "spec.podCIDRs", ["10.0.0.0/24"]),
      change(node, "spec.podCIDRs", ["10.0.1.0/24"]),
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
    [
      "a quota's scopes",
      quota,
      change(quota, "spec", { hard: { pods: "1" }, scopes: ["BestEffort"] }),
      ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    ],
  ])("%s", (_, before, after, errors) => expect(update(before, after).errors).toEqual(errors));

  test("a namespace's phase depends on its deletion timestamp", () => {
    const namespace = manifest("Namespace", {}, { name: "a" });
    expect(update(namespace, { ...namespace, status: { phase: "Terminating" } }, "status").errors).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});
