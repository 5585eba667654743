import { type FieldError, forbidden, notSupported, root } from "../../meta/field-error.ts";
import { errors } from "../../meta/status.ts";
import { FutureRevisionError } from "../../store/errors.ts";
import type { Revision, Store } from "../../store/store.ts";
import { isTrue } from "../../util/query-flag.ts";
import type { Random } from "../../util/random.ts";
import { parseContinue } from "../registry/continue-token.ts";
import { parseInteger } from "./options.ts";
import { type ListParameters, tooLarge } from "../registry/read.ts";
import type { WatchParameters } from "../registry/watch.ts";
import { noRevision, toRevision } from "../../store/revision.ts";

/**
 * Refuses contradictory parameters (apimachinery `internalversion/validation`).
 * @throws StatusError 422
 */
function checkListOptions(query: URLSearchParams, isWatch: boolean): void {
  const issues = [...(isWatch ? watchIssues(query) : listIssues(query))];
  if (issues.length > 0) throw errors.invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", issues);
}

const matchPath = root.child("resourceVersionMatch");
const sendPath = root.child("sendInitialEvents");

function* listIssues(query: URLSearchParams): Generator<FieldError> {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  if (match !== "") {
    if (version === "")
      yield forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (isSet(query, "continue"))
      yield forbidden(matchPath, "resourceVersionMatch is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan")
      yield notSupported(matchPath, match, ["Exact", "NotOlderThan", ""]);
    if (match === "Exact" && version === "0")
      yield forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (isSet(query, "sendInitialEvents")) yield forbidden(sendPath, "sendInitialEvents is forbidden for list");
}

function* watchIssues(query: URLSearchParams): Generator<FieldError> {
  const match = query.get("resourceVersionMatch") ?? "";
  const sends = isSet(query, "sendInitialEvents");
  if (sends && match !== "NotOlderThan")
    yield forbidden(matchPath, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (match === "") return;
  if (!sends)
    yield forbidden(
      matchPath,
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  if (match !== "NotOlderThan") yield notSupported(matchPath, match, ["NotOlderThan"]);
  if (isSet(query, "continue"))
    yield forbidden(matchPath, "resourceVersionMatch is forbidden when continue is provided");
}

function isSet(query: URLSearchParams, name: string): boolean {
  return (query.get(name) ?? "") !== "";
}

/** @throws StatusError 400, 422, 504 */
export function listParameters(query: URLSearchParams, store: Store): ListParameters {
  const limit = Math.max(parseInteger(query.get("limit") || "0"), 0);
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  checkListOptions(query, false);
  parseInteger(query.get("timeoutSeconds") || "0");
  if (token !== "") {
    const { revision, start } = parseContinue(token);
    if (version !== "" && version !== "0")
      throw errors.badRequest("specifying resource version is not allowed when using continue");
    return { limit, at: revision, after: start };
  }
  const revision = parseRevision(version, "invalid resource version: ");
  const isExact = match === "Exact" || (match === "" && limit > 0 && revision > 0);
  if (revision > store.revision) {
    throw tooLarge(new FutureRevisionError(revision, store.revision));
  }
  return { limit, at: isExact ? revision : undefined, after: undefined };
}

/** Parses the resourceVersion of a request; empty means 0. @throws StatusError 400 */
export function parseRevision(text: string, what = ""): Revision {
  if (text === "") return noRevision;
  if (!/^(0|[1-9]\d{0,15})$/.test(text))
    throw errors.badRequest(
      `${what}resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return toRevision(Number(text));
}

/** Returns the oldest revision that a read of one object may show. @throws StatusError 400 */
export function askedRevision(query: URLSearchParams): Revision {
  return parseRevision(query.get("resourceVersion") ?? "");
}

/** @throws StatusError 400, 422, 504 */
export function watchParameters(query: URLSearchParams, store: Store, random: Random): WatchParameters {
  const version = query.get("resourceVersion") ?? "";
  const send = query.get("sendInitialEvents") || null;
  const bookmarks = isTrue(query.get("allowWatchBookmarks"));
  checkListOptions(query, true);
  const asked = parseRevision(version);
  if (asked > store.revision) throw tooLarge(new FutureRevisionError(asked, store.revision));
  const seconds = parseInteger(query.get("timeoutSeconds") || "0");
  const initial = send === null ? asked === 0 : isTrue(send);
  return {
    after: asked,
    initial,
    bookmarks,
    // Even when the request did not ask for it, as upstream does.
    markEnd: initial && bookmarks,
    timeoutMs: seconds > 0 ? seconds * 1000 : Math.floor(1_800_000 * (1 + random.next())),
  };
}
