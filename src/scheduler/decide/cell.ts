import { Heap } from "../../util/heap.ts";
import type { NodeInfo } from "../node-info.ts";

/** A node in its cell, as it was when it was last looked at. */
export interface Candidate {
  readonly node: NodeInfo;
  /** The sum of the scores that depend on nothing but the node and its Pods. */
  readonly score: number;
  /** The lower of two random numbers decides between equal scores. */
  readonly tie: number;
  readonly cell: Cell;
}

/** Nodes that only their own scores tell apart: all other answers of all plugins are equal for them. */
export class Cell {
  /** Any node of the cell answers for all. */
  representative: NodeInfo;
  /** The number of nodes in the cell. */
  count = 0;
  #candidates = new Heap<Candidate>(isBetter);

  constructor(representative: NodeInfo) {
    this.representative = representative;
  }

  push(candidate: Candidate): void {
    this.#candidates.push(candidate);
  }

  /** Forgets outdated candidates when they are most of the heap. */
  tidy(isCurrent: (candidate: Candidate) => boolean): void {
    if (this.#candidates.size < 2 * this.count + 64) return;
    const current = [...this.#candidates.items()].filter(isCurrent);
    this.#candidates = new Heap(isBetter);
    for (const one of current) this.#candidates.push(one);
  }

  /** The best candidate that is still what its node is; undefined in an empty cell. */
  best(isCurrent: (candidate: Candidate) => boolean): Candidate | undefined {
    for (let top = this.#candidates.peek(); top !== undefined; top = this.#candidates.peek()) {
      if (isCurrent(top)) {
        // A node that has left cannot answer any more.
        this.representative = top.node;
        return top;
      }
      this.#candidates.pop();
    }
    return undefined;
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  return a.score === b.score ? a.tie < b.tie : a.score > b.score;
}
