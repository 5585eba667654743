import type { ObjectMeta } from "../meta/v1.ts";

/** The options of every request. */
export interface CallOptions {
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  /** `a=b,c in (d,e)`; a `Selector` prints so. */
  readonly labelSelector?: string | undefined;
  /** `spec.nodeName=node-1`; a `FieldSelector` prints so. */
  readonly fieldSelector?: string | undefined;
  /** At most so many objects; the rest follows by `continue`. */
  readonly limit?: number;
  /** The token of the page before. */
  readonly continue?: string;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
}

export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  /** Default true: bookmarks keep the resume point fresh. */
  readonly allowWatchBookmarks?: boolean;
  /** Sends the present state first, closed by an annotated bookmark. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after so long. */
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
  /** Takes over fields that others own. */
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

/** The query of a request, without what is undefined. */
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

/** The body of a DELETE. */
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
