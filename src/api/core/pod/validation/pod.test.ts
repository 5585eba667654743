import { describe, expect, test } from "vitest";
import { change, create, type Manifest, update } from "../../../pipeline.suite.ts";

const pod: Manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: {
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [
      {
        name: "main",
        image: "nginx:1.29",
        ports: [{ name: "http", containerPort: 80 }],
        env: [{ name: "MODE", value: "fast" }],
        resources: { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "1Gi" } },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
        readinessProbe: { httpGet: { port: "http" } },
      },
    ],
  },
};

const container = (name: string) => `spec.containers.0.${name}`;
const at = (name: string) => `spec.containers[0].${name}`;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** The changed path, the new value, and the expected errors. */
type Case = readonly [path: string, value: unknown, ...errors: readonly string[]];

const containerCases: readonly Case[] = [
  ["spec.containers", [], "spec.containers: Required value"],
  [container("name"), "", `${at("name")}: Required value`],
  [container("name"), "Main", `${at("name")}: Invalid value: "Main": ${labelRule}`],
  [container("image"), "", `${at("image")}: Required value`],
  [
    container("volumeMounts.0.mountPropagation"),
    "",
    `${at("volumeMounts.mountPropagation")}: Unsupported value: "": supported values: "Bidirectional", "HostToContainer", "None"`,
  ],
  [
    container("volumeMounts.0.recursiveReadOnly"),
    "Often",
    `${at("volumeMounts.recursiveReadOnly")}: Unsupported value: "Often": supported values: "Disabled", "Enabled", "IfPossible"`,
  ],
  [
    "spec.securityContext",
    { seLinuxChangePolicy: "MountOption" },
    'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
  ],
  [
    container("image"),
    " nginx",
    `${at("image")}: Invalid value: " nginx": must not have leading or trailing whitespace`,
  ],
  [
    container("imagePullPolicy"),
    "Sometimes",
    `${at("imagePullPolicy")}: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
  ],
  [container("ports.0.containerPort"), 0, `${at("ports[0].containerPort")}: Required value`],
  [
    container("ports.0.containerPort"),
    70000,
    `${at("ports[0].containerPort")}: Invalid value: 70000: must be between 1 and 65535, inclusive`,
  ],
  [
    container("ports.0.protocol"),
    "ICMP",
    `${at("ports[0].protocol")}: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
  ],
  [
    container("ports"),
    [
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ],
    `${at("ports[1].hostPort")}: Duplicate value: "TCP//80"`,
  ],
  [
    container("terminationMessagePolicy"),
    "None",
    `${at("terminationMessagePolicy")}: Unsupported value: "None": supported values: "File", "FallbackToLogsOnError"`,
  ],
  [container("env.0.name"), "", `${at("env[0].name")}: Required value`],
  [
    container("env.0.name"),
    "A=B",
    `${at("env[0].name")}: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
  ],
  [
    container("env.0.valueFrom"),
    { fieldRef: { fieldPath: "metadata.name" } },
    `${at("env[0].valueFrom")}: Invalid value: "": may not be specified when \`value\` is not empty`,
  ],
  [
    container("env"),
    [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.phase" } } }],
    `${at("env[0].valueFrom.fieldRef.fieldPath")}: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`,
  ],
  [
    container("env"),
    [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.nme" } } }],
    `${at("env[0].valueFrom.fieldRef.fieldPath")}: Invalid value: "metadata.nme": error converting fieldPath: field label not supported: metadata.nme`,
  ],
  [
    container("env"),
    [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "" } } }],
    `${at("env[0].valueFrom.secretKeyRef.key")}: Required value`,
  ],
  [
    container("envFrom"),
    [{}],
    `${at("envFrom")}: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
  ],
  [container("volumeMounts.0.name"), "none", `${at("volumeMounts[0].name")}: Not found: "none"`],
  [container("volumeMounts.0.mountPath"), "", `${at("volumeMounts[0].mountPath")}: Required value`],
  [
    container("volumeMounts.1"),
    { name: "data", mountPath: "/data" },
    `${at("volumeMounts[1].mountPath")}: Invalid value: "/data": must be unique`,
  ],
  [
    container("volumeMounts.0.subPath"),
    "../etc",
    `${at("volumeMounts.subPath")}: Invalid value: "../etc": must not contain '..'`,
  ],
  [
    container("volumeMounts.0.mountPropagation"),
    "Bidirectional",
    `${at("volumeMounts.mountPropagation")}: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
  ],
  [container("readinessProbe"), {}, `${at("readinessProbe")}: Required value: must specify a handler type`],
  [
    container("readinessProbe.tcpSocket"),
    { port: 80 },
    `${at("readinessProbe.tcpSocket")}: Forbidden: may not specify more than 1 handler type`,
  ],
  [
    container("readinessProbe.periodSeconds"),
    -1,
    `${at("readinessProbe.periodSeconds")}: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    container("livenessProbe"),
    { exec: { command: ["true"] }, successThreshold: 2 },
    `${at("livenessProbe.successThreshold")}: Invalid value: 2: must be 1`,
  ],
  [
    container("lifecycle"),
    { preStop: { sleep: { seconds: 31 } } },
    `${at("lifecycle.preStop.sleep")}: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
  ],
  [
    container("restartPolicyRules"),
    [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }],
    `${at("restartPolicy")}: Required value: must specify restartPolicy when restart rules are used`,
  ],
];

