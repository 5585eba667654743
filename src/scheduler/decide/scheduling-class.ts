import type { Random } from "../../util/random.ts";
import type { Scoring } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Change, Snapshot } from "../snapshot.ts";
import { type Candidate, Cell } from "./cell.ts";
import type { Cycle } from "./cycle.ts";

/**
 * The feasible nodes of all Pods of one class, with their scores, kept up to date by what changes: the thousandth
 * replica costs what changed since the one before, and not the number of nodes.
 *
 * 1. An answer without `cellOf` depends on nothing but the node and its Pods: it is computed anew when these change.
 * 2. Other answers are equal for all nodes of a cell: they are asked for once for each cell, at each decision.
 * 3. A node stands in at most one cell, under its newest candidate; older candidates are skipped.
 */
export class SchedulingClass {
  readonly #cycle: Cycle;
  readonly #snapshot: Snapshot;
  readonly #random: Random;
  readonly #topology: number;
  /** The answers that depend on the node alone, and the ones that are asked for by cell. */
  readonly #ownFilters: Cycle["filters"];
  readonly #cellFilters: Cycle["filters"];
  readonly #ownScores: Cycle["scores"];
  readonly #cellScores: Cycle["scores"];
  readonly #cells = new Map<string, Cell>();
  readonly #candidates = new Map<NodeInfo, Candidate>();
  #position: number;
  #division: number;

  /** The cycle's states have just been made of the snapshot. */
  constructor(cycle: Cycle, snapshot: Snapshot, random: Random) {
    this.#cycle = cycle;
    this.#snapshot = snapshot;
    this.#random = random;
    this.#topology = snapshot.topology;
    this.#position = snapshot.position;
    this.#ownFilters = cycle.filters.filter(({ state }) => state.cellOf === undefined);
    this.#cellFilters = cycle.filters.filter(({ state }) => state.cellOf !== undefined);
    this.#ownScores = cycle.scores.filter(({ state }) => isOwn(state));
    this.#cellScores = cycle.scores.filter(({ state }) => !isOwn(state));
    this.#division = this.#currentDivision();
    this.#fill();
  }

  /** Takes in what has changed. False when the class is too old and must be made anew. */
  update(): boolean {
    if (this.#snapshot.topology !== this.#topology) return false;
    const changes = this.#snapshot.changesSince(this.#position);
    if (changes === undefined) return false;
    this.#position = this.#snapshot.position;
    for (const change of changes) if (change.type === "pod") this.#count(change);
    const division = this.#currentDivision();
    if (division === this.#division) {
      for (const node of new Set(changes.map((change) => change.node))) this.#look(node);
      return true;
    }
    this.#division = division;
    this.#cells.clear();
    this.#candidates.clear();
    this.#fill();
    return true;
  }

  /** The best node; undefined when none is feasible. */
  best(): NodeInfo | undefined {
    const open: { readonly cell: Cell; readonly top: Candidate }[] = [];
    for (const [key, cell] of this.#cells) {
      const top = cell.best(this.#isCurrent);
      if (top === undefined) this.#cells.delete(key);
      else if (this.#admits(top.node)) open.push({ cell, top });
    }
    const totals = this.#totals(open.map(({ cell }) => cell));
    let best: Candidate | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const [i, { top }] of open.entries()) {
      const total = (totals[i] ?? 0) + top.score;
      if (total < highest || (total === highest && best !== undefined && best.tie < top.tie)) continue;
      highest = total;
      best = top;
    }
    return best?.node;
  }

  /** Reports whether a node is feasible. */
  accepts(node: NodeInfo): boolean {
    return this.#candidates.has(node) && this.#admits(node);
  }

  /** Leaves a node out until `putBack`. */
  setAside(node: NodeInfo): void {
    const candidate = this.#candidates.get(node);
    if (candidate === undefined) return;
    candidate.cell.count -= 1;
    this.#candidates.delete(node);
  }

  putBack(node: NodeInfo): void {
    this.#look(node);
  }

  #admits(node: NodeInfo): boolean {
    for (const { state } of this.#cellFilters) if (state.filter(node) !== undefined) return false;
    return true;
  }

  /** The normalized scores of cells, with their weights. */
  #totals(cells: readonly Cell[]): readonly number[] {
    const totals = cells.map(() => 0);
    if (cells.length < 2) return totals;
    const scored = cells.map(({ representative: node, count }) => ({ node, count }));
    for (const { state, weight } of this.#cellScores) {
      state.begin?.(scored);
      const own = scored.map(({ node }) => state.score(node));
      state.normalize?.(own);
      for (const [i, score] of own.entries()) totals[i] = (totals[i] ?? 0) + score * weight;
    }
    return totals;
  }

  #count({ pod, node, sign }: Extract<Change, { type: "pod" }>): void {
    for (const { state } of this.#cycle.filters) {
      if (sign === 1) state.addPod?.(pod, node);
      else state.removePod?.(pod, node);
    }
    for (const { state } of this.#cycle.scores) {
      if (sign === 1) state.addPod?.(pod, node);
      else state.removePod?.(pod, node);
    }
  }

  #fill(): void {
    for (const node of this.#snapshot.nodes) this.#look(node);
  }

  /** Puts a node into its cell, or leaves it out while it is not feasible by itself. */
  #look(node: NodeInfo): void {
    this.setAside(node);
    const { nodes } = this.#cycle;
    if (nodes !== undefined && !nodes.has(node.name)) return;
    for (const { state } of this.#ownFilters) if (state.filter(node) !== undefined) return;
    let score = 0;
    for (const { state, weight } of this.#ownScores) score += state.score(node) * weight;
    const key = this.#cellKey(node);
    let cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, (cell = new Cell(node)));
    cell.count += 1;
    const candidate = { node, score, tie: this.#random.next(), cell };
    this.#candidates.set(node, candidate);
    cell.push(candidate);
    cell.tidy(this.#isCurrent);
  }

  readonly #isCurrent = (candidate: Candidate): boolean => this.#candidates.get(candidate.node) === candidate;

  #cellKey(node: NodeInfo): string {
    let key = "";
    for (const { state } of this.#cellFilters) key += `${state.cellOf?.(node)}|`;
    // A score that is normalized, but depends on the node alone, makes a cell of each of its values.
    for (const { state } of this.#cellScores) key += `${state.cellOf?.(node) ?? state.score(node)}|`;
    return key;
  }

  #currentDivision(): number {
    let sum = 0;
    for (const { state } of this.#cycle.filters) sum += state.division ?? 0;
    for (const { state } of this.#cycle.scores) sum += state.division ?? 0;
    return sum;
  }
}

function isOwn(state: Scoring): boolean {
  return state.cellOf === undefined && state.normalize === undefined;
}
