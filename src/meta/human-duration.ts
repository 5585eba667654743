const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * An age as `kubectl get` shows it: one or two units, depending on the magnitude (apimachinery
 * `duration.HumanDuration`).
 */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / second);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  if (ms < 10 * minute) return twoUnits(ms, minute, "m", second, "s");
  if (ms < 3 * hour) return `${Math.floor(ms / minute)}m`;
  if (ms < 8 * hour) return twoUnits(ms, hour, "h", minute, "m");
  if (ms < 2 * day) return `${Math.floor(ms / hour)}h`;
  if (ms < 8 * day) return twoUnits(ms, day, "d", hour, "h");
  if (ms < 2 * year) return `${Math.floor(ms / day)}d`;
  if (ms < 8 * year) return twoUnits(ms, year, "y", day, "d");
  return `${Math.floor(ms / year)}y`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}
