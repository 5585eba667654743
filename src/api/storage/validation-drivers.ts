import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../meta/field-error.ts";
import { labelKeyProblems } from "../../meta/label-syntax.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { validateLabelSelector } from "../../meta/validation/labels.ts";
import { validateNonNegative } from "../../meta/validation/number.ts";
import { report, validateSubdomain } from "../../meta/validation/report.ts";
import { validateResourceAmount } from "../core/validation/resources.ts";
import { validateDriverName } from "../core/volume/validation/volume.ts";
import type { CSIDriver, TokenRequest } from "./v1/csi-driver.ts";
import type { CSINode, CSINodeDriver } from "./v1/csi-node.ts";
import type { CSIStorageCapacity } from "./v1/csi-storage-capacity.ts";
import { repeats } from "../../util/repeats.ts";

const path = root.child("spec");

/** Upstream's name for a field that the API calls otherwise. */
const attachPath = path.child("attachedRequired");

export function* validateCSIDriver({ spec }: CSIDriver): Generator<FieldError> {
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [] } = spec;
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  if (fsGroupPolicy !== undefined && !policies.includes(fsGroupPolicy)) {
    yield notSupported(path.child("fsGroupPolicy"), fsGroupPolicy, policies);
  }
  yield* validateTokenRequests(tokenRequests, path.child("tokenRequests"));
  const modes = ["Persistent", "Ephemeral"];
  for (const mode of volumeLifecycleModes) {
    if (!modes.includes(mode)) yield notSupported(path.child("volumeLifecycleModes"), mode, modes);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && period < 10) {
    const why = "must be greater than or equal to 10 seconds";
    yield invalid(path.child("nodeAllocatableUpdatePeriodSeconds"), period, why);
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield invalid(path.child("serviceAccountTokenInSecrets"), inSecrets, why);
  }
}

/** Tokens last between ten minutes and some 136 years. */
const [minSeconds, maxSeconds] = [600, 2 ** 32];

function* validateTokenRequests(requests: readonly TokenRequest[], place: FieldPath): Generator<FieldError> {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds = minSeconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      yield duplicate(place.index(i).child("audience"), audience);
      continue;
    }
    audiences.add(audience);
    const secondsPath = place.index(i).child("expirationSeconds");
    if (seconds < minSeconds) {
      yield invalid(secondsPath, seconds, "may not specify a duration less than 10 minutes");
    }
    if (seconds > maxSeconds) {
      yield invalid(secondsPath, seconds, "may not specify a duration larger than 2^32 seconds");
    }
  }
}

export function* validateCSIDriverUpdate(
  { spec }: CSIDriver,
  { spec: old }: CSIDriver,
): Generator<FieldError> {
  yield* validateImmutable(spec.attachRequired, old.attachRequired, attachPath);
  const modesPath = path.child("volumeLifecycleModes");
  yield* validateImmutable(spec.volumeLifecycleModes, old.volumeLifecycleModes, modesPath);
}

const driversPath = path.child("drivers");
const maxNodeIdLength = 256;

export function* validateCSINode({ spec: { drivers } }: CSINode): Generator<FieldError> {
  const names = new Set<string>();
  for (const [i, driver] of drivers.entries()) {
    const place = driversPath.index(i);
    yield* validateNodeDriver(driver, place);
    if (names.has(driver.name)) yield duplicate(place.child("name"), driver.name);
    names.add(driver.name);
    yield* validateTopologyKeys(driver.topologyKeys, place);
  }
}

function* validateNodeDriver(
  { name, nodeID, allocatable }: CSINodeDriver,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateDriverName(name, place.child("name"));
  if (nodeID === "") yield requiredValue(place.child("nodeID"));
  if (Buffer.byteLength(nodeID) > maxNodeIdLength) {
    yield invalid(place.child("nodeID"), nodeID, `must be ${maxNodeIdLength} characters or less`);
  }
  yield* validateNonNegative(allocatable?.count, place.child("allocatable", "count"));
}

/** Problems stand at the driver, not at the key. */
function* validateTopologyKeys(keys: readonly string[], place: FieldPath): Generator<FieldError> {
  const repeated = repeats(keys);
  for (const [i, key] of keys.entries()) {
    if (key === "") yield requiredValue(place);
    if (repeated.has(i)) yield duplicate(place, key);
    yield* report(place, key, labelKeyProblems(key));
  }
}

/** A driver's entry stays, but for how many volumes there can be. */
export function* validateCSINodeUpdate({ spec }: CSINode, { spec: old }: CSINode): Generator<FieldError> {
  const lasting = (driver: CSINodeDriver) => ({ ...driver, allocatable: undefined });
  const drivers = new Map(spec.drivers.toReversed().map((driver) => [driver.name, driver]));
  for (const before of old.drivers) {
    const after = drivers.get(before.name);
    if (after !== undefined) yield* validateImmutable(lasting(after), lasting(before), driversPath);
  }
}

export function* validateCSIStorageCapacity(capacity: CSIStorageCapacity): Generator<FieldError> {
  yield* validateLabelSelector(capacity.nodeTopology, root.child("nodeTopology"));
  yield* validateSubdomain(capacity.storageClassName, root.child("storageClassName"));
  if (capacity.capacity !== undefined) {
    yield* validateResourceAmount("", capacity.capacity, root.child("capacity"));
  }
}

export function* validateCSIStorageCapacityUpdate(
  next: CSIStorageCapacity,
  old: CSIStorageCapacity,
): Generator<FieldError> {
  for (const name of ["nodeTopology", "storageClassName"] as const) {
    yield* validateImmutable(next[name], old[name], root.child(name));
  }
}
