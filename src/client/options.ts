import type { ObjectMeta } from "../meta/v1.ts";

/** The options of every request. */
export interface CallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  /** `a=b,c in (d,e)`; the text of a `Selector`. */
  readonly labelSelector?: string | undefined;
  /** `spec.nodeName=node-1`; the text of a `FieldSelector`. */
  readonly fieldSelector?: string | undefined;
  /** The largest number of objects in the answer; the rest follows by `continue`. */
  readonly limit?: number;
  /** The continue token of the page before. */
  readonly continue?: string;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
}

export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  /** Requests bookmarks, which keep the resume point fresh. Default true. */
  readonly allowWatchBookmarks?: boolean;
  /** Requests the present state first, closed by an annotated bookmark. */
  readonly sendInitialEvents?: boolean;
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** The owner of the written fields. */
  readonly fieldManager?: string | undefined;
  /** Checks everything and stores nothing. */
  readonly dryRun?: boolean;
  /** The handling of fields that the kind does not have. The server's default is Warn. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface PatchOptions extends WriteOptions {
  readonly type: "json" | "merge" | "strategic";
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other field managers own. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: Pick<ObjectMeta, "uid" | "resourceVersion">;
  readonly dryRun?: boolean;
}

type QueryValue = string | number | boolean | undefined;

/** Returns the query of a request, without undefined values. */
export function query(values: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search;
}

export function listQuery(options: ListOptions): URLSearchParams {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return query({
    labelSelector,
    fieldSelector,
    limit,
    continue: options.continue,
    resourceVersion,
    resourceVersionMatch,
  });
}

export function watchQuery(options: WatchOptions): URLSearchParams {
  const { allowWatchBookmarks = true, sendInitialEvents, timeoutSeconds } = options;
  const selection = listQuery(options);
  const more = query({ watch: true, allowWatchBookmarks, sendInitialEvents, timeoutSeconds });
  return new URLSearchParams([...selection, ...more]);
}

export function writeQuery(
  { fieldManager, dryRun, fieldValidation }: WriteOptions,
  force?: boolean,
): URLSearchParams {
  return query({ fieldManager, dryRun: dryRun === true ? "All" : undefined, fieldValidation, force });
}

/** Returns the body of a DELETE. */
export function deleteBody(options: DeleteOptions): object {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
}
