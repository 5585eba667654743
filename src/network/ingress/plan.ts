import type { Service } from "../../api/core/service/schema.ts";
import type { EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import type { IngressClass } from "../../api/networking/ingress-class/schema.ts";
import type { Ingress, IngressBackend } from "../../api/networking/ingress/schema.ts";
import { by } from "../../util/compare.ts";
import type { Steps } from "../../util/steps.ts";
import { type ProxyNode, selectEndpoints, type ServiceEndpoint } from "../services/endpoint-selection.ts";
import { keyOf, slicesByService } from "../services/plan.ts";

/** The `spec.controller` of the IngressClasses that are served here. */
export const ingressController = "knarr.dev/ingress";

export interface IngressObjects {
  /** The Ingresses, the oldest first. */
  readonly served: readonly Ingress[];
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly node: ProxyNode;
}

/** The backend of a request. */
export interface Backend {
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** Empty while the Service has none, or does not exist. */
  readonly endpoints: readonly ServiceEndpoint[];
}

/** The backends of a host by path. */
export interface HostRoutes {
  readonly exact: ReadonlyMap<string, Backend>;
  /** By path without a slash at the end. */
  readonly prefixes: ReadonlyMap<string, Backend>;
  /** The greatest number of elements of a prefix. */
  readonly depth: number;
}

export interface IngressPlan {
  /** By name, by `*.` and the rest of a name, or by an empty text for all hosts. */
  readonly hosts: ReadonlyMap<string, HostRoutes>;
  /** The backend of requests that no rule matches. */
  readonly fallback: Backend | undefined;
  /** `namespace/name` of the Secret with the certificate, by host as in `hosts`. */
  readonly certificates: ReadonlyMap<string, string>;
}

/** Returns the Ingresses whose class is served here, the oldest first. */
export function servedIngresses(
  ingresses: readonly Ingress[],
  classes: readonly IngressClass[],
): readonly Ingress[] {
  const own = classes.filter(({ spec }) => spec.controller === ingressController);
  const names = new Set(own.map(({ metadata }) => metadata.name ?? ""));
  return ingresses.filter((ingress) => names.has(classOf(ingress))).sort(by(age));
}

/** The paths between two steps. */
const pathsInStep = 500;

/** Plans the routes of Ingresses. Of two rules for the same host and path the older Ingress's counts. */
export function* planIngresses(objects: IngressObjects): Steps<IngressPlan> {
  const { served } = objects;
  let count = 0;
  const find = backendFinder(objects);
  const hosts = new Map<string, MutableRoutes>();
  const certificates = new Map<string, string>();
  let fallback: Backend | undefined;
  for (const ingress of served) {
    const { namespace = "" } = ingress.metadata;
    const { defaultBackend, rules = [], tls = [] } = ingress.spec;
    if (defaultBackend !== undefined) fallback ??= find(namespace, defaultBackend);
    for (const { host = "", http } of rules) {
      const routes = hosts.get(host) ?? { exact: new Map(), prefixes: new Map(), depth: 0 };
      hosts.set(host, routes);
      for (const { path = "/", pathType, backend } of http?.paths ?? []) {
        addRoute(routes, path, pathType === "Exact", find(namespace, backend));
        if (++count % pathsInStep === 0) yield;
      }
    }
    for (const { hosts: names = [], secretName = "" } of tls) {
      for (const name of names)
        if (secretName !== "" && !certificates.has(name))
          certificates.set(name, `${namespace}/${secretName}`);
    }
  }
  return { hosts, fallback, certificates };
}

interface MutableRoutes {
  readonly exact: Map<string, Backend>;
  readonly prefixes: Map<string, Backend>;
  depth: number;
}

function addRoute(routes: MutableRoutes, path: string, isExact: boolean, backend: Backend): void {
  const key = isExact ? path : path.replace(/\/+$/, "");
  const known = isExact ? routes.exact : routes.prefixes;
  if (known.has(key)) return;
  known.set(key, backend);
  if (!isExact) routes.depth = Math.max(routes.depth, key.split("/").length);
}

/**
 * Returns the backend of a request by the rules of the Ingress API: the host's own rules, else those of its wildcard, else
 * those for all hosts; there an exact path, else the longest prefix of whole elements. Undefined: no rule matches.
 */
export function findBackend(plan: IngressPlan, host: string, path: string): Backend | undefined {
  const routes =
    plan.hosts.get(host) ?? plan.hosts.get(`*${host.slice(host.indexOf("."))}`) ?? plan.hosts.get("");
  return (routes === undefined ? undefined : findPath(routes, path)) ?? plan.fallback;
}

function findPath({ exact, prefixes, depth }: HostRoutes, path: string): Backend | undefined {
  const found = exact.get(path);
  if (found !== undefined) return found;
  const elements = path.split("/", depth);
  for (let count = elements.length; count > 0; count--) {
    const backend = prefixes.get(elements.slice(0, count).join("/"));
    if (backend !== undefined) return backend;
  }
  return undefined;
}

/** Returns the Secret with a host's certificate. */
export function certificateOf({ certificates }: IngressPlan, host: string): string | undefined {
  return certificates.get(host) ?? certificates.get(`*${host.slice(host.indexOf("."))}`);
}

/** The annotation is the older form of the field. */
function classOf({ spec, metadata }: Ingress): string {
  return spec.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"] ?? "";
}

function age({ metadata }: Ingress): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.namespace}/${metadata.name}`;
}

function backendFinder({ services, slices, node }: IngressObjects) {
  const byService = slicesByService(slices);
  const byKey = new Map(services.map((service) => [keyOf(service), service]));
  return (namespace: string, { service }: IngressBackend): Backend => {
    const key = `${namespace}/${service?.name ?? ""}`;
    const { name, number } = service?.port ?? {};
    const port = byKey
      .get(key)
      ?.spec.ports?.find((one) => (name === undefined ? one.port === number : one.name === name));
    if (port === undefined) return { service: key, endpoints: [] };
    const selected = selectEndpoints(byService.get(key) ?? [], port.name ?? "", port.protocol ?? "TCP", node);
    return { service: key, endpoints: selected.cluster };
  };
}
