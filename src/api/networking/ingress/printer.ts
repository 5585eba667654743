import type { Column } from "../../../meta/strategy.ts";
import { column, orNone } from "../../printing.ts";
import type { Ingress, IngressRule } from "./schema.ts";

const shownHosts = 3;

/** The first hosts, and the number of further rules, which includes rules without a host. */
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
  column("Class", "The IngressClass.", ({ spec }) => orNone(spec.ingressClassName)),
  column("Hosts", "The hosts of the rules.", ({ spec }) => hostsText(spec.rules ?? [])),
  column("Address", "Entry points of the load balancer.", addressText),
  column("Ports", "The ports of the load balancer.", ({ spec }) =>
    spec.tls === undefined ? "80" : "80, 443",
  ),
];
