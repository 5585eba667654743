import type { Labels } from "../../meta/labels.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { PeerGroup } from "./plan.ts";
import { labelsAsText, requiredLabel } from "./selector-index.ts";

interface UsedGroup {
  readonly group: PeerGroup;
  /** The number of policies with this group. */
  users: number;
}

/**
 * The groups of peers of all policies, found by a Pod's namespace and labels. Each group is filed once: under its
 * namespace and a label that its Pods have, or under a label of its Pods or their namespaces.
 */
export class GroupIndex {
  readonly #groups = new Map<string, UsedGroup>();
  readonly #files = new Map<string, Map<string, PeerGroup>>();
  readonly #namespaces = new Map<string, Labels>();

  /** Returns the sets that a Pod of a namespace belongs to, sorted. */
  of(namespace: string, labels: Labels | undefined): readonly string[] {
    const ofNamespace = this.#namespaces.get(namespace);
    const ofPod = ["", ...labelsAsText(labels)];
    const files = [
      ...ofPod.flatMap((label) => [`own ${namespace} ${label}`, `pod ${label}`]),
      ...labelsAsText(ofNamespace).map((label) => `namespace ${label}`),
    ];
    const found: string[] = [];
    for (const file of files)
      for (const [set, group] of this.#files.get(file) ?? [])
        if (this.#includes(group, namespace) && group.pods.matches(labels)) found.push(set);
    return found.sort();
  }

  /** Adds a user of a group. Returns the namespaces whose Pods may now belong to it. */
  add(group: PeerGroup): readonly string[] {
    const known = this.#groups.get(group.set);
    if (known !== undefined) {
      known.users += 1;
      return [];
    }
    this.#groups.set(group.set, { group, users: 1 });
    const name = fileOf(group);
    let file = this.#files.get(name);
    if (file === undefined) this.#files.set(name, (file = new Map()));
    file.set(group.set, group);
    return this.#namespacesOf(group);
  }

  /** Removes a user of a group. Returns the namespaces whose Pods may have belonged to it. */
  remove({ set }: PeerGroup): readonly string[] {
    const known = this.#groups.get(set);
    if (known === undefined || --known.users > 0) return [];
    this.#groups.delete(set);
    const name = fileOf(known.group);
    const file = this.#files.get(name);
    file?.delete(set);
    if (file?.size === 0) this.#files.delete(name);
    return this.#namespacesOf(known.group);
  }

  /** Sets a namespace's labels; undefined when it is deleted. Returns false when that changes nothing. */
  setNamespace(name: string, labels: Labels | undefined): boolean {
    if (deepEqual(this.#namespaces.get(name), labels)) return false;
    if (labels === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, labels);
    return true;
  }

  #namespacesOf(group: PeerGroup): readonly string[] {
    if (typeof group.namespaces === "string") return [group.namespaces];
    return [...this.#namespaces.keys()].filter((name) => this.#includes(group, name));
  }

  /** A namespace that is not known yet has no Pods of a group with a selector of namespaces. */
  #includes({ namespaces }: PeerGroup, name: string): boolean {
    if (typeof namespaces === "string") return namespaces === name;
    const labels = this.#namespaces.get(name);
    return labels !== undefined && namespaces.matches(labels);
  }
}

function fileOf({ namespaces, pods }: PeerGroup): string {
  const label = requiredLabel(pods);
  if (typeof namespaces === "string") return `own ${namespaces} ${label}`;
  const ofNamespace = requiredLabel(namespaces);
  return label === "" && ofNamespace !== "" ? `namespace ${ofNamespace}` : `pod ${label}`;
}
