import { expect, test } from "vitest";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { type Service, services } from "../../api/core/service/schema.ts";
import { decode } from "../../meta/decode.ts";
import type { Kind, ObjectOf } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { environment } from "./environment.ts";

function build<K extends Kind>({ apiVersion, kind, schema }: K, input: object): ObjectOf<K> {
  return { apiVersion, kind, ...decode(schema, input) } as ObjectOf<K>;
}

const objects: Readonly<Record<string, object>> = {
  "configmaps/cm": build(configMaps, { data: { KEY: "from the map", OTHER: "other" } }),
  "secrets/s": build(secrets, { data: { KEY: Buffer.from("from the Secret ž").toString("base64") } }),
};

/** A node that reads the objects above, in the namespace `ns`. */
function node(all: Readonly<Record<string, readonly Service[]>> = {}): NodeContext {
  const of = ({ plural }: Kind, namespace: string) => ({
    get(name: string) {
      const found = namespace === "ns" ? objects[`${plural}/${name}`] : undefined;
      return found === undefined
        ? Promise.reject(errors.notFound({ group: "", resource: plural }, name))
        : Promise.resolve(found);
    },
  });
  const context = { client: { of }, services: (namespace: string) => all[namespace] ?? [] };
  // Safe: nothing else of the node is asked for.
  return nodeContext(context);
}

const facts = { hostIPs: ["192.0.2.1"], podIPs: ["10.0.0.1"], allocatable: {} };

async function variablesOf(container: object, spec: object = {}, own = node()) {
  const input = {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [{ name: "a", ...container }], ...spec },
  };
  const pod = build(pods, input);
  const [first] = pod.spec.containers;
  if (first === undefined) throw new TypeError("the Pod has no container");
  return Object.fromEntries(await environment(own, pod, first, facts));
}

const key = (kind: string, name: string, key: string, more: object = {}) => ({
  name: "V",
  valueFrom: { [`${kind}KeyRef`]: { name, key, ...more } },
});

test("later sources win, and values refer to what stands before them", async () => {
  const envFrom = [{ configMapRef: { name: "cm" } }, { prefix: "S_", secretRef: { name: "s" } }];
  const env = [
    { name: "BEFORE", value: "$(KEY), $(S_KEY), $(AFTER)" },
    { name: "AFTER", value: "after" },
    { name: "OTHER", value: "own" },
    { name: "EMPTY" },
  ];
  expect(await variablesOf({ envFrom, env })).toEqual({
    KEY: "from the map",
    S_KEY: "from the Secret ž",
    BEFORE: "from the map, from the Secret ž, $(AFTER)",
    AFTER: "after",
    OTHER: "own",
    EMPTY: "",
  });
});

test.each<[string, object, string]>([
  ["a ConfigMap's key", key("configMap", "cm", "KEY"), "from the map"],
  ["a Secret's key", key("secret", "s", "KEY"), "from the Secret ž"],
  ["a field of the Pod", { name: "V", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }, "p"],
  ["its address", { name: "V", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }, "10.0.0.1"],
])("a variable holds %s", async (_, variable, value) => {
  expect(await variablesOf({ env: [variable] })).toEqual({ V: value });
});

test.each<[string, object, string | undefined]>([
  ["a ConfigMap's", { env: [key("configMap", "cm", "NONE")] }, "couldn't find key NONE in ConfigMap ns/cm"],
  ["a Secret's", { env: [key("secret", "s", "NONE")] }, "couldn't find key NONE in Secret ns/s"],
  [
    "that of a ConfigMap that is not there",
    { env: [key("configMap", "no", "K")] },
    'configmaps "no" not found',
  ],
  [
    "all of a Secret that is not there",
    { envFrom: [{ secretRef: { name: "no" } }] },
    'secrets "no" not found',
  ],
  ["an optional one", { env: [key("configMap", "cm", "NONE", { optional: true })] }, undefined],
  ["that of an optional object", { env: [key("secret", "no", "K", { optional: true })] }, undefined],
  ["all of an optional object", { envFrom: [{ configMapRef: { name: "no", optional: true } }] }, undefined],
])("a key that is missing, %s, is an error unless it is optional", async (_, container, why) => {
  if (why === undefined) expect(await variablesOf(container)).toEqual({});
  else
    await expect(variablesOf(container)).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message: why,
    });
});

