import type { HttpCall } from "../../http-call.ts";

/** A refused request: its description, the request, and the Status that answers it. */
export type Case = readonly [
  what: string,
  method: string,
  path: string,
  call: HttpCall,
  code: number,
  reason: string,
  message: string | RegExp,
];

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
export const services = "/api/v1/namespaces/default/services";
export const text = (value: unknown) => JSON.stringify(value);
export const configMap = (more: object = {}) =>
  text({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" }, ...more });
export const as = (type: string, body: string | Uint8Array): HttpCall => ({
  headers: { "content-type": type },
  body,
});
export const yaml = (body: string) => as("application/yaml", body);
export const merge = (body: unknown) => as("application/merge-patch+json", text(body));
export const accept = (type: string): HttpCall => ({ headers: { accept: type } });
export const deep = (open: string, close: string, levels: number) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"x":${open.repeat(levels)}1${close.repeat(levels)}}`;
