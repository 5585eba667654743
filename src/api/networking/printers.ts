import type { Column } from "../../meta/strategy.ts";
import { ageColumn, column, nameColumn, orNone, selectorText } from "../printing.ts";
import type { IngressClass } from "./v1/ingress-class.ts";
import type { Ingress, IngressRule } from "./v1/ingress.ts";
import type { IPAddress } from "./v1/ip-address.ts";
import type { NetworkPolicy } from "./v1/network-policy.ts";
import type { ServiceCIDR } from "./v1/service-cidr.ts";

const shownHosts = 3;

/** The first hosts that are named; after them, all rules count. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let isMore = false;
  for (const { host } of rules) {
    if (hosts.length === shownHosts) isMore = true;
    else if (host !== undefined) hosts.push(host);
  }
  const text = hosts.join(",") || "*";
  return isMore ? `${text} + ${rules.length - shownHosts} more...` : text;
}

function addressText({ status }: Ingress): string {
  const entries = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "");
  return [...new Set(entries.filter((entry) => entry !== ""))].sort().join(",");
}

export const ingressColumns: readonly Column<Ingress>[] = [
  column("Class", "The class, which tells the controller in charge.", ({ spec }) =>
    orNone(spec.ingressClassName),
  ),
  column("Hosts", "Hosts that rules are for.", ({ spec }) => hostsText(spec.rules ?? [])),
  column("Address", "Entry points of the load balancer.", addressText),
  column("Ports", "Ports that it listens on.", ({ spec }) => (spec.tls === undefined ? "80" : "80, 443")),
];

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

function parametersText({ spec: { parameters } }: IngressClass): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return apiGroup === undefined ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`;
}

export const ingressClassColumns: readonly Column<IngressClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata: { name = "", annotations } }) =>
      annotations?.[defaultAnnotation] === "true" ? `${name} (default)` : name,
  },
  column("Controller", "The controller in charge.", ({ spec }) => spec.controller ?? ""),
  column("Parameters", "An object with further parameters.", parametersText),
  ageColumn,
];

export const networkPolicyColumns: readonly Column<NetworkPolicy>[] = [
  column("Pod-Selector", "The Pods that it is about.", ({ spec }) => selectorText(spec.podSelector)),
];

function parentText({ spec: { parentRef } }: IPAddress): string {
  if (parentRef === undefined) return "<none>";
  const { group, resource = "", namespace, name = "" } = parentRef;
  const place = group === undefined ? resource : `${resource}.${group}`;
  return [place.toLowerCase(), namespace, name].filter((part) => part !== undefined).join("/");
}

/** No age: upstream has a cell for it, but no column. */
export const ipAddressColumns: readonly Column<IPAddress>[] = [
  nameColumn,
  column("ParentRef", "What has the address.", parentText),
];

export const serviceCIDRColumns: readonly Column<ServiceCIDR>[] = [
  column("CIDRs", "The subnets.", ({ spec }) => (spec.cidrs ?? []).join(",")),
];
