/** The changes of a log's directory before the log is renamed. */
export interface RotationPlan {
  readonly remove: readonly string[];
  readonly compress: readonly string[];
}

const compressed = ".gz";
const temporary = ".tmp";

/**
 * Plans a rotation of the log `name` among the names of its directory (kubelet `container_log_manager.go`). Unfinished files go, and
 * as many of the oldest rotated ones that `maxFiles` remain with the new log; the others are compressed.
 */
export function planRotation(name: string, names: readonly string[], maxFiles: number): RotationPlan {
  const rotated = names.filter((one) => one.startsWith(`${name}.`)).sort();
  const all = new Set(rotated);
  const isUnfinished = (one: string) =>
    one.endsWith(temporary) || (!one.endsWith(compressed) && all.has(one + compressed));
  const used = rotated.filter((one) => !isUnfinished(one));
  const surplus = used.slice(0, Math.max(0, used.length - Math.max(0, maxFiles - 2)));
  return {
    remove: [...rotated.filter(isUnfinished), ...surplus],
    compress: used.filter((one) => !surplus.includes(one) && !one.endsWith(compressed)),
  };
}

/** Returns the name of the log that is rotated at a time, in UTC: `0.log.20260131-235959`. */
export function rotatedName(name: string, now: number): string {
  const text = new Date(now).toISOString();
  return `${name}.${text.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}`;
}
