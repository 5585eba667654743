import { type Pod, pods } from "../api/core/pod/schema.ts";
import { type Service, services } from "../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../api/discovery/endpoint-slice/schema.ts";
import { decode } from "../meta/decode.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";
import type { ServicePort } from "./services/plan.ts";

export function build<K extends Kind>({ apiVersion, kind, schema }: K, input: object): ObjectOf<K> {
  return { apiVersion, kind, ...decode(schema, input) } as ObjectOf<K>;
}

export function aService(name: string, spec: object = {}, status: object = {}): Service {
  return build(services, {
    metadata: { name, namespace: "default" },
    spec: { clusterIP: "10.96.0.10", ports: [{ name: "http", port: 80 }], ...spec },
    status,
  });
}

interface SliceParts {
  readonly ports?: readonly object[];
  readonly addressType?: string;
  readonly suffix?: string;
}

export function aSlice(
  service: string,
  endpoints: readonly object[],
  { ports = [{ name: "http", port: 8080 }], addressType = "IPv4", suffix = "x" }: SliceParts = {},
): EndpointSlice {
  return build(endpointSlices, {
    metadata: {
      name: `${service}-${suffix}`,
      namespace: "default",
      labels: { "kubernetes.io/service-name": service },
    },
    addressType,
    endpoints,
    ports,
  });
}

export const endpoint = (address: string, conditions: object = { ready: true }, more: object = {}) => ({
  addresses: [address],
  conditions,
  ...more,
});

/** A Service's port that the testbed's clients can speak to. */
export type TestPort = ServicePort & { readonly address: string; readonly protocol: "TCP" | "UDP" };

/** Port 80 of a Service, with endpoints that listen on port 8080. */
export function aServicePort(addresses: readonly string[], more: Partial<TestPort> = {}): TestPort {
  return {
    name: "default/web:http",
    address: "10.96.0.20",
    port: 80,
    protocol: "TCP",
    endpoints: addresses.map((address) => ({ address, port: 8080 })),
    affinityMs: 0,
    ...more,
  };
}

/** A running Pod of one container with ports. */
export function aPod(
  name: string,
  ports: readonly object[],
  more: { readonly spec?: object; readonly status?: object } = {},
): Pod {
  return build(pods, {
    metadata: { name, namespace: "default", uid: `uid-${name}`, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { containers: [{ name: "main", image: "i", ports }], ...more.spec },
    status: { phase: "Running", podIP: "10.244.0.2", ...more.status },
  });
}
