interface Step {
  /** The least and the greatest number of nodes. The steps overlap, so that one node does not toggle between two. */
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
}

const steps: readonly Step[] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Infinity, seconds: 300 },
];

/** The time for which kubelets may cache Secrets and ConfigMaps, in seconds (upstream `ttl/ttl_controller.go`). */
export function ttlSeconds(nodeCount: number, before: number): number {
  const index = steps.findIndex(({ seconds }) => seconds === before);
  const present = steps[index];
  if (present !== undefined && nodeCount >= present.least && nodeCount <= present.most) return before;
  const isGrowing = present === undefined || nodeCount > present.most;
  const fits = ({ least, most }: Step) => nodeCount >= least && nodeCount <= most;
  return (isGrowing ? steps.find(fits) : steps.findLast(fits))?.seconds ?? 0;
}
