import { expect, test } from "vitest";
import { invalid, requiredValue, root } from "./field-error.ts";
import { errors, failure, hasReason, StatusError } from "./status.ts";

const pods = { group: "", resource: "pods" };
const deployments = { group: "apps", resource: "deployments" };
const causes = [{ field: ".spec", message: "m", reason: "FieldManagerConflict" }];

/** Codes, reasons, messages and details as apimachinery's `api/errors` makes them. */
test.each<[() => StatusError, number, string, string, object | undefined]>([
  [() => errors.badRequest("no"), 400, "BadRequest", "no", undefined],
  [() => errors.unauthorized(), 401, "Unauthorized", "Unauthorized", undefined],
  [
    () => errors.forbidden(pods, "a", "why"),
    403,
    "Forbidden",
    'pods "a" is forbidden: why',
    { name: "a", kind: "pods" },
  ],
  [
    () => errors.forbidden(deployments, "", "why"),
    403,
    "Forbidden",
    "deployments.apps is forbidden: why",
    { group: "apps", kind: "deployments" },
  ],
  [() => errors.forbidden({ group: "", resource: "" }, "", "why"), 403, "Forbidden", "forbidden: why", {}],
  [
    () => errors.notFound(deployments, "a"),
    404,
    "NotFound",
    'deployments.apps "a" not found',
    { name: "a", group: "apps", kind: "deployments" },
  ],
  [() => errors.noSuchPath(), 404, "NotFound", "the server could not find the requested resource", {}],
  [
    () => errors.methodNotAllowed(pods, "patch"),
    405,
    "MethodNotAllowed",
    'patch is not supported on resources of kind "pods"',
    { kind: "pods" },
  ],
  [
    () => errors.notAcceptable(["a/b", "c/d"]),
    406,
    "NotAcceptable",
    "only the following media types are accepted: a/b, c/d",
    undefined,
  ],
  [
    () => errors.alreadyExists(pods, "a"),
    409,
    "AlreadyExists",
    'pods "a" already exists',
    { name: "a", kind: "pods" },
  ],
  [
    () => errors.conflict(pods, "a", "why"),
    409,
    "Conflict",
    'Operation cannot be fulfilled on pods "a": why',
    { name: "a", kind: "pods" },
  ],
  [
    () => errors.conflict(pods, "a", "why", causes),
    409,
    "Conflict",
    'Operation cannot be fulfilled on pods "a": why',
    { name: "a", kind: "pods", causes },
  ],
  [() => errors.applyConflict("m", causes), 409, "Conflict", "m", { causes }],
  [() => errors.expired("old"), 410, "Expired", "old", undefined],
  [() => errors.tooLarge("big"), 413, "RequestEntityTooLarge", "big", undefined],
  [
    () => errors.unsupportedMediaType(["a/b", "c/d"]),
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: a/b, c/d",
    undefined,
  ],
  [() => errors.tooManyRequests("slow"), 429, "TooManyRequests", "slow", undefined],
  [() => errors.tooManyRequests("slow", 3), 429, "TooManyRequests", "slow", { retryAfterSeconds: 3 }],
  [
    () => errors.internal(new Error("oops")),
    500,
    "InternalError",
    "Internal error occurred: oops",
    { causes: [{ message: "oops" }] },
  ],
  [() => errors.unavailable("later"), 503, "ServiceUnavailable", "later", undefined],
  [() => errors.timeout("late"), 504, "Timeout", "Timeout: late", {}],
  [
    () => errors.timeout("late", 2, causes),
    504,
    "Timeout",
    "Timeout: late",
    { causes, retryAfterSeconds: 2 },
  ],
])("%s has its code, reason, message and details", (make, code, reason, message, details) => {
  const error = make();
  expect(error.status).toStrictEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  });
  expect([error.code, error.reason, error.message, error.name]).toEqual([
    code,
    reason,
    message,
    "StatusError",
  ]);
});

const name = root.child("metadata").child("name");
const missing = requiredValue(name, "name is required");
const wrong = invalid(root.child("spec"), -1, "is wrong");

test.each([
  [[missing], false, "metadata.name: Required value: name is required"],
  [
    [missing, wrong, missing],
    false,
    "[metadata.name: Required value: name is required, spec: Invalid value: -1: is wrong]",
  ],
  [[missing], true, "[metadata.name: Required value: name is required, and more]"],
  [[], false, "[]"],
])("problems are listed once each, %#", (issues, isCut, text) => {
  const error = errors.invalid({ group: "apps", kind: "Deployment" }, "a", issues, isCut);
  expect(error.message).toBe(`Deployment.apps "a" is invalid: ${text}`);
  expect(error.status.details).toEqual({
    name: "a",
    group: "apps",
    kind: "Deployment",
    causes: issues.map(({ reason, message, field }) => ({ reason, message, field })),
  });
  expect([error.code, error.reason]).toEqual([422, "Invalid"]);
});

test("an expired list can be continued", () => {
  expect(errors.expired("old", { continue: "token" }).status.metadata).toEqual({ continue: "token" });
});

test("an error without a reason has none; one without a message shows its reason or its code", () => {
  const plain = failure(418, "", "tea");
  expect(plain.status).not.toHaveProperty("reason");
  expect(plain.reason).toBe("");
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
  expect(new StatusError({ ...status, reason: "Gone", code: 410 }).message).toBe("Gone");
  expect(new StatusError({ ...status, code: 418 }).message).toBe("HTTP 418");
});

test("the cause is kept", () => {
  const cause = new Error("oops");
  expect(errors.internal(cause).cause).toBe(cause);
  expect(errors.badRequest("no", cause).cause).toBe(cause);
});

test("a reason is one of several, and only that of a Status", () => {
  const error: unknown = errors.notFound(pods, "a");
  expect(hasReason(error, "Conflict", "NotFound")).toBe(true);
  expect(hasReason(error, "Conflict")).toBe(false);
  expect(hasReason(new Error("NotFound"), "NotFound")).toBe(false);
  expect(hasReason(undefined, "")).toBe(false);
});
