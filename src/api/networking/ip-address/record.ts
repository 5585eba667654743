import type { Service } from "../../core/service/schema.ts";
import type { IPAddress } from "./schema.ts";

const managedBy = "ipaddress.kubernetes.io/managed-by";
const allocator = "ipallocator.k8s.io";

/** The IPAddress that records a Service's address (registry `ipallocator/ipallocator.go`). */
export function addressRecord(name: string, { metadata }: Pick<Service, "metadata">) {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
    [managedBy]: allocator,
  };
  const { namespace = "", name: service = "" } = metadata;
  const parentRef = { resource: "services", namespace, name: service };
  return { metadata: { name, labels }, spec: { parentRef } };
}

/** Reports whether the allocator of Services' addresses made the object. */
export function isAddressRecord({ metadata }: IPAddress): boolean {
  return metadata.labels?.[managedBy] === allocator;
}