const resourceCases: readonly Case[] = [
  [
    container("resources.requests.cpu"),
    "2",
    `${at("resources.requests")}: Invalid value: "2": must be less than or equal to cpu limit of 1`,
  ],
  [
    container("resources.limits.cpu"),
    "-1",
    `${at("resources.limits[cpu]")}: Invalid value: "-1": must be greater than or equal to 0`,
    `${at("resources.requests")}: Invalid value: "100m": must be less than or equal to cpu limit of -1`,
  ],
  [
    container("resources.limits"),
    { cpus: "1" },
    `${at("resources.limits[cpus]")}: Invalid value: "cpus": must be a standard resource type or fully qualified`,
    `${at("resources.limits[cpus]")}: Invalid value: "cpus": must be a standard resource for containers`,
    `${at("resources.requests[cpus]")}: Invalid value: "cpus": must be a standard resource type or fully qualified`,
    `${at("resources.requests[cpus]")}: Invalid value: "cpus": must be a standard resource for containers`,
  ],
  [
    container("resources.limits"),
    { "example.com/gpu": "1500m" },
    `${at("resources.limits[example.com/gpu]")}: Invalid value: "1500m": must be an integer`,
    `${at("resources.requests[example.com/gpu]")}: Invalid value: "1500m": must be an integer`,
  ],
  [
    container("resources.requests"),
    { "example.com/gpu": "1" },
    `${at("resources.limits")}: Required value: Limit must be set for non overcommitable resources`,
  ],
  [
    container("resources.claims"),
    [{ name: "gpu" }],
    `${at("resources.claims[0]")}: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty`,
  ],
  [
    "spec.resources",
    { limits: { cpu: "500m" } },
    `spec.resources.containers[0][cpu].limits: Invalid value: "1": must be less than or equal to pod limits of 500m`,
  ],
];

