/** The local time in a time zone. All times are milliseconds since the epoch, read in UTC when they are local. */
export interface TimeZone {
  toLocal(time: number): number;
  /** Returns one time when the local time exists twice, or not at all (as Go's `time.Date`). */
  fromLocal(local: number): number;
}

/** Makes a time zone of the IANA database; UTC without a name. @throws RangeError */
export function timeZoneOf(name: string | undefined): TimeZone {
  if (name === undefined || name === "" || name === "UTC" || name === "Local") {
    return { toLocal: (time) => time, fromLocal: (local) => local };
  }
  const field = "numeric";
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    calendar: "gregory",
    year: field,
    month: field,
    day: field,
    hour: field,
    minute: field,
    second: field,
  });
  const toLocal = (time: number) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const seconds = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return seconds + (((time % 1000) + 1000) % 1000);
  };
  const offsetAt = (time: number) => toLocal(time) - time;
  return { toLocal, fromLocal: (local) => local - offsetAt(local - offsetAt(local)) };
}

/** Formats a time as Go's RFC 3339: with the zone's offset, or `Z` when there is none. */
export function formatIn(zone: TimeZone, time: number): string {
  const local = zone.toLocal(time);
  const text = new Date(local).toISOString().slice(0, 19);
  const minutes = Math.trunc((local - time) / 60_000);
  if (minutes === 0) return `${text}Z`;
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return `${text}${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}
