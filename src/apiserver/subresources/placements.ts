import { dependsOnOtherNodes } from "../../api/core/pod/placement.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { errors } from "../../meta/status.ts";

/** A binding on its way to the store. */
export interface Placing {
  /**
   * Marks the node until `end`. An earlier claim is withdrawn.
   * @throws StatusError 409 when the decision has not seen a binding that it depends on
   */
  claim(pod: Pod, node: string): void;
  /** Ends the claim. `revision`: that of the written binding; 0 when none was written. */
  end(revision: number): void;
}

/** The numbers of managers, and of nodes of one manager, that are remembered one by one. */
const maxManagers = 64;
const maxNodes = 65_536;

/**
 * The last bindings of each manager, by node: the compare-and-swap of schedulers that decide at the same time on copies
 * of their own (optimistic concurrency, as in Omega).
 *
 * A binding conflicts with one by another manager that it has not seen, if
 * 1. both name the same node, or
 * 2. one of the Pods is wide: its rules look beyond its node.
 *
 * So no node is overcommitted, and no rule is violated, as long as all bindings pass this API server. A manager knows
 * its own bindings before they are written: those never conflict with each other.
 */
export class Placements {
  readonly #managers = new Map<string, Manager>();
  /** Bindings up to this revision may be unknown. */
  #floor: number;

  /** `floor`: the revision of the store, whose bindings were made before this server ran. */
  constructor(floor: number) {
    this.#floor = floor;
  }

  /**
   * Begins a binding by a field manager; each of several schedulers has its own. `seen`: the last revision of Pods that
   * the decision has seen; undefined for a binding that is not checked.
   */
  begin(manager: string, seen: number | undefined): Placing {
    let marks: readonly Mark[] = [];
    const end = (revision: number) => {
      for (const mark of marks) mark.end(revision);
      marks = [];
    };
    const claim = (pod: Pod, node: string) => {
      end(0);
      const wide = dependsOnOtherNodes(pod);
      if (seen !== undefined && this.#lastUnknown(manager, node, wide) > seen) {
        const why = `a Pod was bound after revision ${seen}, the last one that the decision has seen`;
        throw errors.conflict({ group: "", resource: "nodes" }, node, why);
      }
      const own = this.#managerOf(manager);
      marks = [own.any, own.node(node), ...(wide ? [own.wide] : [])];
      for (const mark of marks) mark.begin();
    };
    return { claim, end };
  }

  /** Returns the revision of the last binding by another manager that a decision about the node depends on. */
  #lastUnknown(manager: string, node: string, wide: boolean): number {
    let last = this.#floor;
    for (const [name, other] of this.#managers)
      if (name !== manager) last = Math.max(last, wide ? other.any.last : other.lastFor(node));
    return last;
  }

  #managerOf(name: string): Manager {
    const known = this.#managers.get(name);
    if (known !== undefined) return known;
    if (this.#managers.size >= maxManagers) this.#forgetOne();
    const manager = new Manager();
    this.#managers.set(name, manager);
    return manager;
  }

  /** Forgets a manager without a binding under way, the oldest first. The others must have seen its bindings. */
  #forgetOne(): void {
    for (const [name, { any }] of this.#managers) {
      if (any.isPending) continue;
      this.#floor = Math.max(this.#floor, any.last);
      this.#managers.delete(name);
      return;
    }
  }
}

/** The last bindings of one manager. */
class Manager {
  readonly any = new Mark();
  readonly wide = new Mark();
  readonly #nodes = new Map<string, Mark>();
  /** Bindings to nodes that are no longer remembered. */
  #floor = 0;

  node(name: string): Mark {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    if (this.#nodes.size >= maxNodes) this.#forget();
    const mark = new Mark();
    this.#nodes.set(name, mark);
    return mark;
  }

  /** Returns the revision of the last binding that another manager's decision about the node depends on. */
  lastFor(node: string): number {
    return Math.max(this.#floor, this.wide.last, this.#nodes.get(node)?.last ?? 0);
  }

  /** Forgets all nodes without a binding under way. */
  #forget(): void {
    for (const [name, mark] of this.#nodes) {
      if (mark.isPending) continue;
      this.#floor = Math.max(this.#floor, mark.last);
      this.#nodes.delete(name);
    }
  }
}

/** The revision of the last of some bindings. */
class Mark {
  #revision = 0;
  #pending = 0;

  /** Infinity while a binding is under way: nobody can have seen it. */
  get last(): number {
    return this.#pending > 0 ? Number.POSITIVE_INFINITY : this.#revision;
  }

  get isPending(): boolean {
    return this.#pending > 0;
  }

  begin(): void {
    this.#pending += 1;
  }

  end(revision: number): void {
    this.#pending -= 1;
    this.#revision = Math.max(this.#revision, revision);
  }
}
