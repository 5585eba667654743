import { root } from "../../../meta/field-error.ts";
import { cidrWarnings, ipWarnings } from "../warnings/ip.ts";
import type { Service, ServiceSpec } from "./schema.ts";
import { isHeadless } from "./cluster-ips.ts";

const oldHints = "service.kubernetes.io/topology-aware-hints";
const newMode = "service.kubernetes.io/topology-mode";

/**
 * Warnings about fields that are deprecated, without effect or not canonical (upstream
 * `pkg/api/service/warnings.go`).
 */
export function serviceWarnings({ metadata, spec }: Service): readonly string[] {
  const texts: string[] = [];
  if (metadata.annotations?.[oldHints] !== undefined)
    texts.push(`annotation ${oldHints} is deprecated, please use ${newMode} instead`);
  texts.push(...spellings(spec, "clusterIPs"));
  const headless = spec.type === "ClusterIP" && isHeadless(spec);
  if (headless) texts.push(...ignoredByHeadless(spec));
  texts.push(...spellings(spec, "externalIPs"));
  const external = spec.type === "ExternalName";
  const { externalIPs = [], externalName, loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  if (externalIPs.length > 0 && !headless && !external)
    texts.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  texts.push(...ipWarnings(loadBalancerIP, root.child("spec", "loadBalancerIP")));
  const ranges = root.child("spec", "loadBalancerSourceRanges");
  texts.push(...loadBalancerSourceRanges.flatMap((range, i) => cidrWarnings(range, ranges.index(i))));
  if (external && externalIPs.length > 0)
    texts.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!external && externalName !== undefined)
    texts.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    texts.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return texts;
}

function spellings(spec: ServiceSpec, field: "clusterIPs" | "externalIPs"): readonly string[] {
  return (spec[field] ?? []).flatMap((address, i) => ipWarnings(address, root.child("spec", field).index(i)));
}

function ignoredByHeadless({
  loadBalancerIP,
  externalIPs = [],
  sessionAffinity,
}: ServiceSpec): readonly string[] {
  return [
    ...(loadBalancerIP === undefined ? [] : ["spec.loadBalancerIP is ignored for headless services"]),
    ...(externalIPs.length === 0 ? [] : ["spec.externalIPs is ignored for headless services"]),
    ...(sessionAffinity === "None" ? [] : ["spec.SessionAffinity is ignored for headless services"]),
  ];
}
