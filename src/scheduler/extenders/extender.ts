import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { fieldsOf, isList } from "../../util/is-object.ts";
import type { Extender as ExtenderConfiguration } from "../configuration/schema.ts";
import type { Candidate } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { podRequest } from "../resources.ts";

/** Posts JSON, and resolves to the text of an answer with code 200. Rejects otherwise, and after the time. */
export type Post = (url: string, body: string, timeoutMs: number) => Promise<string>;

/** The nodes that an extender left, and its reasons against the others, by name. */
export interface Filtered {
  readonly nodes: readonly NodeInfo[];
  readonly failed: ReadonlyMap<string, string>;
  /** Reasons that no removal of Pods changes. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** The victims that an extender chooses on a node. */
export interface Victims {
  readonly uids: readonly string[];
  /** The number of victims whose removal violates a disruption budget. */
  readonly violations: number;
}

const defaultTimeoutMs = 5_000;
/** An extender's scores end at 10, those of plugins at 100. */
const scale = 10;

/** A scheduler extender: a server that is asked about the Pods that concern it (scheduler `extender.go`). */
export class Extender {
  readonly #configuration: ExtenderConfiguration;
  readonly #post: Post;
  readonly #managed: ReadonlySet<string>;
  readonly #timeoutMs: number;

  constructor(configuration: ExtenderConfiguration, post: Post) {
    const { managedResources = [], httpTimeout = "" } = configuration;
    this.#configuration = configuration;
    this.#post = post;
    this.#managed = new Set(managedResources.map(({ name = "" }) => name));
    this.#timeoutMs = Number((parseGoDuration(httpTimeout) ?? 0n) / 1_000_000n) || defaultTimeoutMs;
  }

  get url(): string {
    return this.#configuration.urlPrefix ?? "";
  }

  /** True when Pods are scheduled although the extender fails. */
  get isIgnorable(): boolean {
    return this.#configuration.ignorable ?? false;
  }

  get isBinder(): boolean {
    return (this.#configuration.bindVerb ?? "") !== "";
  }

  /** True when the extender is asked about victims. */
  get isPreempting(): boolean {
    return (this.#configuration.preemptVerb ?? "") !== "";
  }

  /** Without managed resources, every Pod concerns the extender; else those that ask for one of them. */
  isInterested(pod: Pod): boolean {
    if (this.#managed.size === 0) return true;
    const request = podRequest(pod);
    return [...this.#managed].some((name) => request.get(name) > 0);
  }

  /** @throws Error when the extender fails, or names a node that it was not asked about */
  async filter(pod: Pod, nodes: readonly NodeInfo[]): Promise<Filtered> {
    const { filterVerb = "" } = this.#configuration;
    if (filterVerb === "") return { nodes, failed: new Map(), unresolvable: new Map() };
    const answer = fieldsOf(await this.#send(filterVerb, { Pod: pod, ...this.#nodesOf(nodes) }));
    const error = answer["Error"];
    if (typeof error === "string" && error !== "") throw new Error(error);
    const known = new Map(nodes.map((node) => [node.name, node]));
    const left = this.#namesIn(answer).map((name) => {
      const node = known.get(name);
      if (node !== undefined) return node;
      throw new Error(
        `extender ${JSON.stringify(this.url)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
      );
    });
    return {
      nodes: left,
      failed: reasonsIn(answer["FailedNodes"]),
      unresolvable: reasonsIn(answer["FailedAndUnresolvableNodes"]),
    };
  }

  /** The scores of nodes, 0 to 100 times the weight, by name. @throws Error when the extender fails */
  async prioritize(pod: Pod, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>> {
    const { prioritizeVerb = "", weight = 0 } = this.#configuration;
    if (prioritizeVerb === "") return new Map();
    const answer = await this.#send(prioritizeVerb, { Pod: pod, ...this.#nodesOf(nodes) });
    const entries: readonly unknown[] = Array.isArray(answer) ? answer : [];
    return new Map(
      entries.map((entry) => {
        const { Host, Score } = fieldsOf(entry);
        return [String(Host), Number(Score) * weight * scale];
      }),
    );
  }

  /** @throws Error when the extender does not bind the Pod */
  async bind({ metadata }: Pod, node: string): Promise<void> {
    const { bindVerb = "" } = this.#configuration;
    const { name, namespace, uid } = metadata;
    const request = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
    const error = fieldsOf(await this.#send(bindVerb, request))["Error"];
    if (typeof error === "string" && error !== "") throw new Error(error);
  }

  /** The candidates that the extender leaves, by node. @throws Error when the extender fails */
  async preempt(pod: Pod, candidates: readonly Candidate[]): Promise<ReadonlyMap<string, Victims>> {
    const { preemptVerb = "", nodeCacheCapable } = this.#configuration;
    const named = (podsOf: (victims: readonly Pod[]) => readonly object[]) =>
      Object.fromEntries(
        candidates.map(({ node, victims, violations }) => [
          node,
          { Pods: podsOf(victims), NumPDBViolations: violations },
        ]),
      );
    const isCapable = nodeCacheCapable === true;
    const answer = await this.#send(preemptVerb, {
      Pod: pod,
      NodeNameToVictims: isCapable ? null : named((victims) => victims),
      NodeNameToMetaVictims: isCapable
        ? named((victims) => victims.map(({ metadata }) => ({ UID: metadata.uid })))
        : null,
    });
    // In either form, the answer names Pods by their UIDs.
    return new Map(
      Object.entries(fieldsOf(fieldsOf(answer)["NodeNameToMetaVictims"])).map(([node, victims]) => [
        node,
        victimsIn(victims),
      ]),
    );
  }

  /** Names are enough for an extender that has a cache of nodes. */
  #nodesOf(nodes: readonly NodeInfo[]): object {
    if (this.#configuration.nodeCacheCapable === true)
      return { Nodes: null, NodeNames: nodes.map(({ name }) => name) };
    const items: readonly Node[] = nodes.map(({ node }) => node);
    return { Nodes: { metadata: {}, items }, NodeNames: null };
  }

  #namesIn({ NodeNames, Nodes }: Readonly<Record<string, unknown>>): readonly string[] {
    if (this.#configuration.nodeCacheCapable === true && Array.isArray(NodeNames))
      return NodeNames.map(String);
    const { items } = fieldsOf(Nodes);
    if (!Array.isArray(items)) return [];
    return items.map((item: unknown) => String(fieldsOf(fieldsOf(item)["metadata"])["name"]));
  }

  async #send(verb: string, body: object): Promise<unknown> {
    const url = `${this.url.replace(/\/+$/, "")}/${verb}`;
    return JSON.parse(await this.#post(url, JSON.stringify(body), this.#timeoutMs));
  }
}

function victimsIn(value: unknown): Victims {
  const { Pods, NumPDBViolations } = fieldsOf(value);
  const uids = isList(Pods) ? Pods.map((one) => String(fieldsOf(one)["UID"])) : [];
  return { uids, violations: typeof NumPDBViolations === "number" ? NumPDBViolations : 0 };
}

function reasonsIn(value: unknown): ReadonlyMap<string, string> {
  return new Map(Object.entries(fieldsOf(value)).map(([node, reason]) => [node, String(reason)]));
}
