import type { Bed, Json } from "../server.suite.ts";

export const definitionsUrl = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A definition of Crons in `example.com`, with the given parts of its spec. */
export function definition({ names = {}, ...spec }: Json = {}, metadata: object = {}): Json {
  const all = { plural: "crons", kind: "Cron", ...names };
  const group = spec.group ?? "example.com";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${all.plural}.${group}`, ...metadata },
    spec: { group, scope: "Namespaced", names: all, versions: [version("v1", { storage: true })], ...spec },
  };
}

export function version(name: string, more: Json = {}): Json {
  const { schema = anything, ...others } = more;
  return { name, served: true, storage: false, schema: { openAPIV3Schema: schema }, ...others };
}

/** A schema of objects with these properties in their spec. */
export const specOf = (properties: Json, more: object = {}): Json => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
  ...more,
});

/** Creates a definition; its resources are served when this resolves. */
export async function define(bed: Bed, spec: Json = {}, metadata: object = {}): Promise<string> {
  const body = definition(spec, metadata);
  await bed.make(definitionsUrl, body);
  await bed.clock.settle();
  return `${definitionsUrl}/${body.metadata.name}`;
}

export const crons = (name = "", apiVersion = "v1") =>
  `/apis/example.com/${apiVersion}/namespaces/default/crons${name && `/${name}`}`;

export const cron = (name: string, spec: object = {}, apiVersion = "v1"): Json => ({
  apiVersion: `example.com/${apiVersion}`,
  kind: "Cron",
  metadata: { name },
  spec,
});

export async function conditionsOf(bed: Bed, url: string): Promise<Record<string, string>> {
  const { body } = await bed.get(url);
  return Object.fromEntries(
    (body.status?.conditions ?? []).map(({ type, status, reason }: Json) => [type, `${status} ${reason}`]),
  );
}