const podCases: readonly Case[] = [
  [
    "spec.restartPolicy",
    "Maybe",
    'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    "spec.dnsPolicy",
    "None",
    "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
  ],
  [
    "spec.dnsConfig",
    { nameservers: ["1.2.3"] },
    'spec.dnsConfig.nameservers[0]: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  ["spec.hostname", "a.b", 'spec.hostname: Invalid value: "a.b": must not contain dots'],
  [
    "spec.activeDeadlineSeconds",
    0,
    "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
  ],
  [
    "spec.volumes.0.emptyDir",
    undefined,
    // Defaulting sets emptyDir again.
  ],
  [
    "spec.volumes.0.hostPath",
    { path: "/tmp" },
    "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
    `${at("volumeMounts[0].name")}: Not found: "data"`,
  ],
  ["spec.volumes.1", { name: "data", emptyDir: {} }, 'spec.volumes[1].name: Duplicate value: "data"'],
  ["spec.volumes.1", { name: "s", secret: {} }, "spec.volumes[1].secret.secretName: Required value"],
  [
    "spec.volumes.1",
    { name: "c", configMap: { name: "c", items: [{ key: "k", path: "/abs" }] } },
    'spec.volumes[1].configMap.items[0].path: Invalid value: "/abs": must be a relative path',
  ],
  [
    "spec.volumes.1",
    { name: "h", hostPath: { path: "/a/../b" } },
    "spec.volumes[1].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
  ],
  [
    "spec.volumes.1",
    { name: "p", projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 60 } }] } },
    "spec.volumes[1].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
    "spec.volumes[1].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
  ],
  [
    "spec.initContainers",
    [{ name: "main", image: "a" }],
    'spec.initContainers[0].name: Duplicate value: "main"',
  ],
  [
    "spec.initContainers",
    [{ name: "init", image: "a", readinessProbe: { tcpSocket: { port: 1 } } }],
    "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
  ],
  [
    "spec.ephemeralContainers",
    [{ name: "debug", image: "a" }],
    "spec.ephemeralContainers: Forbidden: cannot be set on create",
  ],
  [
    "spec.tolerations",
    [{ operator: "Equal" }],
    'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ],
  [
    "spec.topologySpreadConstraints",
    [{ maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
    "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
  ],
  [
    "spec.affinity",
    { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
  ],
  [
    "spec.affinity",
    {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 101, podAffinityTerm: { topologyKey: "zone" } },
        ],
      },
    },
    "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
  ],
  [
    "spec.securityContext",
    { runAsUser: -1 },
    "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ],
  [
    "spec.securityContext",
    { sysctls: [{ name: "kernel.sem ", value: "1" }] },
    'spec.securityContext.sysctls[0].name: Invalid value: "kernel.sem ": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
  ],
  [
    container("securityContext"),
    { privileged: true, allowPrivilegeEscalation: false },
    `${at("securityContext")}: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
  ],
  ["spec.os", { name: "beos" }, 'spec.os: Unsupported value: "beos": supported values: "linux", "windows"'],
  [
    "spec.hostAliases",
    [{ ip: "x", hostnames: ["h"] }],
    'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    "metadata.annotations",
    { "controller.kubernetes.io/pod-deletion-cost": "1.5" },
    'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "1.5": must be a 32bit integer',
  ],
];

describe("a new Pod", () => {
  test("is valid without changes", () => expect(create(pod).errors).toEqual([]));

  for (const [path, value, ...errors] of [...containerCases, ...resourceCases, ...podCases]) {
    test(`${path} = ${JSON.stringify(value)}`, () => {
      expect(create(change(pod, path, value)).errors).toEqual(errors);
    });
  }

  test("in the host network cannot have different host ports", () => {
    const mapped = change(change(pod, "spec.hostNetwork", true), container("ports.0.hostPort"), 81);
    expect(create(mapped).errors).toEqual([
      `${at("ports[0].hostPort")}: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`,
    ]);
  });
});

const updateCases: readonly Case[] = [
  [container("image"), "nginx:1.30"],
  ["spec.tolerations", [{ key: "a", operator: "Exists" }]],
  ["spec.activeDeadlineSeconds", 10],
  [
    "spec.containers.1",
    { name: "second", image: "a" },
    "spec.containers: Forbidden: pod updates may not add or remove containers",
  ],
  [
    container("env.0.value"),
    "slow",
    "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n",
  ],
  [
    "spec.schedulingGates",
    [{ name: "example.com/wait" }],
    "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/wait'",
  ],
];

describe("an update of a Pod", () => {
  for (const [path, value, ...errors] of updateCases) {
    test(`${path} = ${JSON.stringify(value)}`, () => {
      expect(update(pod, change(pod, path, value)).errors).toEqual(errors);
    });
  }

  test("may restrict the nodes of a gated Pod", () => {
    const gated = change(pod, "spec.schedulingGates", [{ name: "example.com/wait" }]);
    const narrowed = change(gated, "spec.nodeSelector", { disk: "ssd" });
    expect(update(gated, narrowed).errors).toEqual([]);
    expect(update(pod, change(pod, "spec.nodeSelector", { disk: "ssd" })).errors).toHaveLength(1);
    expect(update(narrowed, gated).errors).toEqual([
      "spec.nodeSelector: Invalid value: {}: only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    ]);
  });

  test("cannot remove a deadline or a toleration", () => {
    const bounded = change(pod, "spec.activeDeadlineSeconds", 10);
    expect(update(bounded, pod).errors).toEqual([
      "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    ]);
    expect(update(bounded, change(pod, "spec.activeDeadlineSeconds", 11)).errors).toEqual([
      "spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value",
    ]);
    const tolerant = change(pod, "spec.tolerations", [{ key: "a", operator: "Exists" }]);
    expect(update(tolerant, pod).errors).toEqual([
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ]);
  });
});

describe("a status update of a Pod", () => {
  const status = (value: object) => ({ ...pod, status: value });

  test("keeps the QoS class", () => {
    expect(update(pod, status({ phase: "Running" }), "status").errors).toEqual([]);
    expect(update(pod, status({ qosClass: "BestEffort" }), "status").errors).toEqual([
      'status.qosClass: Invalid value: "BestEffort": field is immutable',
    ]);
  });

  test("accepts one address of each family", () => {
    const podIPs = [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }];
    expect(update(pod, status({ podIPs }), "status").errors).toEqual([
      'status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ]);
  });
});
