import { type FieldError, forbidden, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { immutableMessage } from "../../../meta/validation/immutable.ts";
import { isIp, validateIp } from "../../../meta/validation/ip.ts";
import { validateOneOf, validateSubdomain } from "../../../meta/validation/report.ts";
import { isHeadless, needsHealthCheck } from "./cluster-ips.ts";
import type { Service, ServiceSpec } from "./schema.ts";
import { servicePath } from "./validation.ts";

const once = "may not change once set";

/**
 * Forbids changes of the primary address and family. A secondary one may be added or removed with the policy.
 */
export function* validateServiceUpdate({ spec }: Service, { spec: old }: Service): Generator<FieldError> {
  const lasting = spec.type !== "ExternalName" && old.type !== "ExternalName";
  const headless = isHeadless(spec);
  if (lasting && !(headless && isHeadless(old))) {
    yield* validateKept("clusterIPs", "clusterIP", spec, old);
  }
  if (lasting && !headless && !isHeadless(old)) yield* validateKept("ipFamilies", "ipFamily", spec, old);
  if (
    spec.type === "LoadBalancer" &&
    old.type === "LoadBalancer" &&
    spec.loadBalancerClass !== old.loadBalancerClass
  ) {
    yield invalid(servicePath.child("loadBalancerClass"), spec.loadBalancerClass, once);
  }
  if (
    needsHealthCheck(old) &&
    needsHealthCheck(spec) &&
    spec.healthCheckNodePort !== old.healthCheckNodePort
  ) {
    yield forbidden(servicePath.child("healthCheckNodePort"), immutableMessage);
  }
}

function* validateKept(
  list: "clusterIPs" | "ipFamilies",
  one: string,
  spec: ServiceSpec,
  old: ServiceSpec,
): Generator<FieldError> {
  const now: readonly string[] = spec[list] ?? [];
  const before: readonly string[] = old[list] ?? [];
  const place = servicePath.child(list);
  if (now.length === before.length) {
    for (const [i, value] of before.entries()) {
      // Upstream reports the first family, whichever one has changed.
      if (now[i] !== value) yield invalid(place.index(list === "clusterIPs" ? i : 0), now, once);
    }
    return;
  }
  if (now.length === 0) yield invalid(place.index(0), now, `primary ${one} can not be unset`);
  else if (before.length > 0 && now[0] !== before[0]) yield invalid(place.index(0), now, once);
  if (before.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    yield invalid(
      servicePath.child("ipFamilyPolicy"),
      spec.ipFamilyPolicy,
      `must be set to 'SingleStack' when releasing the secondary ${one}`,
    );
  }
}

export function* validateLoadBalancerStatus({ spec, status }: Service): Generator<FieldError> {
  const path = root.child("status", "loadBalancer", "ingress");
  const entries = status.loadBalancer.ingress ?? [];
  if (spec.type !== "LoadBalancer" && entries.length > 0) {
    yield forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const [i, { ip, ipMode, hostname }] of entries.entries()) {
    const place = path.index(i);
    if (ip !== undefined) yield* validateIp(ip, place.child("ip"));
    if (ipMode === undefined) {
      if (ip !== undefined) yield requiredValue(place.child("ipMode"), "must be specified when `ip` is set");
    } else if (ip === undefined) {
      yield forbidden(place.child("ipMode"), "may not be specified when `ip` is not set");
    } else yield* validateOneOf(ipMode, ["Proxy", "VIP"], place.child("ipMode"));
    if (hostname === undefined) continue;
    yield* validateSubdomain(hostname, place.child("hostname"));
    if (isIp(hostname)) {
      yield invalid(place.child("hostname"), hostname, "must be a DNS name, not an IP address");
    }
  }
}
