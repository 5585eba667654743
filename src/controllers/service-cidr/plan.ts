import ipaddr from "ipaddr.js";
import type { ServiceCIDR } from "../../api/networking/service-cidr/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { formatTime } from "../../util/clock.ts";

export const finalizer = "networking.k8s.io/service-cidr-finalizer";

/** The time for which a deletion waits, so that no allocator still hands out an address of the range. */
const graceMs = 10_000;

export interface Observed {
  readonly cidr: ServiceCIDR;
  readonly all: readonly ServiceCIDR[];
  /** The addresses of Services. */
  readonly addresses: readonly string[];
}

export interface ReadyCondition {
  readonly type: "Ready";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export type Plan =
  | { readonly type: "nothing" }
  | { readonly type: "wait"; readonly ms: number }
  /** Removes the finalizer. */
  | { readonly type: "release" }
  | {
      readonly type: "write";
      readonly addsFinalizer: boolean;
      /** Undefined when the condition is up to date. */
      readonly condition: ReadyCondition | undefined;
    };

/** Plans the writes for a range of Services' addresses (upstream `servicecidrs/servicecidrs_controller.go`). */
export function planServiceCIDR({ cidr, all, addresses }: Observed, now: number): Plan {
  const { deletionTimestamp, finalizers = [] } = cidr.metadata;
  const isHeld = finalizers.includes(finalizer);
  if (deletionTimestamp === undefined) {
    const condition = changed(cidr, "True", "", "Kubernetes Service CIDR is ready", now);
    return isHeld && condition === undefined
      ? { type: "nothing" }
      : { type: "write", addsFinalizer: !isHeld, condition };
  }
  if (!canDelete(cidr, all, addresses)) {
    const message =
      "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
    const condition = changed(cidr, "False", "Terminating", message, now);
    return condition === undefined ? { type: "nothing" } : { type: "write", addsFinalizer: false, condition };
  }
  const ms = Date.parse(deletionTimestamp) + graceMs - now;
  if (ms > 0) return { type: "wait", ms };
  return { type: isHeld ? "release" : "nothing" };
}

function changed(
  { status }: ServiceCIDR,
  value: ReadyCondition["status"],
  reason: string,
  message: string,
  now: number,
): ReadyCondition | undefined {
  const present = findCondition(status.conditions, "Ready");
  const isSame =
    present?.status === value && (present.reason ?? "") === reason && present.message === message;
  return isSame
    ? undefined
    : { type: "Ready", status: value, reason, message, lastTransitionTime: formatTime(now) };
}

/** Reports whether the deletion leaves each address in another range. */
export function canDelete(
  cidr: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: readonly string[],
): boolean {
  const own = cidr.spec.cidrs ?? [];
  const others = all
    .filter(({ metadata }) => metadata.name !== cidr.metadata.name)
    .flatMap(({ spec }) => spec.cidrs ?? []);
  if (own.every((range) => others.some((other) => containsRange(other, range)))) return true;
  const isIn = (ranges: readonly string[], address: string) =>
    ranges.some((range) => containsAddress(range, address));
  return !addresses.some((address) => isIn(own, address) && !isIn(others, address));
}

function containsRange(outer: string, inner: string): boolean {
  const [base, length] = ipaddr.parseCIDR(outer);
  const [address, innerLength] = ipaddr.parseCIDR(inner);
  return base.kind() === address.kind() && length <= innerLength && address.match(base, length);
}

/** Reports whether a range can allocate an address: not that of the network, nor the IPv4 broadcast address. */
function containsAddress(range: string, address: string): boolean {
  const [base, length] = ipaddr.parseCIDR(range);
  const parsed = ipaddr.parse(address);
  if (base.kind() !== parsed.kind() || !parsed.match(base, length)) return false;
  const text = parsed.toString();
  if (parsed.kind() === "ipv6") return text !== ipaddr.IPv6.networkAddressFromCIDR(range).toString();
  const { IPv4 } = ipaddr;
  return (
    text !== IPv4.networkAddressFromCIDR(range).toString() &&
    text !== IPv4.broadcastAddressFromCIDR(range).toString()
  );
}
