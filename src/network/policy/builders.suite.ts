import { type Namespace, namespaces } from "../../api/core/namespace/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type NetworkPolicy, networkPolicies } from "../../api/networking/network-policy/schema.ts";
import { decode } from "../../meta/decode.ts";
import type { Kind, ObjectOf } from "../../meta/kind.ts";

function build<K extends Kind>({ apiVersion, kind, schema }: K, input: object): ObjectOf<K> {
  // Safe: the schema has decoded all fields but these two.
  return { apiVersion, kind, ...decode(schema, input) } as ObjectOf<K>;
}

export const nodeName = "node-1";

interface PodParts {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  readonly node?: string;
  readonly spec?: object;
  readonly phase?: string;
  readonly created?: string;
}

/** A running Pod of the node. */
export function aPod(name: string, address: string, parts: PodParts = {}): Pod {
  const { namespace = "default", labels = {}, ports = [], node = nodeName, spec, phase = "Running" } = parts;
  return build(pods, {
    metadata: { name, namespace, labels, creationTimestamp: parts.created ?? "2026-01-01T00:00:00Z" },
    spec: { nodeName: node, containers: [{ name: "main", image: "main", ports }], ...spec },
    status: { phase, podIP: address },
  });
}

export function aNamespace(name: string, labels: Readonly<Record<string, string>> = {}): Namespace {
  return build(namespaces, { metadata: { name, labels } });
}

export function aPolicy(name: string, spec: object, namespace = "default"): NetworkPolicy {
  return build(networkPolicies, { metadata: { name, namespace }, spec: { podSelector: {}, ...spec } });
}

/** A selector of Pods or namespaces with one label. */
export const labelled = (label: string) => ({ matchLabels: { [label]: "yes" } });
