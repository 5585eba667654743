/**
 * The value of `--controllers`: `*` for all that run by default, `name` for one, `-name` for all but one. The first entry
 * that names a controller decides (controller-manager `IsControllerEnabled`).
 */
export type Selection = readonly string[];

export const allByDefault: Selection = ["*"];

/** Reports whether a controller runs. */
export function isSelected(selection: Selection, name: string, isOffByDefault = false): boolean {
  const own = selection.find((one) => one === name || one === `-${name}`);
  if (own !== undefined) return own === name;
  return selection.includes("*") && !isOffByDefault;
}

/** The names that `--controllers` takes. */
export interface KnownControllers {
  /** The controllers that can run. */
  readonly names: readonly string[];
  /** Earlier names of controllers. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The names of controllers that never run, with the reason. */
  readonly inapplicable: ReadonlyMap<string, string>;
  /** The names of controllers that can only be excluded, because they are not implemented. */
  readonly missing: ReadonlySet<string>;
}

/** A controller was named that cannot be selected. The message is for the user. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
}

/**
 * Returns the selection with present names instead of earlier ones (`controller-manager/options/generic.go`).
 * @throws SelectionError
 */
export function readSelection(entries: readonly string[], known: KnownControllers): Selection {
  return entries.map((entry) => {
    if (entry === "*") return entry;
    const [prefix, written] = entry.startsWith("-") ? ["-", entry.slice(1)] : ["", entry];
    const name = known.aliases.get(written) ?? written;
    if (known.missing.has(name)) {
      if (prefix === "")
        throw new SelectionError(`Cannot run ${JSON.stringify(name)}: it is not implemented`);
    } else if (!known.names.includes(name) && !known.inapplicable.has(name)) {
      throw new SelectionError(`${JSON.stringify(written)} is not in the list of known controllers`);
    }
    return prefix + name;
  });
}
