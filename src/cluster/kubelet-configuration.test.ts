import { expect, test } from "vitest";
import { defaultKubeletConfiguration, readKubeletConfiguration } from "./kubelet-configuration.ts";

const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

function read(text: string): ReturnType<typeof readKubeletConfiguration> & { warnings: readonly string[] } {
  const warnings: string[] = [];
  const configuration = readKubeletConfiguration(head + text, (field) => warnings.push(field));
  return { ...configuration, warnings };
}

test("a configuration that says nothing has upstream's defaults", () => {
  expect(read("")).toEqual({ ...defaultKubeletConfiguration, warnings: [] });
  expect(defaultKubeletConfiguration).toMatchObject({
    address: "0.0.0.0",
    port: 10_250,
    anonymous: false,
    webhook: true,
    authorization: "Webhook",
    serverTLSBootstrap: false,
    maxPods: 110,
  });
});

test("obeyed fields are read, and others are named", () => {
  const text = `address: 127.0.0.1
port: 11250
authentication: {x509: {clientCAFile: /ca.crt}, anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
clusterDNS: [10.96.0.10]
registerWithTaints: [{key: a, effect: NoSchedule}]
podPidsLimit: 100
readOnlyPort: 0
cgroupDriver: systemd
failSwapOn: false
`;
  expect(read(text)).toMatchObject({
    address: "127.0.0.1",
    port: 11_250,
    clientCAFile: "/ca.crt",
    anonymous: true,
    webhook: false,
    authorization: "AlwaysAllow",
    clusterDNS: ["10.96.0.10"],
    registerWithTaints: [{ key: "a", effect: "NoSchedule" }],
    podPidsLimit: 100,
    warnings: ["cgroupDriver", "failSwapOn"],
  });
});

test("thresholds of evictions replace the default ones, unless these are merged", () => {
  const signals = (text: string) =>
    read(text).eviction.thresholds.map(({ signal, graceMs }) => `${signal} ${graceMs}`);
  expect(signals("evictionHard: {memory.available: 1Gi}")).toEqual(["memory.available 0"]);
  expect(signals("evictionHard: {pid.available: 5%}\nmergeDefaultEvictionSettings: true")).toHaveLength(6);
  const soft = "evictionSoft: {memory.available: 2Gi}\nevictionSoftGracePeriod: {memory.available: 1m30s}";
  expect(signals(soft).at(-1)).toBe("memory.available 90000");
  expect(read("evictionPressureTransitionPeriod: 0s").eviction.transitionMs).toBe(300_000);
});

test("logs are rotated by upstream's defaults or as configured", () => {
  expect(read("").logs).toEqual({ maxBytes: 10 << 20, maxFiles: 5, intervalMs: 10_000 });
  const text = "containerLogMaxSize: 1Gi\ncontainerLogMaxFiles: 2\ncontainerLogMonitorInterval: 3s";
  expect(read(text).logs).toEqual({ maxBytes: 1 << 30, maxFiles: 2, intervalMs: 3000 });
});

test.each([
  [
    "allowedUnsafeSysctls: [kernel.core_pattern]",
    'allowedUnsafeSysctls: the sysctls "kernel.core_pattern" are not known to be namespaced',
  ],
  [
    "crashLoopBackOff: {maxContainerRestartPeriod: 6m}",
    "CrashLoopBackOff.MaxContainerRestartPeriod (got: 360 seconds) must be set between 1s and 300s",
  ],
  ["containerLogMaxFiles: 1", "invalid MaxFiles 1, must be > 1"],
  ["containerLogMaxSize: big", 'failed to parse container log max size "big"'],
  [
    "evictionSoft: {memory.available: 1Gi}",
    "invalid configuration: grace period must be specified for the soft eviction threshold memory.available",
  ],
  ["evictionHard: {allocatableMemory: 1Gi}", "unsupported eviction signal allocatableMemory"],
  [
    "imageGCHighThresholdPercent: 70",
    "must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 70",
  ],
  ["imageMinimumGCAge: soon", 'imageMinimumGCAge: Invalid value: "soon": must be a duration'],
  ["staticPodPath: /etc/manifests", "staticPodPath: Forbidden: this kubelet does not obey it"],
  ["kubeReserved: {cpu: 1}", "kubeReserved: Forbidden: this kubelet does not obey it"],
  ["readOnlyPort: 10255", "readOnlyPort: Invalid value: must be 0"],
  ["registerNode: false", "registerNode: Invalid value: must be true"],
  ["nonsense: 1", 'strict decoding error: unknown field "nonsense"'],
  ["authentication: {tokens: {}}", 'strict decoding error: unknown field "authentication.tokens"'],
  ["authorization: {mode: Open}", 'unrecognized authorization mode: "Open"'],
  ["port: 70000", "port: Invalid value: 70000: must be between 1 and 65535, inclusive"],
  ["podCIDR: ten", "podCIDR: ten is no address range"],
  ["port: 1\nport: 2", "strict decoding error"],
])("the configuration %j is refused", (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("a configuration of another kind is refused", () => {
  const other = head.replace("v1beta1", "v1");
  expect(() => readKubeletConfiguration(other, () => {})).toThrow(
    'no kind "KubeletConfiguration" is registered for version "kubelet.config.k8s.io/v1"',
  );
});
