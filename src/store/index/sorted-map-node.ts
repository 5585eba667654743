/**
 * A node splits above one bound and merges below the other. The gap keeps a node from doing both alternately.
 */
const maxWidth = 64;
const minWidth = 16;

export type MapNode<V> = Leaf<V> | Branch<V>;

/** Invariant: `keys` ascends strictly, and `values` is parallel to it. */
export class Leaf<V> {
  readonly owner: object;
  readonly keys: string[];
  readonly values: V[];

  constructor(owner: object, keys: string[], values: V[]) {
    this.owner = owner;
    this.keys = keys;
    this.values = values;
  }

  get size(): number {
    return this.keys.length;
  }

  /** A key that separates this node from its left neighbour. */
  get firstKey(): string {
    return this.keys[0] ?? "";
  }

  get(key: string): V | undefined {
    const position = this.rank(key);
    return this.keys[position] === key ? this.values[position] : undefined;
  }

  set(_owner: object, key: string, value: V): V | undefined {
    const position = this.rank(key);
    if (this.keys[position] === key) {
      const previous = this.values[position];
      this.values[position] = value;
      return previous;
    }
    this.keys.splice(position, 0, key);
    this.values.splice(position, 0, value);
    return undefined;
  }

  /** The key must be present. */
  delete(_owner: object, key: string): void {
    const position = this.rank(key);
    this.keys.splice(position, 1);
    this.values.splice(position, 1);
  }

  rank(key: string): number {
    return lowerBound(this.keys, key);
  }

  collect(start: number, end: number, into: V[]): void {
    for (const value of this.values.slice(Math.max(start, 0), Math.max(end, 0))) into.push(value);
  }
}

/**
 * Invariants: every key below `children[i]` is at least `keys[i]` and less than `keys[i + 1]`; `size` counts
 * them.
 */
export class Branch<V> {
  readonly owner: object;
  readonly keys: string[];
  readonly children: MapNode<V>[];
  size: number;

  constructor(owner: object, keys: string[], children: MapNode<V>[]) {
    this.owner = owner;
    this.keys = keys;
    this.children = children;
    this.size = sizeOf(children);
  }

  get firstKey(): string {
    return this.keys[0] ?? "";
  }

  get(key: string): V | undefined {
    return childAt(this, this.#childFor(key)).get(key);
  }

  set(owner: object, key: string, value: V): V | undefined {
    const position = this.#childFor(key);
    const child = this.#ownChild(position, owner);
    const previous = child.set(owner, key, value);
    if (previous === undefined) this.size++;
    if (isOverfull(child)) this.#insert(position + 1, splitNode(child));
    return previous;
  }

  /** The key must be present. */
  delete(owner: object, key: string): void {
    const position = this.#childFor(key);
    const child = this.#ownChild(position, owner);
    child.delete(owner, key);
    this.size--;
    if (child.keys.length < minWidth && this.children.length > 1)
      this.#merge(Math.max(position - 1, 0), owner);
  }

  rank(key: string): number {
    const position = this.#childFor(key);
    let before = 0;
    for (let i = 0; i < position; i++) before += childAt(this, i).size;
    return before + childAt(this, position).rank(key);
  }

  collect(start: number, end: number, into: V[]): void {
    let offset = 0;
    for (const child of this.children) {
      if (offset >= end) return;
      if (offset + child.size > start) child.collect(start - offset, end - offset, into);
      offset += child.size;
    }
  }

  #childFor(key: string): number {
    const position = lowerBound(this.keys, key, 1);
    return this.keys[position] === key ? position : position - 1;
  }

  #ownChild(position: number, owner: object): MapNode<V> {
    const child = ownNode(childAt(this, position), owner);
    this.children[position] = child;
    return child;
  }

  #insert(position: number, child: MapNode<V>): void {
    this.keys.splice(position, 0, child.firstKey);
    this.children.splice(position, 0, child);
  }

  /**
   * Merges the child at `position` with its right neighbour, or splits them evenly when they do not fit in
   * one node.
   */
  #merge(position: number, owner: object): void {
    const left = this.#ownChild(position, owner);
    const right = childAt(this, position + 1);
    this.keys.splice(position + 1, 1);
    this.children.splice(position + 1, 1);
    if (left instanceof Leaf && right instanceof Leaf) {
      left.keys.push(...right.keys);
      left.values.push(...right.values);
    } else if (left instanceof Branch && right instanceof Branch) {
      left.keys.push(...right.keys);
      left.children.push(...right.children);
      left.size += right.size;
    }
    if (isOverfull(left)) this.#insert(position + 1, splitNode(left));
  }
}

export function childAt<V>(branch: Branch<V>, position: number): MapNode<V> {
  const child = branch.children[position];
  if (child === undefined) throw new RangeError(`Cannot descend: no child ${position}`);
  return child;
}

export function isOverfull(node: MapNode<unknown>): boolean {
  return node.keys.length > maxWidth;
}

/** Returns the node itself when the owner may change it, else a copy. */
export function ownNode<V>(node: MapNode<V>, owner: object): MapNode<V> {
  if (node.owner === owner) return node;
  return node instanceof Leaf
    ? new Leaf(owner, node.keys.slice(), node.values.slice())
    : new Branch(owner, node.keys.slice(), node.children.slice());
}

/** Removes the upper half of a node and returns it. */
export function splitNode<V>(node: MapNode<V>): MapNode<V> {
  const middle = node.keys.length >>> 1;
  const keys = node.keys.splice(middle);
  if (node instanceof Leaf) return new Leaf(node.owner, keys, node.values.splice(middle));
  const right = new Branch(node.owner, keys, node.children.splice(middle));
  node.size -= right.size;
  return right;
}

/** Returns the first position from `low` up whose key is not less than `key`. */
function lowerBound(keys: readonly string[], key: string, low = 0): number {
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sizeOf(children: readonly MapNode<unknown>[]): number {
  return children.reduce((sum, child) => sum + child.size, 0);
}
