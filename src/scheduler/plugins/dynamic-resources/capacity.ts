import type { CapacityRequestPolicy, Device, DeviceCapacity } from "../../../api/resource/v1/device.ts";
import { formatQuantity, parseQuantity, type Quantity } from "../../../meta/quantity.ts";

/** Amounts in billionths, by the name of the capacity. */
export type Amounts = ReadonlyMap<string, bigint>;

/** The amounts that are requested, by the name of the capacity. */
export type CapacityRequests = Readonly<Record<string, string>>;

const nano = 1_000_000_000n;

export const nanosOf = (text: string): bigint => parseQuantity(text).nanos;

/** The amount in whole units, rounded up. */
const unitsOf = ({ nanos }: Quantity): bigint => nanos / nano + (nanos > 0n && nanos % nano > 0n ? 1n : 0n);

/**
 * Reports whether the device has the requested amounts left (`CmpRequestOverCapacity`). Every capacity of a device
 * counts: one that is not requested is consumed by its default, or whole.
 */
export function hasCapacity(
  { capacity = {} }: Device,
  requests: CapacityRequests,
  ...consumed: readonly (Amounts | undefined)[]
): boolean {
  if (Object.keys(requests).some((name) => !Object.hasOwn(capacity, name))) return false;
  return Object.entries(capacity).every(([name, one]) => {
    const wanted = parseQuantity(consumptionOf(one, amountOf(requests, name)));
    if (one.requestPolicy !== undefined && violates(wanted, one.requestPolicy)) return false;
    const others = consumed.reduce((sum, amounts) => sum + (amounts?.get(name) ?? 0n), 0n);
    return others + wanted.nanos <= nanosOf(one.value);
  });
}

/** The amounts that an allocation consumes (`GetConsumedCapacityFromRequest`). */
export function consumedCapacity(
  { capacity = {} }: Device,
  requests: CapacityRequests,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(capacity).map(([name, one]) => [name, consumptionOf(one, amountOf(requests, name))]),
  );
}

function amountOf(requests: CapacityRequests, name: string): string | undefined {
  return Object.hasOwn(requests, name) ? requests[name] : undefined;
}

function consumptionOf(
  { value, requestPolicy: policy }: DeviceCapacity,
  requested: string | undefined,
): string {
  if (requested === undefined) return policy?.default ?? value;
  if (policy?.validRange?.min !== undefined) return roundUp(requested, policy.validRange);
  const wanted = nanosOf(requested);
  return policy?.validValues?.find((one) => wanted <= nanosOf(one)) ?? requested;
}

/** Rounds to the next step, counted from the minimum. */
function roundUp(
  requested: string,
  { min = "0", step }: NonNullable<CapacityRequestPolicy["validRange"]>,
): string {
  const [wanted, least] = [parseQuantity(requested), parseQuantity(min)];
  if (wanted.nanos < least.nanos) return min;
  const width = step === undefined ? 0n : unitsOf(parseQuantity(step));
  if (width <= 0n) return requested;
  const [above, from] = [unitsOf(wanted) - unitsOf(least), unitsOf(least)];
  const steps = above / width + (above % width > 0n ? 1n : 0n);
  return formatQuantity({ nanos: (from + width * steps) * nano, format: "binary" });
}

function violates(
  amount: Quantity,
  { default: usual, validRange, validValues = [] }: CapacityRequestPolicy,
): boolean {
  if (usual !== undefined && amount.nanos === nanosOf(usual)) return false;
  if (validRange !== undefined) {
    const { min = "0", max, step } = validRange;
    if (max !== undefined && amount.nanos > nanosOf(max)) return true;
    const width = step === undefined ? 0n : unitsOf(parseQuantity(step));
    return width > 0n && (unitsOf(amount) - unitsOf(parseQuantity(min))) % width !== 0n;
  }
  return validValues.length > 0 && !validValues.some((one) => amount.nanos === nanosOf(one));
}

export function amountsOf(record: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(Object.entries(record).map(([name, text]) => [name, nanosOf(text)]));
}
