import type { Column } from "../../../meta/strategy.ts";
import { column, labelsText, orNone, wide } from "../../printing.ts";
import type { Service } from "./schema.ts";

function externalAddresses({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(external.join(","));
    case "LoadBalancer": {
      const entries = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "");
      const balancer = [...new Set(entries.filter((entry) => entry !== ""))].sort();
      return [...balancer, ...external].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portsText({ spec }: Service): string {
  const ports = (spec.ports ?? []).map(({ port, nodePort, protocol = "" }) =>
    nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  );
  return orNone(ports.join(","));
}

export const serviceColumns: readonly Column<Service>[] = [
  column("Type", "The type of the Service.", ({ spec }) => spec.type ?? ""),
  column("Cluster-IP", "The Service's primary IP address.", ({ spec }) => orNone(spec.clusterIPs?.[0])),
  column("External-IP", "The external addresses.", externalAddresses),
  column("Port(s)", "The ports, with node ports after a colon.", portsText),
  wide(
    column("Selector", "The labels of the Pods behind the Service.", ({ spec }) => labelsText(spec.selector)),
  ),
];
