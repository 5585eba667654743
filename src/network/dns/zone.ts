import { isIP, isIPv4 } from "node:net";
import type { Service } from "../../api/core/service/schema.ts";
import type { EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";

/** The names of the cluster. They are in lower case, without the trailing dot. */
export interface ClusterNames {
  readonly domain: string;
  readonly service: (namespace: string, name: string) => Service | undefined;
  readonly slices: (namespace: string, service: string) => readonly EndpointSlice[];
  /** Returns the Service with a cluster address, for reverse look-ups. */
  readonly byAddress: (address: string) => Service | undefined;
}

export type ZoneRecord =
  | { readonly type: "A"; readonly name: string; readonly data: string }
  | { readonly type: "AAAA"; readonly name: string; readonly data: string }
  | { readonly type: "CNAME"; readonly name: string; readonly data: string }
  | { readonly type: "PTR"; readonly name: string; readonly data: string }
  | {
      readonly type: "SRV";
      readonly name: string;
      readonly data: {
        readonly target: string;
        readonly port: number;
        readonly priority: number;
        readonly weight: number;
      };
    };

/**
 * `none`: the name is outside the zone and may exist elsewhere. `missing`: the name is in the zone and does
 * not exist.
 */
export type ZoneAnswer =
  | { readonly type: "none" }
  | { readonly type: "missing" }
  | {
      readonly type: "records";
      readonly records: readonly ZoneRecord[];
      readonly additional: readonly ZoneRecord[];
    };

const none: ZoneAnswer = { type: "none" };
const missing: ZoneAnswer = { type: "missing" };

/**
 * Answers by the specification of Kubernetes' DNS-based service discovery (kubernetes/dns
 * `docs/specification.md`): Services, headless Services, their endpoints' hostnames, SRV and PTR.
 */
export function lookUp(names: ClusterNames, question: string, type: string): ZoneAnswer {
  const name = question.toLowerCase();
  if (name.endsWith(".in-addr.arpa") || name.endsWith(".ip6.arpa")) return onlyOf(type, reverse(names, name));
  const suffix = `.${names.domain}`;
  if (name === names.domain) return records([]);
  if (!name.endsWith(suffix)) return none;
  const labels = name.slice(0, -suffix.length).split(".");
  const kind = labels.pop();
  if (kind === "pod") return onlyOf(type, podAddress(labels, name));
  if (kind !== "svc") return missing;
  const namespace = labels.pop();
  const serviceName = labels.pop();
  if (namespace === undefined) return records([]);
  if (serviceName === undefined) return missing;
  const service = names.service(namespace, serviceName);
  if (service === undefined) return missing;
  if (service.spec.type === "ExternalName") {
    return labels.length > 0
      ? missing
      : records([{ type: "CNAME", name, data: service.spec.externalName ?? "" }]);
  }
  if (labels.length === 2 && labels[0]?.startsWith("_") === true)
    return onlyOf(type, srv(names, service, labels, name));
  if (labels.length > 1) return missing;
  const addresses = addressesOf(names, service, labels[0]);
  if (addresses.length === 0) return missing;
  return onlyOf(type, records(addresses.map((address) => addressRecord(name, address))));
}

/**
 * Returns the records of the requested type. An existing name without such records has an empty answer
 * (NODATA).
 */
function onlyOf(type: string, answer: ZoneAnswer): ZoneAnswer {
  if (answer.type !== "records" || type === "ANY") return answer;
  const found = answer.records.filter((record) => record.type === type);
  return records(found, found.length === 0 ? [] : answer.additional);
}

function records(list: readonly ZoneRecord[], additional: readonly ZoneRecord[] = []): ZoneAnswer {
  return { type: "records", records: list, additional };
}

/** Returns the record of an address by its family: A or AAAA. */
function addressRecord(name: string, data: string): ZoneRecord {
  return { type: isIPv4(data) ? "A" : "AAAA", name, data };
}

/** The cluster IPs of all families. */
function clusterIPsOf({ spec }: Service): readonly string[] {
  return spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
}

function isHeadless({ spec }: Service): boolean {
  return spec.clusterIP === undefined || spec.clusterIP === "None";
}

/**
 * Returns the address of a Service, or those of its endpoints; `host` selects one endpoint of a headless
 * Service.
 */
function addressesOf(names: ClusterNames, service: Service, host: string | undefined): string[] {
  if (!isHeadless(service)) return host === undefined ? [...clusterIPsOf(service)] : [];
  const endpoints = endpointsOf(names, service).filter((one) => host === undefined || one.host === host);
  return [...new Set(endpoints.map(({ address }) => address))];
}

interface NamedEndpoint {
  readonly host: string;
  readonly address: string;
  readonly ports: EndpointSlice["ports"];
}

/** Returns the endpoints that accept traffic, each with its hostname or else its address with dashes. */
function endpointsOf(names: ClusterNames, { metadata, spec }: Service): NamedEndpoint[] {
  return names
    .slices(metadata.namespace ?? "", metadata.name ?? "")
    .flatMap(({ endpoints, ports, addressType }) =>
      endpoints
        .filter(({ conditions }) => conditions.ready !== false || spec.publishNotReadyAddresses === true)
        .flatMap(({ addresses: [address], hostname }) =>
          address === undefined || addressType === "FQDN"
            ? []
            : [{ host: (hostname ?? address.replaceAll(/[.:]/g, "-")).toLowerCase(), address, ports }],
        ),
    );
}

/** Answers `_port._protocol.<service>` with the location of a named port. */
function srv(
  names: ClusterNames,
  service: Service,
  [port = "", protocol = ""]: readonly string[],
  name: string,
): ZoneAnswer {
  const wanted = { name: port.slice(1), protocol: protocol.slice(1).toUpperCase() };
  const matches = (one: { readonly name?: string; readonly protocol?: string }) =>
    (one.name ?? "") === wanted.name && (one.protocol ?? "TCP") === wanted.protocol;
  const base = name.split(".").slice(2).join(".");
  const record = (target: string, number: number): ZoneRecord => ({
    type: "SRV",
    name,
    data: { target, port: number, priority: 0, weight: 100 },
  });
  if (!isHeadless(service)) {
    const found = service.spec.ports?.find(matches);
    if (found === undefined) return missing;
    return records(
      [record(base, found.port)],
      clusterIPsOf(service).map((address) => addressRecord(base, address)),
    );
  }
  const targets = endpointsOf(names, service).flatMap(({ host, address, ports }) =>
    ports.filter(matches).map(({ port: number = 0 }) => ({ target: `${host}.${base}`, address, number })),
  );
  if (targets.length === 0) return missing;
  // An endpoint of both families is one target with two addresses.
  const distinct = new Map(
    targets.map(({ target, number }) => [`${target}:${number}`, record(target, number)]),
  );
  return records(
    [...distinct.values()],
    targets.map(({ target, address }) => addressRecord(target, address)),
  );
}

/** Answers `10-244-0-7.<namespace>.pod` or `fd00--7.<namespace>.pod` with the address in the name. */
function podAddress(labels: readonly string[], name: string): ZoneAnswer {
  const [dashed = ""] = labels;
  const address = [dashed.replaceAll("-", "."), dashed.replaceAll("-", ":")].find((one) => isIP(one) !== 0);
  if (labels.length !== 2 || address === undefined) return missing;
  return records([addressRecord(name, address)]);
}

function reverse(names: ClusterNames, name: string): ZoneAnswer {
  const address = reversedAddress(name);
  const service = address === undefined ? undefined : names.byAddress(address);
  if (service === undefined) return none;
  const { name: serviceName, namespace } = service.metadata;
  return records([{ type: "PTR", name, data: `${serviceName}.${namespace}.svc.${names.domain}` }]);
}

/** Returns the address in a name for reverse look-ups, in canonical form; undefined for a part of one. */
function reversedAddress(name: string): string | undefined {
  if (name.endsWith(".in-addr.arpa")) return reversed(name, ".in-addr.arpa").join(".");
  const nibbles = reversed(name, ".ip6.arpa");
  if (nibbles.length !== 32 || !nibbles.every((nibble) => /^[0-9a-f]$/.test(nibble))) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => nibbles.slice(4 * i, 4 * i + 4).join(""));
  // A URL has the shortest form of RFC 5952, which the API server gives to addresses.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

function reversed(name: string, suffix: string): readonly string[] {
  return name.slice(0, -suffix.length).split(".").reverse();
}
