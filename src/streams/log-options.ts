import type { LogOptions } from "../meta/node-endpoint.ts";
import { type FieldError, forbidden, invalid, notSupported, root } from "../meta/field-error.ts";
import { errors } from "../meta/status.ts";
import { isTrue } from "../util/query-flag.ts";

const streams = ["All", "Stderr", "Stdout"] as const;

/**
 * Parses and validates the query of `pods/log` (core validation `ValidatePodLogOptions`). @throws
 * StatusError.
 */
export function parseLogOptions(
  query: URLSearchParams,
  podName: string,
  now: number,
): Omit<LogOptions, "signal"> {
  const tailLines = integer(query, "tailLines");
  const limitBytes = integer(query, "limitBytes");
  const sinceSeconds = integer(query, "sinceSeconds");
  const sinceTime = timeOf(query.get("sinceTime"));
  const asked = query.get("stream") ?? "All";
  const stream = streams.find((one) => one === asked);
  const issues: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    issues.push(invalid(root.child("tailLines"), tailLines, "must be greater than or equal to 0"));
  if (limitBytes !== undefined && limitBytes < 1)
    issues.push(invalid(root.child("limitBytes"), limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    issues.push(forbidden(root, "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    issues.push(invalid(root.child("sinceSeconds"), sinceSeconds, "must be greater than 0"));
  if (stream === undefined) issues.push(notSupported(root.child("stream"), asked, streams));
  if (asked !== "All" && tailLines !== undefined)
    issues.push(forbidden(root, "`tailLines` and specific `stream` are mutually exclusive for now"));
  if (issues.length > 0 || stream === undefined)
    throw errors.invalid({ group: "", kind: "PodLogOptions" }, podName, issues);
  const since = sinceTime ?? (sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000);
  return {
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    stream,
    ...(since === undefined ? {} : { since }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw errors.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return value;
}

function timeOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw errors.badRequest(`parsing time ${JSON.stringify(text)} as RFC 3339: cannot parse`);
  return time;
}
