import type { Labels, Selector } from "../../meta/labels.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { PeerGroup } from "./plan.ts";
import { SelectorIndex } from "./selector-index.ts";

interface UsedGroup {
  readonly group: PeerGroup;
  /** The number of policies with this group. */
  users: number;
}

/** The groups of peers of all policies, found by a Pod's namespace and labels. */
export class GroupIndex {
  readonly #groups = new Map<string, UsedGroup>();
  /** The groups with a selector of namespaces. */
  readonly #wide = new Map<string, PeerGroup>();
  readonly #labels = new Map<string, Labels>();
  /** The groups that a namespace's Pods may belong to. */
  readonly #in = new Map<string, SelectorIndex>();

  /** Returns the sets that a Pod of a namespace belongs to. */
  of(namespace: string, labels: Labels | undefined): readonly string[] {
    return this.#in.get(namespace)?.matching(labels) ?? [];
  }

  /** Adds a user of a group. Returns the namespaces whose Pods may now belong to it. */
  add(group: PeerGroup): readonly string[] {
    const known = this.#groups.get(group.set);
    if (known !== undefined) {
      known.users += 1;
      return [];
    }
    this.#groups.set(group.set, { group, users: 1 });
    if (typeof group.namespaces !== "string") this.#wide.set(group.set, group);
    const namespaces = this.#namespacesOf(group);
    for (const one of namespaces) this.#indexOf(one).set(group.set, group.pods);
    return namespaces;
  }

  /** Removes a user of a group. Returns the namespaces whose Pods may have belonged to it. */
  remove({ set }: PeerGroup): readonly string[] {
    const known = this.#groups.get(set);
    if (known === undefined || --known.users > 0) return [];
    this.#groups.delete(set);
    this.#wide.delete(set);
    const namespaces = this.#namespacesOf(known.group);
    for (const one of namespaces) this.#forget(one, set, known.group.pods);
    return namespaces;
  }

  /** Sets a namespace's labels; undefined when it is deleted. Returns false when that changes nothing. */
  setNamespace(name: string, labels: Labels | undefined): boolean {
    const old = this.#labels.get(name);
    if (deepEqual(old, labels)) return false;
    if (labels === undefined) this.#labels.delete(name);
    else this.#labels.set(name, labels);
    let changed = false;
    for (const { set, namespaces, pods } of this.#wide.values()) {
      const [before, after] = [matches(namespaces, old), matches(namespaces, labels)];
      if (before === after) continue;
      changed = true;
      if (after) this.#indexOf(name).set(set, pods);
      else this.#forget(name, set, pods);
    }
    return changed;
  }

  /** A namespace that is not known yet has no Pods of a group with a selector. */
  #namespacesOf({ namespaces }: PeerGroup): readonly string[] {
    if (typeof namespaces === "string") return [namespaces];
    return [...this.#labels].flatMap(([name, labels]) => (namespaces.matches(labels) ? [name] : []));
  }

  #forget(namespace: string, set: string, pods: Selector): void {
    const index = this.#in.get(namespace);
    index?.delete(set, pods);
    if (index?.empty === true) this.#in.delete(namespace);
  }

  #indexOf(namespace: string): SelectorIndex {
    let index = this.#in.get(namespace);
    if (index === undefined) this.#in.set(namespace, (index = new SelectorIndex()));
    return index;
  }
}

function matches(namespaces: string | Selector, labels: Labels | undefined): boolean {
  return typeof namespaces !== "string" && labels !== undefined && namespaces.matches(labels);
}
