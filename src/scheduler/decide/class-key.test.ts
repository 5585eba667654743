import { expect, test } from "vitest";
import { services } from "../../api/core/service/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { aPod } from "../builders.suite.ts";
import { Snapshot } from "../snapshot.ts";
import type { Plugin } from "../framework.ts";
import { classKey } from "./class-key.ts";

const indexLabel = "batch.kubernetes.io/job-completion-index";
const nameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";

const withLabels = (pod: Pod, labels: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels },
});
const inNamespace = (pod: Pod, namespace: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, namespace },
});
const withSpec = (spec: object, name = "p") => aPod(name, {}, spec);
const container = (more: object) => withSpec({ containers: [{ name: "c", image: "web:1", ...more }] });
const volume = (source: object) => withSpec({ volumes: [{ name: "v", ...source }] });

const isSame = (a: Pod, b: Pod, snapshot = new Snapshot(), keyed: readonly Plugin[] = []) =>
  classKey(a, keyed, snapshot) === classKey(b, keyed, snapshot);

/** Everything that a plugin's answer can depend on tells two Pods apart. */
test.each<[string, Pod, Pod]>([
  ["namespace", aPod("p"), inNamespace(aPod("p"), "other")],
  ["label", withLabels(aPod("p"), { app: "a" }), withLabels(aPod("p"), { app: "b" })],
  ["node selector", withSpec({}), withSpec({ nodeSelector: { disk: "ssd" } })],
  ["toleration", withSpec({}), withSpec({ tolerations: [{ operator: "Exists" }] })],
  ["priority", withSpec({ priority: 1 }), withSpec({ priority: 2 })],
  ["node name", withSpec({}), withSpec({ nodeName: "n" })],
  ["overhead", withSpec({}), withSpec({ overhead: { cpu: "1" } })],
  ["request of the whole Pod", withSpec({}), withSpec({ resources: { requests: { cpu: "1" } } })],
  ["preemption policy", withSpec({}), withSpec({ preemptionPolicy: "Never" })],
  ["affinity", withSpec({}), withSpec({ affinity: { nodeAffinity: {} } })],
  [
    "spread",
    withSpec({}),
    withSpec({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
    }),
  ],
  ["request", aPod("p", { cpu: "1" }), aPod("p", { cpu: "2" })],
  ["image", container({}), container({ image: "web:2" })],
  ["host port", container({}), container({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  [
    "init container",
    withSpec({ initContainers: [{ name: "i", image: "web:1" }] }),
    withSpec({ initContainers: [{ name: "i", image: "web:1", restartPolicy: "Always" }] }),
  ],
  ["network volume", volume({ emptyDir: {} }), volume({ nfs: { server: "s", path: "/" } })],
])("Pods with another %s are of another class", (_, a, b) => {
  expect(isSame(a, b)).toBe(false);
});

test.each<[string, Pod, Pod]>([
  ["names", aPod("p"), aPod("q")],
  ["ports that are not on the host", container({}), container({ ports: [{ containerPort: 80 }] })],
  ["configMap volumes", volume({ configMap: { name: "a" } }), volume({ configMap: { name: "b" } })],
  ["secret volumes", volume({ secret: { secretName: "a" } }), volume({ emptyDir: {} })],
  ["projected volumes", volume({ projected: {} }), volume({ downwardAPI: {} })],
  ["paths on the host", volume({ hostPath: { path: "/a" } }), volume({ hostPath: { path: "/b" } })],
  // The keys of the plugins that read claims have what of them matters.
  ["claims", volume({ emptyDir: {} }), volume({ persistentVolumeClaim: { claimName: "c" } })],
  ["claims of devices", withSpec({}), withSpec({ resourceClaims: [{ name: "gpu" }] })],
  ["the name of a StatefulSet's Pod", withLabels(aPod("p"), { [nameLabel]: "a" }), withLabels(aPod("p"), {})],
  ["indexes", withLabels(aPod("p"), { [indexLabel]: "1" }), withLabels(aPod("p"), { [indexLabel]: "2" })],
  ["ordinals", withLabels(aPod("p"), { [podIndexLabel]: "1" }), withLabels(aPod("p"), {})],
])("Pods with other %s are of one class", (_, a, b) => {
  expect(isSame(a, b)).toBe(true);
});

test("labels of a Pod's own count where its rules or a selector of the cluster look at them", () => {
  const [one, other] = ["1", "2"].map((index) => withLabels(aPod("p"), { [indexLabel]: index }));
  if (one === undefined || other === undefined) throw new Error("There are two Pods");
  const terms = [{ topologyKey: "zone", labelSelector: { matchLabels: { [indexLabel]: "1" } } }];
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const looking = (pod: Pod) => ({ ...pod, spec: { ...pod.spec, ...withSpec({ affinity }).spec } });
  expect(isSame(looking(one), looking(other))).toBe(false);
  const snapshot = new Snapshot();
  snapshot.selectedKeys.add(indexLabel);
  expect(isSame(one, other, snapshot)).toBe(false);
});

test("Pods that are spread by default are told apart by what selects them, others are not", () => {
  const snapshot = new Snapshot();
  const { apiVersion, kind, schema } = services;
  const spec = { selector: { app: "a", [indexLabel]: "1" } };
  snapshot.owners.setService({
    apiVersion,
    kind,
    ...decode(schema, { metadata: { name: "s", namespace: "default" }, spec }),
  });
  const selected = withLabels(aPod("p"), { app: "a", [indexLabel]: "1" });
  const other = withLabels(aPod("p"), { app: "a", [indexLabel]: "2" });
  expect(isSame(selected, other, snapshot)).toBe(false);
  const constraint = { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" };
  const spreading = (pod: Pod) => ({
    ...pod,
    spec: { ...pod.spec, ...withSpec({ topologySpreadConstraints: [constraint] }).spec },
  });
  expect(isSame(spreading(selected), spreading(other), snapshot)).toBe(true);
});

test("a plugin that depends on something else tells Pods apart by its key", () => {
  const byName: Plugin = { name: "ByName", keyOf: ({ metadata }) => metadata.name };
  expect(isSame(aPod("p"), aPod("q"), new Snapshot(), [byName])).toBe(false);
  expect(isSame(aPod("p"), aPod("p"), new Snapshot(), [byName])).toBe(true);
});
