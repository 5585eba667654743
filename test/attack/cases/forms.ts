import { pods } from "../../../src/api/core/pod/schema.ts";
import { encodeEnvelope } from "../../../src/meta/protobuf/envelope.ts";
import { formatYaml } from "../../../src/meta/yaml.ts";
import type { Attack } from "../attack.ts";
import type { Target } from "../target.ts";

const podsPath = "/api/v1/namespaces/default/pods";
const configMaps = "/api/v1/namespaces/default/configmaps";
const group = "/apis/authorization.k8s.io/v1";

const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));

const bigPod = () => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "big", namespace: "default" },
  spec: { containers: many(10_000, (i) => ({ name: `c${i}`, image: "a" })) },
});

/** A large Pod in an encoding other than JSON. */
function inForm(name: string, type: string, encode: () => string | Uint8Array): Attack {
  return {
    name: `a Pod of 10,000 containers ${name}`,
    async run({ send }) {
      await send("admin", "POST", podsPath, { headers: { "content-type": type }, body: encode() });
      await send("admin", "DELETE", `${podsPath}/big`, { body: '{"gracePeriodSeconds":0}' });
    },
  };
}

/** The length of the longest URL. */
const longest = 14_000;
const query = (name: string, value: string) => `${configMaps}?${name}=${encodeURIComponent(value)}`;
const urls: readonly (readonly [name: string, url: string])[] = [
  ["a label selector of many values", query("labelSelector", `a in (${"b,".repeat(longest / 5)}b)`)],
  ["a label selector of many labels", query("labelSelector", many(1_000, (i) => `k${i}!=v`).join(","))],
  [
    "a label selector for usage",
    `/apis/metrics.k8s.io/v1beta1/pods?labelSelector=${encodeURIComponent(many(1_000, (i) => `k${i}!=v`).join(","))}`,
  ],
  ["a label selector of brackets", query("labelSelector", "(".repeat(longest / 3))],
  ["a field selector of many fields", query("fieldSelector", many(500, () => "metadata.name=a").join(","))],
  ["a field selector of escapes", query("fieldSelector", `metadata.name=${"\\,".repeat(longest / 6)}`)],
  ["a continue token", `${configMaps}?limit=1&continue=${"e".repeat(longest)}`],
  ["a path of many steps", `/apis${"/a".repeat(longest / 2)}`],
  ["a long name", `${configMaps}/${"a".repeat(longest)}`],
  ["a name of escapes", `${configMaps}/${"%2f".repeat(longest / 3)}`],
  ["many parameters", `${configMaps}?${"a=b&".repeat(longest / 4)}`],
];

const types = {
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
  Table: "application/json;as=Table;v=v1;g=meta.k8s.io",
};

/** Creates ConfigMaps that are listed together in each form. */
async function listAll({ send }: Target): Promise<void> {
  const data = Object.fromEntries(many(40, (i) => [`k${i}`, "x"]));
  const labels = { attack: "list" };
  await Promise.all(
    many(800, (i) =>
      send("admin", "POST", configMaps, {
        body: JSON.stringify({ metadata: { name: `l${i}`, labels }, data }),
      }),
    ),
  );
  for (const accept of Object.values(types)) await send("admin", "GET", configMaps, { headers: { accept } });
  await send("admin", "DELETE", `${configMaps}?labelSelector=attack%3Dlist`);
}

/** The same requests in other forms, and long requests without a body. */
export const forms: readonly Attack[] = [
  inForm("in YAML", types.yaml, () => formatYaml(bigPod())),
  inForm("in protobuf", types.protobuf, () => encodeEnvelope(bigPod(), pods)),
  {
    name: "a large object by dry run and as a status",
    async run({ send }) {
      const body = JSON.stringify(bigPod());
      await send("admin", "POST", `${podsPath}?dryRun=All`, { body });
      await send("admin", "POST", podsPath, { body });
      const conditions = many(8_000, (i) => ({ type: `T${i}`, status: "True" }));
      const status = JSON.stringify({ ...bigPod(), status: { conditions } });
      await send("admin", "PUT", `${podsPath}/big/status`, { body: status });
      await send("admin", "PUT", `${podsPath}/big/status?dryRun=All`, { body: status });
      await send("admin", "DELETE", `${podsPath}/big`, { body: '{"gracePeriodSeconds":0}' });
    },
  },
  { name: "a list of 800 objects in every form", run: listAll },
  {
    name: "requests whose URLs are as long as they may be",
    async run({ send }) {
      for (const [, url] of urls) await send("admin", "GET", url);
      for (const [, url] of urls)
        await send("admin", "DELETE", `${url}${url.includes("?") ? "&" : "?"}dryRun=All`);
    },
  },
  {
    name: "reviews by anybody with as many groups and extras as fit",
    async run({ send }) {
      const attributes = { verb: "get", resource: "pods" };
      const groups = many(60_000, (i) => `g${i}`);
      const extra = Object.fromEntries(many(20_000, (i) => [`k${i}`, ["a"]]));
      for (const as of ["anybody", "admin"] as const) {
        for (const spec of [
          { user: "a", groups, resourceAttributes: attributes },
          { user: "a", extra, resourceAttributes: attributes },
        ])
          await send(as, "POST", `${group}/subjectaccessreviews`, { body: JSON.stringify({ spec }) });
      }
      const requirements = many(10_000, (i) => ({ key: `k${i}`, operator: "In", values: ["a"] }));
      const asked = { ...attributes, labelSelector: { requirements } };
      const body = JSON.stringify({ spec: { resourceAttributes: asked } });
      await send("anybody", "POST", `${group}/selfsubjectaccessreviews`, { body });
      await send("anybody", "POST", `${group}/selfsubjectrulesreviews`, {
        body: '{"spec":{"namespace":"default"}}',
      });
    },
  },
];
