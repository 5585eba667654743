import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { report } from "../../../meta/validation/report.ts";
import { repeats } from "../../../util/repeats.ts";
import { validateDriverName } from "../../core/volume/validation/volume.ts";
import type { CSINode, CSINodeDriver } from "./schema.ts";

const path = root.child("spec");

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

/** Validates topology keys. Errors are reported at the driver, not at the key. */
function* validateTopologyKeys(keys: readonly string[], place: FieldPath): Generator<FieldError> {
  const repeated = repeats(keys);
  for (const [i, key] of keys.entries()) {
    if (key === "") yield requiredValue(place);
    if (repeated.has(i)) yield duplicate(place, key);
    yield* report(place, key, labelKeyProblems(key));
  }
}

/** Forbids changes of a driver's entry, except for the number of volumes. */
export function* validateCSINodeUpdate({ spec }: CSINode, { spec: old }: CSINode): Generator<FieldError> {
  const lasting = (driver: CSINodeDriver) => ({ ...driver, allocatable: undefined });
  const drivers = new Map(spec.drivers.toReversed().map((driver) => [driver.name, driver]));
  for (const before of old.drivers) {
    const after = drivers.get(before.name);
    if (after !== undefined) yield* validateImmutable(lasting(after), lasting(before), driversPath);
  }
}
