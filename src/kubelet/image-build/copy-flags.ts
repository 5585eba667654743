import type { LayerEntry } from "./write-layer.ts";

/** Returns the expanded value of a flag. */
export function flagOf(
  flags: ReadonlyMap<string, string>,
  name: string,
  expand: (word: string) => string,
): string | undefined {
  const value = flags.get(name);
  return value === undefined ? undefined : expand(value);
}

/** Parses `--chmod`. @throws Error for anything but an octal number */
export function modeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^0?[0-7]{3,4}$/.test(text))
    throw new Error(`invalid chmod parameter: ${text}: it must be an octal number`);
  return Number.parseInt(text, 8);
}

/** @throws Error for a source that would be downloaded */
export function checkAdd(sources: readonly string[]): void {
  const remote = sources.find((source) => /^(https?:|git@|git:|ssh:)/i.test(source));
  if (remote !== undefined) throw new Error(`ADD of ${remote} is not supported: only local files are added`);
}

/** Upstream's builder unpacks archives. @throws Error for one, because a copy would be something else */
export function refuseArchives(entries: readonly LayerEntry[]): void {
  for (const { path, open } of entries) {
    if (!/\.(tar|tgz|tbz2?|txz|tar\.\w+)$/i.test(path) || open === undefined) continue;
    throw new Error(`ADD of an archive (${path}) is not supported: unpack it first, or use COPY`);
  }
}

/** @throws Error for a name that readers of layers take for a removal */
export function refuseWhiteouts(entries: readonly LayerEntry[]): void {
  const hidden = entries.find(({ path }) => path.split("/").some((part) => part.startsWith(".wh.")));
  if (hidden !== undefined)
    throw new Error(`/${hidden.path}: a layer cannot contain names that begin with .wh.`);
}
