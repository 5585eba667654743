import { type FieldError, invalid, notSupported, requiredValue, root } from "../../../meta/field-error.ts";
import { label1035Problems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { portProblems } from "../../../meta/validation/number.ts";
import { report } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import type { APIService } from "./schema.ts";

const path = root.child("spec");

export function* validateAPIService({ metadata, spec }: APIService): Generator<FieldError> {
  const { group = "", version = "", service } = spec;
  const name = `${version}.${group}`;
  if (metadata.name !== name && pathSegmentProblems(metadata.name ?? "").length === 0) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
    yield invalid(root.child("metadata", "name"), metadata.name, detail);
  }
  if (group !== "") yield* report(path.child("group"), group, subdomainProblems(group));
  else if (version !== "v1") {
    yield requiredValue(path.child("group"), "only v1 may have an empty group and it better be legacy kube");
  }
  yield* report(path.child("version"), version, label1035Problems(version));
  yield* validatePriority("groupPriorityMinimum", spec, 20_000);
  yield* validatePriority("versionPriority", spec, 1000);
  if (service === undefined) yield* validateLocal(spec);
  else yield* validateRemote(spec, service);
}

type Spec = APIService["spec"];

function* validatePriority(
  name: "groupPriorityMinimum" | "versionPriority",
  spec: Spec,
  max: number,
): Generator<FieldError> {
  const value = spec[name];
  if (value > 0 && value <= max) return;
  yield invalid(path.child(name), value, `must be positive and less than ${max}`);
}

/** Forbids certificate settings, because the server does not verify itself. */
function* validateLocal({ caBundle, insecureSkipTLSVerify }: Spec): Generator<FieldError> {
  if (caBundle !== undefined) {
    const size = `${Buffer.byteLength(caBundle, "base64")} bytes`;
    yield invalid(path.child("caBundle"), size, "local APIServices may not have a caBundle");
  }
  if (insecureSkipTLSVerify === true) {
    const detail = "local APIServices may not have insecureSkipTLSVerify";
    yield invalid(path.child("insecureSkipTLSVerify"), true, detail);
  }
}

function* validateRemote(
  { caBundle, insecureSkipTLSVerify }: Spec,
  { namespace, name, port = 0 }: NonNullable<Spec["service"]>,
): Generator<FieldError> {
  const place = path.child("service");
  if (namespace === undefined) yield requiredValue(place.child("namespace"));
  if (name === undefined) yield requiredValue(place.child("name"));
  const problems = portProblems(port).join(", ");
  if (problems !== "") yield invalid(place.child("port"), port, `port is not valid: ${problems}`);
  if (insecureSkipTLSVerify === true && caBundle !== undefined) {
    yield invalid(path.child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present");
  }
}

const statuses = ["True", "False", "Unknown"];

export function* validateAPIServiceStatus({ status }: APIService): Generator<FieldError> {
  for (const [i, condition] of (status.conditions ?? []).entries()) {
    if (statuses.includes(condition.status)) continue;
    const place = root.child("status", "conditions").index(i).child("status");
    yield notSupported(place, condition.status, statuses);
  }
}
