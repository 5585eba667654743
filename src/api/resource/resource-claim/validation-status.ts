import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { validateConditions } from "../../../meta/validation/conditions.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateInterfaceAddress } from "../../../meta/validation/ip.ts";
import { validateDnsLabel, validateOneOf } from "../../../meta/validation/report.ts";
import { validateNodeSelector } from "../../core/pod/validation/affinity.ts";
import { validateDriverName } from "../../core/volume/validation/volume.ts";
import { validateSet, validateSlice } from "../lists.ts";
import { validatePoolName, validateUuid } from "../names.ts";
import { allocatedShares, shareKey, shareOf } from "./shares.ts";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from "./schema.ts";
import { validateBindingConditions } from "../resource-slice/validation-binding-conditions.ts";
import { maxConfigurations, validateConfiguration, validateRaw } from "../validation-configuration.ts";
import { requestNames, validateRequestName, validateRequestNames } from "./validation-request.ts";

const limits = {
  consumers: 256,
  results: 32,
  conditions: 8,
  addresses: 16,
  interfaceBytes: 256,
  hardwareBytes: 128,
} as const;

const path = root.child("status");

export function* validateClaimStatusUpdate(claim: ResourceClaim, old: ResourceClaim): Generator<FieldError> {
  const { status } = claim;
  const allocated = allocatedShares(status);
  const reservedFor = path.child("reservedFor");
  yield* validateSet(status.reservedFor, limits.consumers, reservedFor, validateConsumer, ({ uid }) => uid);
  const checkDevice = (device: AllocatedDeviceStatus, place: FieldPath) =>
    validateDevice(device, allocated, place);
  yield* validateSet(status.devices, Infinity, path.child("devices"), checkDevice, shareOf);
  yield* validateReservation(claim, old);
  const { allocation } = status;
  const place = path.child("allocation");
  if (allocation === undefined) return;
  if (old.status.allocation !== undefined) yield* validateImmutable(allocation, old.status.allocation, place);
  else yield* validateAllocation(allocation, requestNames(claim.spec.devices), place);
}

function* validateConsumer(
  consumer: ResourceClaimConsumerReference,
  place: FieldPath,
): Generator<FieldError> {
  for (const name of ["resource", "name", "uid"] as const) {
    if (consumer[name] === "") yield requiredValue(place.child(name));
  }
}

/** Forbids new consumers of a terminating claim. Consumers may be removed. */
function* validateReservation(
  { metadata, status }: ResourceClaim,
  old: ResourceClaim,
): Generator<FieldError> {
  const { allocation, reservedFor = [] } = status;
  const place = path.child("reservedFor");
  if (reservedFor.length === 0) return;
  if (allocation === undefined) {
    yield forbidden(place, "may not be specified when `allocated` is not set");
  } else if (metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.status.reservedFor?.map((one) => JSON.stringify(one)));
    if (reservedFor.every((one) => before.has(JSON.stringify(one)))) return;
    const what = "`deallocationRequested` or `deletionTimestamp`";
    yield forbidden(place, `new entries may not be added while ${what} are set`);
  }
}

function* validateAllocation(
  { devices, nodeSelector }: AllocationResult,
  names: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  const results = place.child("devices", "results");
  const config = place.child("devices", "config");
  yield* validateSlice(devices.results, limits.results, results, (one, at) => validateResult(one, names, at));
  yield* validateSlice(devices.config, 2 * maxConfigurations, config, (one, at) =>
    validateAllocatedConfiguration(one, names, at),
  );
  if (nodeSelector !== undefined) yield* validateNodeSelector(nodeSelector, place.child("nodeSelector"));
}

function* validateResult(
  result: DeviceRequestAllocationResult,
  names: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateRequestName(result.request, names, place.child("request"));
  yield* validatePlaceOfDevice(result, place);
  yield* validateBindingConditions(result, place);
  if (result.shareID !== undefined) yield* validateUuid(result.shareID, place.child("shareID"));
}

function* validatePlaceOfDevice(
  { driver, pool, device }: DeviceRequestAllocationResult | AllocatedDeviceStatus,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateDriverName(driver, place.child("driver"));
  yield* validatePoolName(pool, place.child("pool"));
  yield* validateDnsLabel(device, place.child("device"));
}

function* validateAllocatedConfiguration(
  config: DeviceAllocationConfiguration,
  names: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  yield* validateOneOf(config.source, ["FromClaim", "FromClass"], place.child("source"));
  yield* validateRequestNames(config.requests, names, place.child("requests"));
  yield* validateConfiguration(config, place);
}

function* validateDevice(
  device: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  place: FieldPath,
): Generator<FieldError> {
  const { shareID, conditions, data, networkData } = device;
  yield* validatePlaceOfDevice(device, place);
  if (shareID !== undefined) yield* validateUuid(shareID, place.child("shareID"));
  if (!allocated.has(shareKey(device))) {
    yield invalid(place, shareOf(device), "must be an allocated device in the claim");
  }
  if (conditions.length > limits.conditions) {
    yield tooMany(place.child("conditions"), conditions.length, limits.conditions);
  }
  yield* validateConditions(conditions, place.child("conditions"));
  if (data !== undefined) yield* validateRaw(data, place.child("data"));
  if (networkData !== undefined) yield* validateNetworkData(networkData, place.child("networkData"));
}

function* validateNetworkData(
  { interfaceName = "", hardwareAddress = "", ips }: NetworkDeviceData,
  place: FieldPath,
): Generator<FieldError> {
  if (Buffer.byteLength(interfaceName) > limits.interfaceBytes) {
    yield tooLong(place.child("interfaceName"), limits.interfaceBytes);
  }
  if (Buffer.byteLength(hardwareAddress) > limits.hardwareBytes) {
    yield tooLong(place.child("hardwareAddress"), limits.hardwareBytes);
  }
  yield* validateSet(ips, limits.addresses, place.child("ips"), validateInterfaceAddress, (ip) => ip);
}
