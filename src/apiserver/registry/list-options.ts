import { type FieldError, forbidden, notSupported, root } from "../../meta/field-error.ts";
import { errors } from "../../meta/status.ts";

/**
 * Refuses parameters that make no sense together (apimachinery `internalversion/validation`).
 * @throws StatusError 422
 */
export function checkListOptions(query: URLSearchParams, isWatch: boolean): void {
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
