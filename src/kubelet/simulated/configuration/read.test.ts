import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { readSimulation, simulationOf } from "./read.ts";
import { type SimulationInput } from "./schema.ts";

const head = "apiVersion: knarr.dev/v1alpha1\nkind: SimulationConfiguration\n";

/** A configuration with one rule. */
const rule = (one: object) => ({ containers: [one] });
const end = (one: object) => rule({ stages: { end: [one] } });
const group = (one: object) => ({ nodes: [one] });
const heartbeats = (one: object) => group({ heartbeatFailure: one });
const many = (count: number, one: unknown) => Array.from({ length: count }, () => one);
const ms = (durationMilliseconds: number, jitterDurationMilliseconds?: number) => ({
  durationMilliseconds,
  jitterDurationMilliseconds,
});

test("a configuration may be YAML or JSON, and an empty one changes nothing", () => {
  expect(readSimulation(head)).toMatchObject({ kind: "SimulationConfiguration" });
  const containers = [{ images: ["example/*"], stages: { end: [{ exitCode: 1 }] } }];
  const json = JSON.stringify({
    apiVersion: "knarr.dev/v1alpha1",
    kind: "SimulationConfiguration",
    containers,
  });
  expect(readSimulation(json)).toMatchObject({ containers });
  expect(simulationOf({})).toEqual({});
});

test("the guide's configuration is valid", () => {
  const guide = readFileSync(new URL("../../../../docs/simulation.md", import.meta.url), "utf8");
  const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(guide) ?? [];
  expect(readSimulation(yaml)).toMatchObject({ containers: [{}, {}, {}], nodes: [{}, {}] });
});

test("quantities get their canonical form", () => {
  const { nodes } = simulationOf({ nodes: [{ capacity: { cpu: "8000m", "example.com/gpu": "8" } }] });
  expect(nodes?.[0]?.capacity).toEqual({ cpu: "8", "example.com/gpu": "8" });
});

test.each([
  ["nothing", "", "the configuration is empty, or no object"],
  ["a broken text", "a: [", "yaml: line 1"],
  [
    "another kind",
    "apiVersion: knarr.dev/v1alpha1\nkind: Simulation",
    'no kind "Simulation" is registered for version "knarr.dev/v1alpha1": it must be SimulationConfiguration in knarr.dev/v1alpha1',
  ],
  [
    "an unknown field",
    `${head}containers: [{ stages: { stop: {} } }]`,
    'strict decoding error: unknown field "containers[0].stages.stop"',
  ],
  [
    "a duplicate key",
    `${head}nodes: []\nnodes: []`,
    'strict decoding error: yaml: unmarshal errors:\n  line 4: key "nodes" already set in map',
  ],
])("%s is refused", (_, text, message) => {
  expect(() => readSimulation(text)).toThrow(ConfigurationError);
  expect(() => readSimulation(text)).toThrow(message);
});

