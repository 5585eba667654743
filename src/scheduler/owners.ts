import type { Service } from "../api/core/service/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { type Labels, Selector, selectorOf, selectorOfLabels } from "../meta/labels.ts";
import type { LabelSelector } from "../meta/v1.ts";
import { deepEqual } from "../util/deep-equal.ts";
import { LruMap } from "../util/lru.ts";

/** The kinds of controllers whose selectors spread Pods by default. */
export type OwnerKind = "ReplicaSet" | "ReplicationController" | "StatefulSet";

interface Selected {
  readonly labels: Labels;
  readonly selector: Selector;
}

/** The Services and controllers whose Pods are spread by default (component-helpers `DefaultSelector`). */
export class Owners {
  /** By namespace, then by name. */
  readonly #services = new Map<string, Map<string, Selected>>();
  /** By `kind/namespace/name`. */
  readonly #controllers = new Map<string, Selector>();
  /** The results of `selectorFor` since the last change. */
  readonly #found = new LruMap<string, Selector | "none">(1_000);

  setService({ metadata, spec }: Service): void {
    const { namespace = "", name = "" } = metadata;
    const { selector: labels } = spec;
    if (labels === undefined) {
      this.removeService(namespace, name);
      return;
    }
    const all = this.#services.get(namespace) ?? new Map<string, Selected>();
    if (deepEqual(all.get(name)?.labels, labels)) return;
    this.#services.set(namespace, all.set(name, { labels, selector: selectorOfLabels(labels) }));
    this.#found.clear();
  }

  removeService(namespace: string, name: string): void {
    const all = this.#services.get(namespace);
    if (all?.delete(name) !== true) return;
    if (all.size === 0) this.#services.delete(namespace);
    this.#found.clear();
  }

  setController(kind: OwnerKind, namespace: string, name: string, selector: LabelSelector | undefined): void {
    const key = `${kind}/${namespace}/${name}`;
    const parsed = selectorOf(selector);
    if (this.#controllers.get(key)?.toString() === parsed.toString()) return;
    this.#controllers.set(key, parsed);
    this.#found.clear();
  }

  removeController(kind: OwnerKind, namespace: string, name: string): void {
    if (this.#controllers.delete(`${kind}/${namespace}/${name}`)) this.#found.clear();
  }

  /** The selector of the Pods that belong together with this one; undefined when nothing selects it. */
  selectorFor(pod: Pod): Selector | undefined {
    const { namespace, labels } = pod.metadata;
    const owner = controllerOf(pod);
    const key = JSON.stringify([namespace, owner?.kind, owner?.name, labels]);
    let found = this.#found.get(key);
    if (found === undefined) this.#found.set(key, (found = this.#search(pod) ?? "none"));
    return found === "none" ? undefined : found;
  }

  #search(pod: Pod): Selector | undefined {
    const { namespace = "", labels } = pod.metadata;
    const requirements = [...(this.#services.get(namespace)?.values() ?? [])]
      .map(({ selector }) => selector)
      .filter((selector) => !selector.empty && selector.matches(labels))
      .flatMap((selector) => selector.requirements);
    const owner = controllerOf(pod);
    const controller = this.#controllers.get(`${owner?.kind}/${namespace}/${owner?.name}`);
    requirements.push(...(controller?.requirements ?? []));
    return requirements.length === 0 ? undefined : new Selector(requirements);
  }
}

/** The reference to the controller that owns the Pod. */
function controllerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
