import { services } from "../../api/core/service/schema.ts";
import { endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import type { Env } from "../../util/env.ts";
import type { Reader } from "../resources/reader.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The parts of the server that locate a webhook. */
export interface Reads {
  readonly env: Env;
  readonly reader: Reader;
}

/**
 * Returns an address of a Service's port: one of its ready endpoints, or else its cluster IP (apiserver
 * `util/proxy`).
 * @throws Error in upstream's words.
 */
export function serviceAddress(reads: Reads, namespace: string, name: string, port: number): Address {
  const service = reads.reader.get(services, namespace, name);
  if (service === undefined) throw new Error(`service "${name}" not found`);
  const { type, clusterIP = "", externalName = "", ports = [] } = service.spec;
  if (type === "ExternalName") return { host: externalName, port };
  const found = ports.find((one) => one.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service "${name}"`);
  const ready = readyAddresses(reads, namespace, name, found.name ?? "");
  const chosen = ready[Math.floor(reads.env.random.next() * ready.length)];
  if (chosen !== undefined) return chosen;
  if (clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  return { host: clusterIP, port };
}

function readyAddresses(reads: Reads, namespace: string, service: string, portName: string): Address[] {
  return reads.reader
    .list(endpointSlices, namespace)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service)
    .flatMap(({ endpoints, ports }) => {
      const port = ports.find(({ name = "" }) => name === portName)?.port;
      if (port === undefined) return [];
      return endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses: [host] }) => (host === undefined ? [] : [{ host, port }]));
    });
}
