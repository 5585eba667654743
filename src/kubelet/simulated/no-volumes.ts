import type { Volumes } from "../node-context.ts";

/** The volumes of a simulated node: every volume exists and is empty. */
export const noVolumes: Volumes = {
  areConstant: true,
  prepare: (_node, { spec }) =>
    Promise.resolve(
      new Map((spec.volumes ?? []).map(({ name }) => [name, { path: "/nonexistent", readOnly: false }])),
    ),
  prepareSubPath: () => {},
  diskPlaces: () => ({ emptyDirs: new Map(), other: [] }),
  remove: () => Promise.resolve(),
};
