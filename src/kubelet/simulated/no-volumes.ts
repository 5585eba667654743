import type { Volumes } from "../node-context.ts";

/** A simulated node's volumes: every one is there, and nothing is in it. */
export const noVolumes: Volumes = {
  prepare: (_node, { spec }) =>
    Promise.resolve(
      new Map((spec.volumes ?? []).map(({ name }) => [name, { path: "/nonexistent", readOnly: false }])),
    ),
  prepareSubPath: () => {},
  diskPlaces: () => ({ emptyDirs: new Map(), other: [] }),
  remove: () => Promise.resolve(),
};
