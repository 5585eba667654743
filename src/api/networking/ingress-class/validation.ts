import {
  type FieldError,
  type FieldPath,
  forbidden,
  notSupported,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { validateDomainPath } from "../../../meta/validation/domain-path.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { report, validateDnsLabel, validateSubdomain } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import type { TypedLocalObjectReference } from "../../core/v1/reference.ts";
import type { IngressClass, IngressClassParametersReference } from "./schema.ts";

const path = root.child("spec");
const maxControllerLength = 250;

export function* validateIngressClass({ spec }: IngressClass): Generator<FieldError> {
  const { controller = "", parameters } = spec;
  if (Buffer.byteLength(controller) > maxControllerLength) {
    yield tooLong(path.child("controller"), maxControllerLength);
  }
  yield* validateDomainPath(controller, path.child("controller"));
  if (parameters !== undefined) yield* validateParameters(parameters, path.child("parameters"));
}

export function* validateSameController(
  { spec }: IngressClass,
  { spec: old }: IngressClass,
): Generator<FieldError> {
  yield* validateImmutable(spec.controller ?? "", old.controller ?? "", path.child("controller"));
}

/** Validates a reference to an object of any kind in the same namespace. */
export function* validateObjectReference(
  reference: Pick<TypedLocalObjectReference, "apiGroup" | "kind" | "name">,
  place: FieldPath,
): Generator<FieldError> {
  const { apiGroup } = reference;
  if (apiGroup !== undefined) yield* validateSubdomain(apiGroup, place.child("apiGroup"));
  for (const name of ["kind", "name"] as const) {
    const value = reference[name];
    if (value === "") yield requiredValue(place.child(name));
    else yield* report(place.child(name), value, pathSegmentProblems(value));
  }
}

function* validateParameters(
  parameters: IngressClassParametersReference,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateObjectReference(parameters, place);
  const { scope, namespace } = parameters;
  const namespacePath = place.child("namespace");
  if (scope === "Namespace") {
    if (namespace === undefined)
      yield requiredValue(namespacePath, "`parameters.scope` is set to 'Namespace'");
    else yield* validateDnsLabel(namespace, namespacePath);
  } else if (scope === "Cluster") {
    if (namespace !== undefined) yield forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'");
  } else yield notSupported(place.child("scope"), scope, ["Cluster", "Namespace"]);
}
