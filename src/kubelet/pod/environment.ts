import { configMaps } from "../../api/core/config-map/schema.ts";
import type { Container } from "../../api/core/pod/container.ts";
import type { EnvFromSource, EnvVarSource } from "../../api/core/pod/env.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import { hasReason } from "../../meta/status.ts";
import type { NodeContext } from "../node-context.ts";
import { RuntimeError } from "../runtime.ts";
import { type NodeFacts, podField, resourceField } from "./downward.ts";
import { expand } from "./expand.ts";
import { by } from "../../util/compare.ts";

/**
 * Returns a container's variables: first those of Services, then `envFrom`, then `env`. A value can refer to
 * variables before it.
 */
export async function environment(
  node: NodeContext,
  pod: Pod,
  container: Container,
  facts: NodeFacts,
): Promise<ReadonlyMap<string, string>> {
  const variables = new Map<string, string>(serviceVariables(node, pod));
  for (const source of container.envFrom ?? []) {
    for (const [name, value] of await bulk(node, pod, source)) variables.set(name, value);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (valueFrom === undefined) {
      variables.set(name, expand(value ?? "", variables));
      continue;
    }
    const found = await single(node, pod, container, valueFrom, facts);
    if (found !== undefined) variables.set(name, found);
  }
  return variables;
}

async function bulk(node: NodeContext, pod: Pod, { prefix = "", configMapRef, secretRef }: EnvFromSource) {
  const data =
    configMapRef === undefined
      ? await secretData(node, pod, secretRef?.name ?? "", secretRef?.optional ?? false)
      : await configMapData(node, pod, configMapRef.name ?? "", configMapRef.optional ?? false);
  return Object.entries(data ?? {})
    .sort(by(([name]) => name))
    .map(([key, value]) => [prefix + key, value] as const);
}

async function single(
  node: NodeContext,
  pod: Pod,
  container: Container,
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: EnvVarSource,
  facts: NodeFacts,
): Promise<string | undefined> {
  if (fieldRef !== undefined) return podField(pod, fieldRef.fieldPath, facts);
  if (resourceFieldRef !== undefined) return resourceField(pod, container, resourceFieldRef, facts);
  if (configMapKeyRef !== undefined) {
    const { name = "", key, optional = false } = configMapKeyRef;
    return pick(await configMapData(node, pod, name, optional), "ConfigMap", pod, name, key, optional);
  }
  if (secretKeyRef !== undefined) {
    const { name = "", key, optional = false } = secretKeyRef;
    return pick(await secretData(node, pod, name, optional), "Secret", pod, name, key, optional);
  }
  throw new RuntimeError(
    "CreateContainerConfigError",
    "an environment variable's source is not supported on this node",
  );
}

type Data = Readonly<Record<string, string>>;

function pick(data: Data | undefined, kind: string, pod: Pod, name: string, key: string, optional: boolean) {
  const value = data?.[key];
  if (value !== undefined || optional) return value;
  const place = `${kind} ${pod.metadata.namespace}/${name}`;
  throw new RuntimeError("CreateContainerConfigError", `couldn't find key ${key} in ${place}`);
}

async function configMapData(
  node: NodeContext,
  pod: Pod,
  name: string,
  optional: boolean,
): Promise<Data | undefined> {
  return orMissing(
    optional,
    async () => (await node.client.of(configMaps, pod.metadata.namespace).get(name)).data ?? {},
  );
}

async function secretData(
  node: NodeContext,
  pod: Pod,
  name: string,
  optional: boolean,
): Promise<Data | undefined> {
  return orMissing(optional, async () => {
    const { data = {} } = await node.client.of(secrets, pod.metadata.namespace).get(name);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
    );
  });
}

async function orMissing(optional: boolean, read: () => Promise<Data>): Promise<Data | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    if (optional) return undefined;
    throw new RuntimeError("CreateContainerConfigError", error.message, error);
  }
}

/** Yields `{NAME}_SERVICE_HOST` and the like, for the Services that the Pod can see (kubelet `envvars`). */
function* serviceVariables(node: NodeContext, pod: Pod): Generator<[string, string]> {
  const namespace = pod.metadata.namespace ?? "";
  const isApi = ({ metadata }: Service) => metadata.name === "kubernetes" && metadata.namespace === "default";
  const visible =
    pod.spec.enableServiceLinks === false
      ? node.services("default").filter(isApi)
      : [
          ...node.services("default").filter((service) => namespace !== "default" && isApi(service)),
          ...node.services(namespace),
        ];
  for (const { metadata, spec } of visible) {
    const { clusterIP = "" } = spec;
    const [first] = spec.ports ?? [];
    if (clusterIP === "" || clusterIP === "None" || first === undefined) continue;
    const prefix = (metadata.name ?? "").toUpperCase().replaceAll("-", "_");
    yield [`${prefix}_SERVICE_HOST`, clusterIP];
    yield [`${prefix}_SERVICE_PORT`, String(first.port)];
    const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
    for (const [index, { name = "", port, protocol = "TCP" }] of (spec.ports ?? []).entries()) {
      if (name !== "")
        yield [`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll("-", "_")}`, String(port)];
      const url = `${protocol.toLowerCase()}://${host}:${port}`;
      if (index === 0) yield [`${prefix}_PORT`, url];
      const link = `${prefix}_PORT_${port}_${protocol}`;
      yield [link, url];
      yield [`${link}_PROTO`, protocol.toLowerCase()];
      yield [`${link}_PORT`, String(port)];
      yield [`${link}_ADDR`, clusterIP];
    }
  }
}
