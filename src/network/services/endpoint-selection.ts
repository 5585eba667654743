import type { Endpoint, EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { by } from "../../util/compare.ts";

export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

/** The node whose proxy chooses, as traffic policies and topology hints refer to it. */
export interface ProxyNode {
  readonly name: string;
  /** The label `topology.kubernetes.io/zone`. */
  readonly zone?: string | undefined;
}

/** An endpoint with the port that serves a Service's port. */
interface Candidate {
  readonly target: ServiceEndpoint;
  readonly endpoint: Endpoint;
}

/** The endpoints of a Service's port, by traffic policy (upstream `pkg/proxy/topology.go`). */
export interface SelectedEndpoints {
  /** The endpoints for the policy Cluster: those that hints assign to the node, or else all. */
  readonly cluster: readonly ServiceEndpoint[];
  /** The endpoints for the policy Local. */
  readonly local: readonly ServiceEndpoint[];
}

/** Selects the ready endpoints; without any, the terminating ones that still serve (KEP-1669). */
export function selectEndpoints(
  slices: readonly EndpointSlice[],
  portName: string,
  protocol: string,
  node: ProxyNode,
): SelectedEndpoints {
  const all = candidates(slices, portName, protocol);
  const ready = all.filter(({ endpoint }) => endpoint.conditions.ready !== false);
  const isLocal = ({ endpoint }: Candidate) => endpoint.nodeName === node.name;
  return {
    cluster: targets(ready.length > 0 ? hinted(ready, node) : all.filter(servesWhileTerminating)),
    local: targets(
      ready.some(isLocal)
        ? ready.filter(isLocal)
        : all.filter((one) => isLocal(one) && servesWhileTerminating(one)),
    ),
  };
}

function candidates(
  slices: readonly EndpointSlice[],
  portName: string,
  protocol: string,
): readonly Candidate[] {
  return slices.flatMap(({ endpoints, ports, addressType }) => {
    const port = ports.find(
      (one) => (one.name ?? "") === portName && (one.protocol ?? "TCP") === protocol,
    )?.port;
    if (port === undefined || addressType !== "IPv4") return [];
    return endpoints.flatMap((endpoint) =>
      endpoint.addresses.slice(0, 1).map((address) => ({ target: { address, port }, endpoint })),
    );
  });
}

function servesWhileTerminating({ endpoint: { conditions } }: Candidate): boolean {
  return conditions.ready === false && conditions.serving === true && conditions.terminating === true;
}

/**
 * Returns the endpoints that are hinted for the node, or else for its zone. Hints count only if every ready
 * endpoint has one and one of them matches (KEP-2433, KEP-3015).
 */
function hinted(ready: readonly Candidate[], { name, zone }: ProxyNode): readonly Candidate[] {
  const forNodes = ({ endpoint }: Candidate) => endpoint.hints?.forNodes ?? [];
  const forZones = ({ endpoint }: Candidate) => endpoint.hints?.forZones ?? [];
  for (const [hintsOf, wanted] of [
    [forNodes, name],
    [forZones, zone],
  ] as const) {
    if (!ready.every((one) => hintsOf(one).length > 0)) continue;
    const matching = ready.filter((one) => hintsOf(one).some((hint) => hint.name === wanted));
    if (matching.length > 0) return matching;
  }
  return ready;
}

/** Sorted and distinct, so that equal inputs give equal plans. */
function targets(selected: readonly Candidate[]): readonly ServiceEndpoint[] {
  const distinct = new Map(selected.map(({ target }) => [`${target.address}:${target.port}`, target]));
  return [...distinct].sort(by(([key]) => key)).map(([, target]) => target);
}
