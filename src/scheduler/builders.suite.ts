import { type Node, nodes } from "../api/core/node/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import { decode } from "../meta/decode.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";
import { NodeInfo } from "./node-info.ts";

const GiB = 1024 ** 3;
const room = { cpu: "4", memory: String(8 * GiB), pods: "10" };

function build<K extends Kind>({ apiVersion, kind, schema }: K, input: object): ObjectOf<K> {
  return { apiVersion, kind, ...decode(schema, input) } as ObjectOf<K>;
}

interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
}

export function aNode(
  name: string,
  spec: object = {},
  { labels = {}, allocatable = room }: NodeParts = {},
): Node {
  const input = { metadata: { name, labels }, spec, status: { allocatable } };
  return build(nodes, input);
}

/** A Pod with one container that asks for `requests`. */
export function aPod(name: string, requests: object = {}, spec: object = {}): Pod {
  const containers = [{ name: "main", image: "web:1", resources: { requests } }];
  const input = {
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: { containers, schedulerName: "default-scheduler", ...spec },
  };
  return build(pods, input);
}

export function nodeWith(node: Node, ...present: readonly Pod[]): NodeInfo {
  const info = new NodeInfo(node);
  for (const pod of present) info.add(pod);
  return info;
}
