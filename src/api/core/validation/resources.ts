import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { report, validateDnsLabel } from "../../../meta/validation/report.ts";
import { isHugePage, isPodLevelResource, type ResourceList } from "../pod/resources.ts";
import type { ResourceClaim, ResourceRequirements } from "../v1/resources.ts";

/** Rules about resource names, as in upstream's `core/helper`. */

const containerResources: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

const countedResources: readonly string[] = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  ...containerResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...countedResources,
  "storage",
  "requests.storage",
]);

const isQuotaHugePage = (name: string) => isHugePage(name) || name.startsWith("requests.hugepages-");
const isPlain = (name: string) => !name.includes("/");
const isNative = (name: string) => isPlain(name) || name.includes("kubernetes.io/");

/** Reports whether limits may exceed requests. */
const allowsOvercommit = (name: string) => isNative(name) && !isHugePage(name);

/** Reports whether the name is an extended resource, which vendors name. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return labelKeyProblems(`requests.${name}`).length === 0;
}

export const isStandardQuotaResource = (name: string): boolean =>
  isQuotaHugePage(name) || (name !== "storage" && standardResources.has(name));

type NameRule = (name: string, path: FieldPath) => Generator<FieldError>;

export function* validateResourceName(name: string, path: FieldPath): Generator<FieldError> {
  const problems = labelKeyProblems(name);
  yield* report(path, name, problems);
  if (problems.length === 0 && isPlain(name) && !standardResources.has(name) && !isQuotaHugePage(name)) {
    yield invalid(path, name, "must be a standard resource type or fully qualified");
  }
}

export function* validateContainerResourceName(name: string, path: FieldPath): Generator<FieldError> {
  yield* validateResourceName(name, path);
  if (isPlain(name)) {
    if (!containerResources.includes(name) && !isHugePage(name)) {
      yield invalid(path, name, "must be a standard resource for containers");
    }
  } else if (!isNative(name) && !isExtended(name)) {
    yield invalid(path, name, "doesn't follow extended resource name standard");
  }
}

function* validatePodResourceName(name: string, path: FieldPath): Generator<FieldError> {
  const problems = [...validateResourceName(name, path)];
  yield* problems;
  if (problems.length === 0 && !isPodLevelResource(name)) {
    yield notSupported(path, name, ["cpu", "hugepages-", "memory"]);
  }
}

/** Forbids negative amounts, and fractions of countable resources. */
export function* validateResourceAmount(name: string, text: string, path: FieldPath): Generator<FieldError> {
  const amount = parseQuantity(text);
  if (amount.nanos < 0n) yield invalid(path, text, "must be greater than or equal to 0");
  const counted = countedResources.includes(name) || isExtended(name);
  if (counted && amount.nanos % 1_000_000_000n !== 0n) yield invalid(path, text, "must be an integer");
}

export function* validatePositiveAmount(text: string, path: FieldPath): Generator<FieldError> {
  if (parseQuantity(text).nanos <= 0n) yield invalid(path, text, "must be greater than zero");
}

export function* validateContainerResources(
  resources: ResourceRequirements,
  claims: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateRequirements(resources, claims, validateContainerResourceName, path);
}

/** Validates Pod-level resources, which exclude claims and permit fewer names. */
export function* validatePodResources(
  resources: ResourceRequirements,
  path: FieldPath,
): Generator<FieldError> {
  if (resources.claims !== undefined) {
    yield forbidden(path.child("claims"), "claims may not be set for Resources at pod-level");
  }
  yield* validateRequirements(resources, new Set(), validatePodResourceName, path);
}

function* validateRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  podClaims: ReadonlySet<string>,
  validateName: NameRule,
  path: FieldPath,
): Generator<FieldError> {
  for (const [name, amount] of Object.entries(limits)) {
    const place = path.child("limits").key(name);
    yield* validateName(name, place);
    yield* validateResourceAmount(name, amount, place);
    yield* validateHugePages(name, amount, place);
  }
  for (const [name, amount] of Object.entries(requests)) {
    const place = path.child("requests").key(name);
    yield* validateName(name, place);
    yield* validateResourceAmount(name, amount, place);
    yield* validateRequestAgainstLimit(name, amount, limits[name], path);
    yield* validateHugePages(name, amount, place);
  }
  const names = Object.keys({ ...limits, ...requests });
  if (names.some(isHugePage) && !names.includes("cpu") && !names.includes("memory")) {
    yield forbidden(path, "HugePages require cpu or memory");
  }
  yield* validateClaims(claims, podClaims, path.child("claims"));
}

function* validateRequestAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (limit === undefined) {
    if (!allowsOvercommit(name)) {
      yield requiredValue(path.child("limits"), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const order = compareQuantities(parseQuantity(request), parseQuantity(limit));
  const place = path.child("requests");
  if (order !== 0 && !allowsOvercommit(name)) {
    yield invalid(place, request, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0)
    yield invalid(place, request, `must be less than or equal to ${name} limit of ${limit}`);
}

/** Requires a multiple of the page size, which is a part of the resource's name. */
function* validateHugePages(name: string, amount: string, path: FieldPath): Generator<FieldError> {
  if (!isHugePage(name)) return;
  const size = hugePageSize(name);
  if (size === undefined || size <= 0n || parseQuantity(amount).nanos % size !== 0n) {
    yield invalid(path, amount, `${amount} is not positive integer multiple of ${name}`);
  }
}

function hugePageSize(name: string): bigint | undefined {
  try {
    return parseQuantity(name.slice("hugepages-".length)).nanos;
  } catch {
    return undefined;
  }
}

function* validateClaims(
  claims: readonly ResourceClaim[],
  podClaims: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  const seen = new Set<string>();
  /** The claims with at least one named request. */
  const partly = new Set<string>();
  for (const [i, { name, request }] of claims.entries()) {
    const place = path.index(i);
    if (name === "") {
      yield requiredValue(place);
      continue;
    }
    if (request !== undefined) yield* validateDnsLabel(request, place.child("request"));
    const key = request === undefined ? name : `${name}/${request}`;
    const clash = seen.has(name) || seen.has(key);
    const covered = request === undefined && partly.has(name);
    if (clash) yield duplicate(place, seen.has(name) ? name : key);
    else if (covered) yield duplicate(place, name);
    seen.add(key);
    if (request !== undefined) partly.add(name);
    if (!podClaims.has(name)) yield unknownClaim(place, name, podClaims);
  }
}

function unknownClaim(path: FieldPath, name: string, podClaims: ReadonlySet<string>): FieldError {
  const error = notFound(path, name);
  const list = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].sort().join(", ")}`;
  return {
    ...error,
    message: `${error.message}: must be one of the names in pod.spec.resourceClaims${list}`,
  };
}

/** Validates a list of amounts, such as a quota's. */
export function* validateQuotaList(list: ResourceList | undefined, path: FieldPath): Generator<FieldError> {
  for (const [name, amount] of Object.entries(list ?? {})) {
    const place = path.key(name);
    yield* validateResourceName(name, place);
    if (isPlain(name) && !isStandardQuotaResource(name)) {
      yield invalid(place, name, "must be a standard resource for quota");
    }
    yield* validateResourceAmount(name, amount, place);
  }
}
