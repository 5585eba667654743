/* oxlint-disable no-restricted-imports -- The scheduler takes the CEL engine as a parameter; its tests need a real one. */
import { type Node, nodes } from "../api/core/node/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import { decode } from "../meta/decode.ts";
import type { Kind, KubeObject, ObjectOf } from "../meta/kind.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process.ts";
import { Indexer, keyOf } from "../client/indexer.ts";
import { cacheOf } from "../operator/cache.ts";
import type { Handle } from "./framework.ts";
import { compileSelector } from "../expressions/device-selectors.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { NodeInfo } from "./node-info.ts";
import { defaultProfile } from "./plugins.ts";

const GiB = 1024 ** 3;
const room = { cpu: "4", memory: String(8 * GiB), pods: "10" };

export function build<K extends Kind>({ apiVersion, kind, schema }: K, input: object): ObjectOf<K> {
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

/** The handle of a plugin in tests. */
interface TestHandle extends Handle {
  /** Has the cache show an object, or no longer, and tells the plugin. */
  readonly change: (object: KubeObject, type?: "set" | "delete") => void;
}

/** The handle of a plugin where these objects are all that exists. Every request fails: there is no API server. */
export function handleOf(...objects: readonly KubeObject[]): TestHandle {
  const caches = new Map<string, Indexer<KubeObject>>();
  const observers: { readonly kind: Kind; readonly see: (object: KubeObject) => void }[] = [];
  const change = (object: KubeObject, type: "set" | "delete" = "set") => {
    const key = `${object.apiVersion}/${object.kind}`;
    const cache = caches.get(key) ?? new Indexer();
    caches.set(key, cache);
    if (type === "set") cache.set(object);
    else cache.delete(keyOf(object));
    for (const { kind, see } of observers) if (kind.kind === object.kind) see(object);
  };
  for (const one of objects) change(one);
  const find = <K extends Kind>({ apiVersion, kind }: K) => {
    const cache: unknown = caches.get(`${apiVersion}/${kind}`) ?? new Indexer();
    // Safe: a cache is filed under the kind that its objects have.
    return { cache: cache as Indexer<ObjectOf<K>> };
  };
  const noServer = () => Promise.reject(new Error("There is no API server"));
  const transport = new InProcessTransport(noServer, { name: "scheduler", groups: [] });
  return {
    client: new Client(transport),
    cache: cacheOf(find),
    clock: new VirtualClock(),
    random: seededRandom(1),
    events: () => ({ event() {} }),
    compileSelector,
    // Safe: an observer of a kind gets objects of this kind alone.
    observe: (kind, see) => void observers.push({ kind, see: see as (object: KubeObject) => void }),
    touch() {},
    change,
  };
}

/** The plugins of the default profile, where no objects but Pods and nodes exist. */
export const defaultPlugins = defaultProfile(handleOf());
