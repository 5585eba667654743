import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { create, load, registrationOf } from "../../src/api/pipeline.suite.ts";
import type { KubeObject } from "../../src/meta/kind.ts";

/**
 * Objects of all kinds that contain every nested object but no values: lists and maps are empty, null, or have one such
 * entry. `shown` is what Go's types made of them, stored and read again (Kubernetes 1.36).
 */
interface Recorded {
  /** API version and kind. */
  readonly of: string;
  readonly given: object;
  /** The object without nulls and empty lists, which Go clients cannot distinguish from absent fields. */
  readonly shown: object;
}

const examples = readFileSync(new URL("../fixtures/empty-values.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

async function shownOf({ of, given }: Recorded): Promise<unknown> {
  const [apiVersion = "", kind = ""] = of.split(" ");
  const draft = load({ apiVersion, kind, metadata: { name: "a", namespace: "d" }, ...given }) as KubeObject;
  const form = registrationOf(apiVersion, kind).storedForm;
  const object = form === undefined ? draft : await form.shown(await form.stored(draft));
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = object;
  return filled(JSON.parse(JSON.stringify(rest)));
}

function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  const isFilled = (inner: unknown) => inner !== null && !(Array.isArray(inner) && inner.length === 0);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => isFilled(inner))
      .map(([key, inner]) => [key, filled(inner)]),
  );
}

test.each([...Map.groupBy(examples, ({ of }) => of)])(
  "%s has the empty values that upstream has",
  async (_, some) => {
    for (const example of some) {
      expect(await shownOf(example), JSON.stringify(example.given)).toEqual(example.shown);
    }
  },
);

const webLabels = { matchLabels: { app: "web" } };
const containers = [{ name: "main", image: "example.com/web" }];

/** The errors of upstream's server. */
test.each<[of: string, given: object, errors: readonly string[]]>([
  [
    "autoscaling/v2 HorizontalPodAutoscaler",
    {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
        maxReplicas: 2,
        behavior: { scaleUp: { policies: [] }, scaleDown: { policies: null } },
      },
    },
    ["spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"],
  ],
  [
    "apps/v1 Deployment",
    { spec: { selector: webLabels, template: { spec: { containers } } } },
    ["spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"],
  ],
  [
    "v1 Pod",
    { spec: { containers: [{ ...containers[0], livenessProbe: { tcpSocket: { port: "" } } }] } },
    [
      'spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "": must contain at least one letter (a-z)',
    ],
  ],
  ["apps/v1 ControllerRevision", { data: {}, revision: 1 }, []],
  ["apps/v1 ControllerRevision", { data: null, revision: 1 }, ["data: Required value: data is mandatory"]],
  [
    "resource.k8s.io/v1 ResourceSlice",
    {
      spec: {
        driver: "a",
        pool: { name: "a", resourceSliceCount: 1 },
        nodeName: "a",
        devices: [{ name: "a", attributes: { a: null }, capacity: { b: null } }],
      },
    },
    ['spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified'],
  ],
])("an empty value in %s differs from an absent one", (of, given, errors) => {
  const [apiVersion = "", kind = ""] = of.split(" ");
  expect(create({ apiVersion, kind, metadata: { name: "a", namespace: "d" }, ...given }).errors).toEqual(
    errors,
  );
});
