import fc from "fast-check";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import tar from "tar-stream";
import { expect, test } from "vitest";
import { entryPath, unpackLayer } from "./unpack-layer.ts";

/** Directories and files by path; a directory is undefined. */
type Tree = ReadonlyMap<string, string | undefined>;

interface Layer {
  readonly tree: Tree;
  /** Paths that the layer removes from those below. */
  readonly removed: readonly string[];
  /** Directories of the layer that hide what those below hold. */
  readonly opaque: readonly string[];
  /** True for whiteouts before the layer's own entries. */
  readonly whiteoutsFirst: boolean;
}

const name = fc.constantFrom("a", "b", "c");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const parentsOf = (of: string) =>
  of
    .split("/")
    .map((_, index, parts) => parts.slice(0, index).join("/"))
    .slice(1);

/** A tree without contradictions: what something is in is a directory. */
const tree: fc.Arbitrary<Tree> = fc
  .array(fc.tuple(path, fc.option(fc.string({ maxLength: 3 }), { nil: undefined })), { maxLength: 6 })
  .map((entries) => {
    const made = new Map<string, string | undefined>(entries);
    for (const at of made.keys()) for (const parent of parentsOf(at)) made.set(parent, undefined);
    return new Map([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
  });

const layer: fc.Arbitrary<Layer> = tree.chain((made) => {
  const directories = [...made].filter(([, content]) => content === undefined).map(([at]) => at);
  return fc.record({
    tree: fc.constant(made),
    removed: fc.array(path, { maxLength: 3 }),
    opaque: fc.subarray(directories),
    whiteoutsFirst: fc.boolean(),
  });
});

/** A layer removes only what there is, and nothing from what it makes a file. */
const isRemovable = (at: string, { tree }: Layer, below: Tree) =>
  below.has(at) && parentsOf(at).every((parent) => tree.get(parent) === undefined);

async function archiveOf({ tree, removed, opaque, whiteoutsFirst }: Layer): Promise<Buffer> {
  const pack = tar.pack();
  const whiteouts = () => {
    for (const at of removed) pack.entry({ name: at.replace(/[^/]+$/, ".wh.$&") }, "");
    for (const at of opaque) pack.entry({ name: `${at}/.wh..wh..opq` }, "");
  };
  if (whiteoutsFirst) whiteouts();
  for (const [at, content] of tree) {
    if (content === undefined) pack.entry({ name: `${at}/`, type: "directory" });
    else pack.entry({ name: at }, content);
  }
  if (!whiteoutsFirst) whiteouts();
  pack.finalize();
  return buffer(pack);
}

/** Applies a layer to a tree (OCI image-spec `layer.md`): the layer hides first, and then adds. */
function over(below: Tree, { tree, removed, opaque }: Layer): Tree {
  const seen = new Map(below);
  const hide = (at: string) => {
    for (const other of seen.keys()) if (other.startsWith(`${at}/`)) seen.delete(other);
  };
  for (const at of removed) {
    hide(at);
    seen.delete(at);
  }
  for (const at of opaque) hide(at);
  for (const [at, content] of tree) {
    if (content !== undefined || seen.get(at) !== undefined) hide(at);
    seen.set(at, content);
  }
  return seen;
}

const isWhiteout = (at: string) => {
  const stat = lstatSync(at);
  return stat.isCharacterDevice() && stat.rdev === 0;
};

/** The tree that overlayfs shows of layers, topmost first. */
function stacked(layers: readonly string[]): Tree {
  const seen = new Map<string, string | undefined>();
  const visit = (roots: readonly string[], at: string): void => {
    const names = new Set(roots.flatMap((root) => readdirSync(join(root, at))));
    for (const one of names) {
      const inner = at === "" ? one : `${at}/${one}`;
      const holding = roots.filter((root) => lstatSync(join(root, inner), { throwIfNoEntry: false }));
      const [top = ""] = holding;
      if (isWhiteout(join(top, inner))) continue;
      if (!lstatSync(join(top, inner)).isDirectory()) {
        seen.set(inner, readFileSync(join(top, inner), "utf8"));
        continue;
      }
      const end = holding.findIndex((root) => !lstatSync(join(root, inner)).isDirectory());
      seen.set(inner, undefined);
      visit(end < 0 ? holding : holding.slice(0, end), inner);
    }
  };
  visit(layers, "");
  return seen;
}

const directories = (...paths: readonly string[]): Tree => new Map(paths.map((at) => [at, undefined]));
const aLayer = (tree: Tree, more: Partial<Layer> = {}): Layer => ({
  tree,
  removed: [],
  opaque: [],
  whiteoutsFirst: false,
  ...more,
});
const deep = aLayer(directories("a", "a/a", "a/a/a"));

/** Layers that remove a directory, and besides what is in it. */
const examples: readonly (readonly Layer[])[] = [
  [deep, aLayer(directories(), { removed: ["a/a/a", "a/a", "a"] })],
  [deep, aLayer(directories("a"), { removed: ["a/a/a", "a"] })],
  [deep, aLayer(directories("a"), { removed: ["a/a/a"], opaque: ["a"] })],
  [deep, aLayer(directories("a", "a/a"), { opaque: ["a"] })],
];

test.skipIf(process.getuid?.() !== 0)(
  "layers, stacked as overlayfs stacks them, show what they show when applied one after the other",
  async () => {
    const property = fc.asyncProperty(fc.array(layer, { minLength: 1, maxLength: 3 }), async (layers) => {
      const directory = mkdtempSync(join(tmpdir(), "knarr-unpack-"));
      try {
        let expected: Tree = new Map();
        const roots: string[] = [];
        for (const [index, made] of layers.entries()) {
          const one = { ...made, removed: made.removed.filter((at) => isRemovable(at, made, expected)) };
          const root = join(directory, String(index));
          mkdirSync(root);
          await unpackLayer(Readable.from([await archiveOf(one)]), root, roots);
          roots.unshift(root);
          expected = over(expected, one);
        }
        const sorted = (tree: Tree) => [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(sorted(stacked(roots))).toEqual(sorted(expected));
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
    await fc.assert(property, { numRuns: 150, examples: examples.map((layers) => [[...layers]]) });
  },
);

test.each([
  ["./a//b/", "a/b"],
  ["/etc/passwd", "etc/passwd"],
  [".", ""],
  ["", ""],
  ["a/.b/..c", "a/.b/..c"],
])("the entry %j lies at %j", (name, at) => {
  expect(entryPath(name)).toBe(at);
});

test.each(["..", "../a", "a/..", "a/../../b", "/../a", "./.."])("the entry %j leaves the archive", (name) => {
  expect(() => entryPath(name)).toThrow(`Cannot unpack ${name}: it leaves the archive`);
});
