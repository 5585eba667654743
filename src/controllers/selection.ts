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

/** The first entry that names no known controller. */
export function unknownEntry(selection: Selection, known: readonly string[]): string | undefined {
  return selection.find((one) => one !== "*" && !known.includes(one.replace(/^-/, "")));
}
