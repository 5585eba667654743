import { root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { ipWarnings } from "../../core/warnings/ip.ts";
import type { Ingress } from "./schema.ts";
import { classAnnotation } from "./validation.ts";

export function ingressWarnings(
  { metadata, spec, status }: Ingress,
  old: Ingress | undefined,
): readonly string[] {
  if (old === undefined) {
    const isOld =
      metadata.annotations?.[classAnnotation] !== undefined && spec.ingressClassName === undefined;
    return isOld
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [];
  }
  if (deepEqual(status, old.status)) return [];
  const place = root.child("status", "loadBalancer", "ingress");
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip = "" }, i) => ipWarnings(ip, place.index(i)));
}
