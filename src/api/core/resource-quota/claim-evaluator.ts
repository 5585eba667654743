import { parseQuantity, type Quantity } from "../../../meta/quantity.ts";
import type { Amounts } from "../pod/resources.ts";
import { classOf } from "../persistent-volume/class-of.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import { whole } from "./amounts.ts";
import { type Evaluator, holds } from "./evaluator.ts";

const classSuffix = ".storageclass.storage.k8s.io/";
const resources: readonly string[] = ["persistentvolumeclaims", "requests.storage"];

/** The rules of PersistentVolumeClaims (upstream `quota/v1/evaluator/core/persistent_volume_claims.go`). */
export const claimEvaluator: Evaluator<PersistentVolumeClaim> = {
  uses: (name) =>
    name === "count/persistentvolumeclaims" ||
    resources.includes(name) ||
    resources.some((one) => name.endsWith(`${classSuffix}${one}`)),
  usage(claim) {
    const used: Amounts = new Map([["count/persistentvolumeclaims", whole(1)]]);
    const storage = storageOf(claim);
    const prefixes = ["", ...classesOf(claim).map((name) => `${name}${classSuffix}`)];
    for (const prefix of prefixes) {
      used.set(`${prefix}persistentvolumeclaims`, whole(1));
      if (storage !== undefined) used.set(`${prefix}requests.storage`, storage);
    }
    return used;
  },
  isInScope(claim, requirement) {
    if (requirement.scopeName !== "VolumeAttributesClass") return false;
    const names = attributesClasses(claim);
    if (names.length === 0) return holds(requirement, undefined);
    return names.some((name) => holds(requirement, name));
  },
  missing: () => undefined,
  charges: ({ subresource }) => subresource === "" || subresource === "status",
  replenishes: (claim, old) =>
    claim.status.allocatedResources?.["storage"] !== old.status.allocatedResources?.["storage"] ||
    new Set(attributesClasses(claim)).symmetricDifference(new Set(attributesClasses(old))).size > 0,
};

function classesOf(claim: PersistentVolumeClaim): readonly string[] {
  const name = classOf(claim);
  return name === "" ? [] : [name];
}

/** The requested bytes, or the allocated ones if they are more. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const text = spec.resources.requests?.["storage"];
  if (text === undefined) return undefined;
  const requested = wholeBytes(text);
  const allocated = wholeBytes(status.allocatedResources?.["storage"] ?? "0");
  return allocated.nanos > requested.nanos ? allocated : requested;
}

function wholeBytes(text: string): Quantity {
  const { nanos, format } = parseQuantity(text);
  const unit = 1_000_000_000n;
  return { nanos: ((nanos + unit - 1n) / unit) * unit, format };
}

/** The present, desired and target VolumeAttributesClasses. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.flatMap((name) => (name === undefined || name === "" ? [] : [name]));
}
