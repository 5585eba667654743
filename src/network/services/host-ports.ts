import { isIPv4 } from "node:net";
import type { Pod } from "../../api/core/pod/schema.ts";
import { by } from "../../util/compare.ts";
import type { ServicePort } from "./plan.ts";

/** The host ports of a node's Pods. */
export interface HostPorts {
  readonly ports: readonly ServicePort[];
  /** The Pods with a port that an older Pod has. */
  readonly conflicts: readonly HostPortConflict[];
}

export interface HostPortConflict {
  readonly pod: Pod;
  /** The port that is not served, and the one that is. */
  readonly port: ServicePort;
  readonly served: ServicePort;
}

/**
 * Plans the host ports of a node's Pods. Like a node port with the external traffic policy Local, a host port
 * keeps the client's address. Finished Pods, Pods without an address and those on the host's network have
 * none; of two Pods with one port, the older has it.
 */
export function planHostPorts(pods: readonly Pod[]): HostPorts {
  const planned = new Map<string, ServicePort>();
  const conflicts: HostPortConflict[] = [];
  for (const pod of pods.toSorted(by(startOf))) {
    for (const port of hostPortsOf(pod)) {
      const key = `${port.protocol}/${port.external?.addresses[0]?.address}/${port.port}`;
      const served = planned.get(key);
      if (served === undefined) planned.set(key, port);
      else conflicts.push({ pod, port, served });
    }
  }
  return { ports: [...planned.values()].sort(by(({ name }) => name)), conflicts };
}

const startOf = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;

function hostPortsOf({ metadata, spec, status }: Pod): readonly ServicePort[] {
  const address = status.podIP ?? "";
  const isFinished = status.phase === "Succeeded" || status.phase === "Failed";
  if (spec.hostNetwork === true || isFinished || !isIPv4(address)) return [];
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...spec.containers].flatMap(({ ports = [] }) =>
    ports.flatMap(({ containerPort, hostPort = 0, hostIP = "", protocol = "TCP" }): ServicePort[] => {
      const isAny = hostIP === "" || hostIP === "0.0.0.0";
      if (hostPort === 0 || (!isAny && !isIPv4(hostIP))) return [];
      const endpoints = [{ address, port: containerPort }];
      const addresses = isAny ? [] : [{ address: hostIP }];
      const nodePort = isAny ? { nodePort: hostPort } : {};
      return [
        {
          name: `${metadata.namespace}/${metadata.name}:${hostPort}`,
          address: undefined,
          port: hostPort,
          protocol,
          endpoints: [],
          affinityMs: 0,
          external: { ...nodePort, addresses, endpoints, localEndpoints: endpoints },
        },
      ];
    }),
  );
}
