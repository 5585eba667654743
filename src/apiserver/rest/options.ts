import { forbidden, invalid, notSupported, requiredValue, root } from "../../meta/field-error.ts";
import { errors } from "../../meta/status.ts";
import { DeleteOptions as DeleteOptionsSchema } from "../../meta/v1-options.ts";
import { maxManagerBytes, unprintable, validateFieldManager } from "../../meta/validation/object-meta.ts";
import type { Context } from "../context.ts";
import type { DeleteOptions } from "../registry/remove.ts";
import { isTrue } from "../../util/query-flag.ts";
import { decodeFields, optionsKind, readBody } from "./body.ts";
import { fieldsOf } from "../../util/is-object.ts";

const deleteKind = { group: "meta.k8s.io", kind: "DeleteOptions" };

const policies = ["Foreground", "Background", "Orphan"] as const;

export async function deleteOptions(context: Context): Promise<DeleteOptions> {
  const { query } = context.request;
  const text = query.get("gracePeriodSeconds");
  const body = await bodyOptions(context);
  const asked = completeDeleteOptions({
    ...body,
    gracePeriodSeconds: body.gracePeriodSeconds ?? (text === null ? undefined : parseInteger(text)),
    propagationPolicy: body.propagationPolicy ?? query.get("propagationPolicy") ?? undefined,
    orphanDependents: body.orphanDependents ?? parseBoolean(query.get("orphanDependents")),
  });
  return { ...asked, dryRun: dryRun(context, body.dryRun) };
}

/** Returns a delete's options in one form, except `dryRun`. @throws StatusError 422 */
export function completeDeleteOptions({
  gracePeriodSeconds: asked,
  preconditions = {},
  ...body
}: BodyOptions): Omit<DeleteOptions, "dryRun"> {
  const propagationPolicy = policyOf(body.propagationPolicy, body.orphanDependents);
  return {
    // As upstream: negative values mean the shortest graceful deletion.
    ...(asked === undefined ? {} : { gracePeriodSeconds: asked < 0 ? 1 : asked }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    preconditions,
  };
}

interface BodyOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: DeleteOptions["preconditions"];
  readonly dryRun?: readonly string[];
}

async function bodyOptions(context: Context): Promise<BodyOptions> {
  const { body } = context.request;
  if (body.type === "none") return {};
  const { value } = await readBody(context, { schema: DeleteOptionsSchema, kind: "DeleteOptions" });
  if (value === undefined) return {};
  // Typed clients set the options' group and version to their own: any is accepted.
  const { apiVersion = "", kind = "" } = fieldsOf(value);
  if (kind !== "" && kind !== deleteKind.kind)
    throw errors.badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  return decodeFields(DeleteOptionsSchema, "DeleteOptions", value);
}

function parseBoolean(value: string | null): boolean | undefined {
  return value === null ? undefined : isTrue(value);
}

function policyOf(
  policy: string | undefined,
  orphan: boolean | undefined,
): DeleteOptions["propagationPolicy"] {
  if (policy !== undefined && orphan !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    throw errors.invalid(deleteKind, "", [invalid(root.child("propagationPolicy"), policy, detail)]);
  }
  if (policy === undefined) return orphan === undefined ? undefined : orphan ? "Orphan" : "Background";
  const known = policies.find((one) => one === policy);
  if (known === undefined) {
    throw errors.invalid(deleteKind, "", [
      notSupported(root.child("propagationPolicy"), policy, [...policies, "nil"]),
    ]);
  }
  return known;
}

/** Parses a number of a query. @throws StatusError 400 in the words of Go's parser */
export function parseInteger(text: string): number {
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw errors.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/**
 * Reports whether a write is a dry run: `All` runs all steps without the commit; other values are refused.
 */
export function dryRun(context: Context, fromBody?: readonly string[]): boolean {
  const values = fromBody ?? context.request.query.getAll("dryRun");
  if (values.length === 0) return false;
  const wrong = values.filter((value) => value !== "All");
  if (wrong.length > 0) {
    const issue = notSupported(root.child("dryRun"), values, ["All"]);
    throw errors.invalid(optionsKind(context), "", [issue]);
  }
  return true;
}

/** Returns the field manager: the given one, or else the client program. */
export function fieldManager(context: Context): string {
  const named = context.request.query.get("fieldManager") ?? "";
  const issues = [...validateFieldManager(named, root.child("fieldManager"))];
  if (issues.length > 0) throw errors.invalid(optionsKind(context), "", issues);
  if (named !== "") return named;
  return managerOf(context.request.headers["user-agent"] ?? "") || "unknown";
}

/** Returns a program's name, without characters that are invalid in a manager's name. */
function managerOf(userAgent: string): string {
  const name = (userAgent.split("/")[0] ?? "").replaceAll(unprintable, "");
  // A character that was cut in two is dropped.
  return Buffer.from(name)
    .subarray(0, maxManagerBytes)
    .toString()
    .replace(/\uFFFD$/, "");
}

/** Returns the field manager of server-side apply, which is required. */
export function applyManager(context: Context): { manager: string; force: boolean } {
  const manager = context.request.query.get("fieldManager") ?? "";
  if (manager === "") {
    const issue = requiredValue(root.child("fieldManager"), "is required for apply patch");
    throw errors.invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [issue]);
  }
  return { manager: fieldManager(context), force: isTrue(context.request.query.get("force")) };
}

/** Refuses `force` for patches other than server-side apply. @throws StatusError 422 */
export function refuseForce({ request }: Context): void {
  if (!request.query.has("force")) return;
  const issue = forbidden(root.child("force"), "may not be specified for non-apply patch");
  throw errors.invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [issue]);
}
