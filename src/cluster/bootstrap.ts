import { endpoints as endpointsKind } from "../api/core/endpoints/schema.ts";
import { namespaces } from "../api/core/namespace/schema.ts";
import { services } from "../api/core/service/schema.ts";
import { endpointSlices } from "../api/discovery/endpoint-slice/schema.ts";
import { serviceCIDRs } from "../api/networking/service-cidr/schema.ts";
import { priorityClasses } from "../api/scheduling/priority-class/schema.ts";
import type { Client } from "../client/client.ts";
import { markReady, repairAddresses } from "./service-cidr.ts";
import { hasReason } from "../meta/status.ts";
import { reconcileBootstrapPolicy } from "./bootstrap-policy/reconcile.ts";
import { type Authentication, publishAuthentication } from "./publish-authentication.ts";

/** The address at which clients in the cluster reach the API server. */
export interface ApiServerEndpoint {
  readonly clusterIP: string;
  readonly address: string;
  readonly port: number;
}

const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** The cluster's own Services; undefined for those without a server. */
export interface WellKnownServices {
  readonly apiServer: ApiServerEndpoint | undefined;
  /** The cluster address of DNS. */
  readonly dns: string | undefined;
  /** The range of Services' addresses. */
  readonly serviceCIDR: string;
}

/** Creates the objects that every cluster has and that are missing. Idempotent; runs at each start. */
export async function bootstrap(
  client: Client,
  { apiServer, dns, serviceCIDR }: WellKnownServices,
  authentication: Authentication,
): Promise<void> {
  const all = client.of(namespaces);
  await Promise.all(
    systemNamespaces.map((name) =>
      ensure(
        () => all.get(name),
        () => all.create({ metadata: { name } }),
      ),
    ),
  );
  await reconcileBootstrapPolicy(client);
  await Promise.all([
    publishPriorityClasses(client),
    publishServiceCIDR(client, serviceCIDR, authentication.now),
    repairAddresses(client),
    publishAuthentication(client, authentication),
  ]);
  if (apiServer !== undefined) await publishApiServer(client, apiServer);
  if (dns !== undefined) await publishDns(client, dns);
}

/** Creates the priority classes for system-critical Pods (registry `scheduling/rest`). */
async function publishPriorityClasses(client: Client): Promise<void> {
  const all = client.of(priorityClasses);
  const ensureClass = (name: string, value: number, description: string) =>
    ensure(
      () => all.get(name),
      () => all.create({ metadata: { name }, value, description }),
    );
  await Promise.all([
    ensureClass(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
    ensureClass(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
  ]);
}

/** Publishes the range of Services' addresses. */
async function publishServiceCIDR(client: Client, cidr: string, now: number): Promise<void> {
  const all = client.of(serviceCIDRs);
  const { object } = await ensure(
    () => all.get("kubernetes"),
    () => all.create({ metadata: { name: "kubernetes" }, spec: { cidrs: [cidr] } }),
  );
  await markReady(client, object, cidr, now);
}

/** Reserves the address of cluster DNS, which serves there without endpoints. */
async function publishDns(client: Client, clusterIP: string): Promise<void> {
  const ports = [
    { name: "dns", protocol: "UDP" as const, port: 53 },
    { name: "dns-tcp", protocol: "TCP" as const, port: 53 },
  ];
  const labels = { "k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS" };
  const systemServices = client.of(services, "kube-system");
  await ensure(
    () => systemServices.get("kube-dns"),
    () => systemServices.create({ metadata: { name: "kube-dns", labels }, spec: { clusterIP, ports } }),
  );
}

/**
 * Publishes the Service `default/kubernetes`, without a selector: its endpoints are the API servers
 * themselves.
 */
async function publishApiServer(
  client: Client,
  { clusterIP, address, port }: ApiServerEndpoint,
): Promise<void> {
  const labels = { component: "apiserver", provider: "kubernetes" };
  const defaultServices = client.of(services, "default");
  await ensure(
    () => defaultServices.get("kubernetes"),
    () =>
      defaultServices.create({
        metadata: { name: "kubernetes", labels },
        spec: { clusterIP, ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }] },
      }),
  );
  const ports = [{ name: "https", protocol: "TCP" as const, port }];
  const slice = {
    metadata: { name: "kubernetes", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: address.includes(":") ? ("IPv6" as const) : ("IPv4" as const),
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports,
  };
  const endpoints = {
    metadata: { name: "kubernetes", labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports }],
  };
  await put(client.of(endpointSlices, "default"), slice);
  await put(client.of(endpointsKind, "default"), endpoints);
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Creates or overwrites an object, because the server's address may have changed. */
async function put<T extends Named>(
  all: {
    readonly get: (name: string) => Promise<unknown>;
    readonly create: (object: T) => Promise<unknown>;
    readonly update: (object: T) => Promise<unknown>;
  },
  object: T,
): Promise<void> {
  const { created } = await ensure(
    () => all.get(object.metadata.name),
    () => all.create(object),
  );
  if (!created) await all.update(object);
}

/**
 * Reads first: creating an existing object would be refused for the wrong reason (its address is allocated).
 */
async function ensure<T>(
  look: () => Promise<T>,
  create: () => Promise<T>,
): Promise<{ object: T; created: boolean }> {
  try {
    return { object: await look(), created: false };
  } catch (error) {
    if (!hasReason(error, "NotFound")) throw error;
    return { object: await create(), created: true };
  }
}