test("an error of the server is no missing object, even where the object is optional", async () => {
  const failing = { ...node(), client: { of: () => ({ get: () => Promise.reject(new Error("timeout")) }) } };
  const container = { envFrom: [{ configMapRef: { name: "cm", optional: true } }] };
  const own = nodeContext(failing);
  await expect(variablesOf(container, {}, own)).rejects.toThrow("timeout");
});

const service = (name: string, namespace: string, spec: object) =>
  build(services, { metadata: { name, namespace }, spec });

const api = service("kubernetes", "default", {
  clusterIP: "10.96.0.1",
  ports: [{ name: "https", port: 443 }],
});

test("Services are found by their variables, the first port without its name", async () => {
  const dns = service("kube-dns", "ns", {
    clusterIP: "10.96.0.10",
    ports: [
      { name: "dns", port: 53, protocol: "UDP" },
      { name: "dns-tcp", port: 53, protocol: "TCP" },
    ],
  });
  const own = node({ default: [], ns: [dns] });
  expect(await variablesOf({}, {}, own)).toEqual({
    KUBE_DNS_SERVICE_HOST: "10.96.0.10",
    KUBE_DNS_SERVICE_PORT: "53",
    KUBE_DNS_SERVICE_PORT_DNS: "53",
    KUBE_DNS_SERVICE_PORT_DNS_TCP: "53",
    KUBE_DNS_PORT: "udp://10.96.0.10:53",
    KUBE_DNS_PORT_53_UDP: "udp://10.96.0.10:53",
    KUBE_DNS_PORT_53_UDP_PROTO: "udp",
    KUBE_DNS_PORT_53_UDP_PORT: "53",
    KUBE_DNS_PORT_53_UDP_ADDR: "10.96.0.10",
    KUBE_DNS_PORT_53_TCP: "tcp://10.96.0.10:53",
    KUBE_DNS_PORT_53_TCP_PROTO: "tcp",
    KUBE_DNS_PORT_53_TCP_PORT: "53",
    KUBE_DNS_PORT_53_TCP_ADDR: "10.96.0.10",
  });
});

test("a Pod sees its namespace's Services and the API server, or that alone without links", async () => {
  const ports = [{ port: 80 }];
  const all = {
    default: [api, service("elsewhere", "default", { clusterIP: "10.96.0.3", ports })],
    ns: [
      service("web", "ns", { clusterIP: "10.96.0.2", ports }),
      service("headless", "ns", { clusterIP: "None", ports }),
      service("external", "ns", { type: "ExternalName", externalName: "example.com" }),
    ],
  };
  const hosts = async (spec: object) =>
    Object.keys(await variablesOf({}, spec, node(all))).filter((name) => name.endsWith("_SERVICE_HOST"));
  expect(await hosts({})).toEqual(["KUBERNETES_SERVICE_HOST", "WEB_SERVICE_HOST"]);
  expect(await hosts({ enableServiceLinks: false })).toEqual(["KUBERNETES_SERVICE_HOST"]);
});

test("a container's own variable wins over a Service's, and may refer to it", async () => {
  const own = node({ default: [api], ns: [] });
  const env = [
    { name: "URL", value: "https://$(KUBERNETES_SERVICE_HOST)" },
    { name: "KUBERNETES_SERVICE_HOST", value: "api.example" },
  ];
  expect(await variablesOf({ env }, {}, own)).toMatchObject({
    URL: "https://10.96.0.1",
    KUBERNETES_SERVICE_HOST: "api.example",
  });
});
