import { createReadStream, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { nodeOf } from "./directory-tree.ts";
import type { Tree, TreeNode } from "./tree.ts";

interface Place {
  readonly path: string;
  readonly stat: Stats;
}

/**
 * The files of an image, as overlayfs shows its layer directories, which nothing changes. Every directory of a
 * path is a directory of its layer: links are never followed.
 */
export class LayersTree implements Tree {
  /** Topmost first. */
  readonly #layers: readonly string[];

  constructor(layers: readonly string[]) {
    this.#layers = layers;
  }

  lookup(path: string): TreeNode | undefined {
    const place = this.#places(path)[0];
    return place && nodeOf(place.stat);
  }

  list(path: string): readonly string[] {
    const shown = new Map<string, boolean>();
    for (const place of this.#places(path)) {
      for (const entry of readdirSync(place.path, { withFileTypes: true })) {
        if (shown.has(entry.name)) continue;
        shown.set(
          entry.name,
          !(entry.isCharacterDevice() && isWhiteout(lstatSync(join(place.path, entry.name)))),
        );
      }
    }
    return [...shown].flatMap(([name, isShown]) => (isShown ? [name] : [])).sort();
  }

  readLink(path: string): string {
    return readlinkSync(this.#find(path).path);
  }

  open(path: string): Readable {
    return createReadStream(this.#find(path).path);
  }

  readText(path: string, maxBytes: number): string | undefined {
    const place = this.#places(path)[0];
    if (place?.stat.isFile() !== true) return undefined;
    if (place.stat.size > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
    return readFileSync(place.path, "utf8");
  }

  #find(path: string): Place {
    const [place] = this.#places(path);
    if (place === undefined) throw new Error(`${path}: not found`);
    return place;
  }

  /** Returns the path in each layer that shows it, topmost first: several for a merged directory, else one. */
  #places(path: string): readonly Place[] {
    let places: readonly Place[] = this.#layers.map((layer) => ({ path: layer, stat: lstatSync(layer) }));
    for (const part of path.split("/")) {
      if (part === "") continue;
      places = merged(places.flatMap((place) => childOf(place, part)));
    }
    return places;
  }
}

function childOf(place: Place, name: string): readonly Place[] {
  if (!place.stat.isDirectory()) return [];
  const path = join(place.path, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? [] : [{ path, stat }];
}

/** Returns the directories that are merged, or the topmost file; a whiteout or a file hides what is below. */
function merged(places: readonly Place[]): readonly Place[] {
  const end = places.findIndex(({ stat }) => !stat.isDirectory());
  if (end < 0) return places;
  const first = places[end];
  return end > 0 || first === undefined || isWhiteout(first.stat) ? places.slice(0, end) : [first];
}

function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0;
}
