import type { Service } from "../../api/core/service/schema.ts";
import { contains, type Network, nthAddress } from "../../util/ipv4.ts";

/** Keeps a Service until its load balancer is released. */
export const finalizer = "service.kubernetes.io/load-balancer-cleanup";

export interface Observed {
  readonly service: Service;
  /** The addresses that other Services have. */
  readonly taken: ReadonlySet<string>;
  readonly range: Network;
}

/** The next step of a Service's load balancer. */
export type Plan =
  | { readonly type: "none" }
  | { readonly type: "addFinalizer" }
  | { readonly type: "assign"; readonly address: string }
  /** The Service wants no load balancer any more. */
  | { readonly type: "release" }
  /** No address can be given. */
  | { readonly type: "refuse"; readonly problem: string };

/**
 * Plans the address of a Service of the type LoadBalancer. An address that another program wrote into the
 * status stays, and a Service with a class of its own belongs to another implementation.
 */
export function planLoadBalancer({ service, taken, range }: Observed): Plan {
  const { metadata, spec } = service;
  if (spec.loadBalancerClass !== undefined) return { type: "none" };
  const hasFinalizer = metadata.finalizers?.includes(finalizer) === true;
  if (metadata.deletionTimestamp !== undefined || spec.type !== "LoadBalancer")
    return { type: hasFinalizer ? "release" : "none" };
  if (!hasFinalizer) return { type: "addFinalizer" };
  const { loadBalancerIP = "" } = spec;
  const present = addressesOf(service);
  if (isKept(service, present, { taken, range })) return { type: "none" };
  if (loadBalancerIP === "") {
    const address = firstFree(range, taken);
    return address === undefined
      ? { type: "refuse", problem: "no address is free in the range of load balancers" }
      : { type: "assign", address };
  }
  if (!isUsable(loadBalancerIP, range))
    return { type: "refuse", problem: `${loadBalancerIP} is not in the range of load balancers` };
  return taken.has(loadBalancerIP)
    ? { type: "refuse", problem: `${loadBalancerIP} belongs to another Service` }
    : { type: "assign", address: loadBalancerIP };
}

/** The IP addresses in a Service's status. */
export function addressesOf({ status }: Service): readonly string[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

function isKept(
  { spec, status }: Service,
  present: readonly string[],
  { taken, range }: Omit<Observed, "service">,
): boolean {
  const { loadBalancerIP = "" } = spec;
  if ((status.loadBalancer.ingress ?? []).length === 0) return false;
  const own = present.filter((address) => contains(range, address));
  // Another program's.
  if (own.length === 0) return true;
  return own.every((one) => !taken.has(one) && (loadBalancerIP === "" || loadBalancerIP === one));
}

/** Returns the address of a range at which Ingresses are served: the last usable one. A small range has none to spare. */
export function ingressAddressOf(range: Network): string | undefined {
  return range.size < 8 ? undefined : nthAddress(range, range.size - 2);
}

/** All but the network's first and last address, that of Ingresses, and the machine's usual loopback address. */
function isUsable(address: string, range: Network): boolean {
  if (!contains(range, address) || address === "127.0.0.1" || address === ingressAddressOf(range))
    return false;
  const isEdge = address === nthAddress(range, 0) || address === nthAddress(range, range.size - 1);
  return range.size <= 2 || !isEdge;
}

/** Looks at one address more than there are Services, at most. */
function firstFree(range: Network, taken: ReadonlySet<string>): string | undefined {
  for (let index = 0; index < Math.min(range.size, taken.size + 4); index++) {
    const address = nthAddress(range, index);
    if (isUsable(address, range) && !taken.has(address)) return address;
  }
  return undefined;
}