test.each<[string, object, string]>([
  [
    "a delay that is no number",
    rule({ stages: { start: { delay: { durationMilliseconds: "2s" } } } }),
    "json: cannot unmarshal string into Go struct field StageDelay.containers.stages.start.delay.durationMilliseconds of type int64",
  ],
  [
    "a negative delay",
    rule({ stages: { ready: { delay: ms(-1) } } }),
    "containers[0].stages.ready.delay.durationMilliseconds: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ],
  [
    "a delay beyond the clock's timers",
    rule({ stages: { pull: { delay: ms(2 ** 31) } } }),
    "containers[0].stages.pull.delay.durationMilliseconds: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive",
  ],
  [
    "a jitter below the delay",
    end({ delay: ms(2000, 1000) }),
    "containers[0].stages.end[0].delay.jitterDurationMilliseconds: Invalid value: 1000: must be greater than or equal to durationMilliseconds",
  ],
  [
    "an end without weight",
    end({ weight: 0 }),
    "containers[0].stages.end[0].weight: Invalid value: 0: must be between 1 and 1000000, inclusive",
  ],
  [
    "an exit code that no process has",
    end({ exitCode: 256 }),
    "containers[0].stages.end[0].exitCode: Invalid value: 256: must be between 0 and 255, inclusive",
  ],
  [
    "an end both never and at a time",
    end({ untilStopped: true, delay: ms(1) }),
    "containers[0].stages.end[0].untilStopped: Invalid value: true: may not be set when `delay` is specified",
  ],
  [
    "an unknown reason of a pull's failure",
    rule({ stages: { pull: { failure: { reason: "Gone" } } } }),
    'containers[0].stages.pull.failure.reason: Unsupported value: "Gone": supported values: "ErrImagePull", "InvalidImageName"',
  ],
  [
    "a long message of a pull's failure",
    rule({ stages: { pull: { failure: { message: "x".repeat(1025) } } } }),
    "containers[0].stages.pull.failure.message: Too long: may not be more than 1024 bytes",
  ],
  ["an empty image", rule({ images: [""] }), "containers[0].images[0]: Required value"],
  [
    "a long image",
    rule({ images: ["x".repeat(513)] }),
    "containers[0].images[0]: Too long: may not be more than 512 bytes",
  ],
  [
    "too many images",
    rule({ images: many(33, "a") }),
    "containers[0].images: Too many: 33: must have at most 32 items",
  ],
  [
    "a namespace with capitals",
    rule({ namespaces: ["A"] }),
    'containers[0].namespaces[0]: Invalid value: "A"',
  ],
  [
    "an unknown operator of a selector",
    rule({ podSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } }),
    'containers[0].podSelector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
  ],
  [
    "a selector with many values",
    rule({ podSelector: { matchExpressions: [{ key: "a", operator: "In", values: many(33, "b") }] } }),
    "containers[0].podSelector: Too many: 33: must have at most 32 items",
  ],
  [
    "a usage that is no quantity",
    rule({ usage: { cpu: "much" } }),
    "quantities must match the regular expression",
  ],
  [
    "a negative usage",
    rule({ usage: { memory: "-1" } }),
    'containers[0].usage.memory: Invalid value: "-1": must be between 0 and 9007199254740992, inclusive',
  ],
  ["too many rules", { containers: many(257, {}) }, "containers: Too many: 257: must have at most 256 items"],
  [
    "too many ends",
    rule({ stages: { end: many(33, {}) } }),
    "containers[0].stages.end: Too many: 33: must have at most 32 items",
  ],
  ["too many groups", { nodes: many(65, {}) }, "nodes: Too many: 65: must have at most 64 items"],
  [
    "too many nodes of one group",
    group({ count: 5001 }),
    "nodes[0].count: Invalid value: 5001: must be between 0 and 5000, inclusive",
  ],
  [
    "too many nodes in all",
    {
      nodes: [
        { name: "a", count: 3000 },
        { name: "b", count: 2001 },
      ],
    },
    "nodes: Too many: 5001: must have at most 5000 items",
  ],
  [
    "large nodes in great number",
    group({ count: 5000, images: many(20, { names: ["x".repeat(512), "y".repeat(512)] }) }),
    "nodes: Too long: may not be more than 67108864 bytes",
  ],
  ["two groups of one name", { nodes: [{}, { name: "node" }] }, 'nodes[1].name: Duplicate value: "node"'],
  ["a name with capitals", group({ name: "Node" }), 'nodes[0].name: Invalid value: "Node"'],
  [
    "a name that is too long for the label of the host's name",
    group({ name: "n".repeat(59) }),
    "must be no more than 63 characters",
  ],
  ["an invalid label", group({ labels: { "a b": "c" } }), 'nodes[0].labels: Invalid value: "a b"'],
  [
    "an unknown effect of a taint",
    group({ taints: [{ key: "a", effect: "Never" }] }),
    'nodes[0].taints[0].effect: Unsupported value: "Never": supported values:',
  ],
  [
    "a resource without domain",
    group({ capacity: { gpu: "1" } }),
    'nodes[0].capacity[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
  ],
  [
    "a part of a device",
    group({ allocatable: { "example.com/gpu": "500m" } }),
    'nodes[0].allocatable[example.com/gpu]: Invalid value: "500m": must be an integer',
  ],
  [
    "many labels",
    group({ labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, ""])) }),
    "nodes[0].labels: Too many: 65: must have at most 64 items",
  ],
  ["an image without name", group({ images: [{ names: [] }] }), "nodes[0].images[0].names: Required value"],
  [
    "many images on a node",
    group({ images: many(51, { names: ["a"] }) }),
    "nodes[0].images: Too many: 51: must have at most 50 items",
  ],
  [
    "heartbeats that fail again and never return",
    heartbeats({ repeat: true, delay: ms(5000) }),
    "nodes[0].heartbeatFailure.duration: Required value: must be specified when `repeat` is set",
  ],
  [
    "heartbeats that fail again at once",
    heartbeats({ repeat: true, duration: ms(10) }),
    "nodes[0].heartbeatFailure.repeat: Invalid value: true: delay and duration must take at least a second",
  ],
])("%s is refused with its path", (_, configuration, message) => {
  // A file may hold anything.
  const input: SimulationInput = configuration;
  expect(() => simulationOf(input)).toThrow(ConfigurationError);
  expect(() => simulationOf(input)).toThrow(message);
});

test("several problems are reported together, in brackets", () => {
  const text = `${head}nodes: [{ count: -1 }]\ncontainers: [{ images: [""] }]`;
  expect(() => readSimulation(text)).toThrow(
    "[containers[0].images[0]: Required value, nodes[0].count: Invalid value: -1: must be between 0 and 5000, inclusive]",
  );
});
