import { type FieldError, forbidden, requiredValue, root } from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { validateCidr } from "../../../meta/validation/ip.ts";
import { report } from "../../../meta/validation/report.ts";
import type { ServiceSpec } from "./schema.ts";

const path = root.child("spec");
const balancersOnly = "may only be used when `type` is 'LoadBalancer'";

type Annotations = Readonly<Record<string, string>> | undefined;

export function* validateLoadBalancer(annotations: Annotations, spec: ServiceSpec): Generator<FieldError> {
  const isBalancer = spec.type === "LoadBalancer";
  yield* validateSourceRanges(annotations, spec);
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer) {
    yield forbidden(path.child("allocateLoadBalancerNodePorts"), balancersOnly);
  }
  if (spec.allocateLoadBalancerNodePorts === undefined && isBalancer) {
    yield requiredValue(root.child("allocateLoadBalancerNodePorts"));
  }
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return;
  const place = path.child("loadBalancerClass");
  if (isBalancer) yield* report(place, loadBalancerClass, labelKeyProblems(loadBalancerClass));
  else yield forbidden(place, balancersOnly);
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Validates the client subnets of the load balancer: the field, or the older annotation. */
function* validateSourceRanges(
  annotations: Annotations = {},
  { type, loadBalancerSourceRanges: ranges = [] }: ServiceSpec,
): Generator<FieldError> {
  const text = annotations[rangesAnnotation];
  if (ranges.length === 0 && text === undefined) return;
  const isField = ranges.length > 0;
  const place = isField
    ? path.child("LoadBalancerSourceRanges")
    : root.child("metadata", "annotations").key(rangesAnnotation);
  if (type !== "LoadBalancer") yield forbidden(place, balancersOnly);
  for (const [i, range] of ranges.entries()) yield* validateCidr(range.trim(), place.index(i));
  if (isField || text === undefined || text.trim() === "") return;
  for (const range of text.split(",")) yield* validateCidr(range.trim(), place);
}
