import { applyInSteps, ApplyConflictsError } from "../../meta/apply/apply-configuration.ts";
import { DecodeError } from "../../meta/decode.ts";
import { type Kind, type KubeObject, parseGroupVersion } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { createAccess } from "../authz/access-request.ts";
import type { Context } from "../context.ts";
import {
  decodeObject,
  fieldValidation,
  maxBodyBytes,
  mediaType,
  readYaml,
  undecodable,
  warnOf,
} from "./body.ts";
import type { DraftObject } from "../resources/draft.ts";
import { applyManager, dryRun } from "./options.ts";
import type { Target } from "../resources/target.ts";
import type { Written } from "../registry/write-options.ts";
import { create, update } from "../registry/write.ts";
import { fieldsOf } from "../../util/is-object.ts";

export const applyType = "application/apply-patch+yaml";

/**
 * Checks that an apply configuration has the right apiVersion and kind. A typed client in the same process
 * may omit them.
 */
function checkApplied(kind: Kind, applied: object, { request }: Context): void {
  const said = fieldsOf(applied);
  // As upstream: a value that is no string counts as absent.
  const apiVersion = typeof said["apiVersion"] === "string" ? said["apiVersion"] : "";
  const name = typeof said["kind"] === "string" ? said["kind"] : "";
  if (apiVersion === kind.apiVersion && name === kind.kind) return;
  if (apiVersion === "" && name === "" && request.body.type === "object") return;
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: "", version: apiVersion };
  throw errors.badRequest(`invalid object type: ${group}/${version}, Kind=${name}`);
}

/** The configuration as sent. Applying it checks it against the kind. */
export interface Applied {
  readonly raw: object;
  /** Problems of the text itself. */
  readonly problems: readonly string[];
}

export function isApply({ request }: Context): boolean {
  return mediaType(request) === applyType;
}

/** @throws StatusError 400 when the body is no configuration of the kind */
export async function readApplied(context: Context, kind: Kind): Promise<Applied> {
  const { request } = context;
  const bytes = request.body.type === "bytes" ? await request.body.read(maxBodyBytes) : undefined;
  context.pace.note(bytes?.length ?? 0);
  const { value: raw, problems = [] } =
    request.body.type === "object"
      ? { value: request.body.value }
      : await readYaml(bytes ?? new Uint8Array(), kind.schema);
  if (typeof raw !== "object" || raw === null)
    throw errors.badRequest("an apply configuration must be an object");
  checkApplied(kind, raw, context);
  if (namesManagers(raw)) throw errors.badRequest("metadata.managedFields must be nil");
  return { raw, problems };
}

/**
 * Reports whether metadata has a list of managers. As upstream, any other value counts as absent here, until
 * its type is checked.
 */
function namesManagers(raw: object): boolean {
  const { managedFields: managers } = fieldsOf(fieldsOf(raw)["metadata"]);
  return Array.isArray(managers) && managers.every((one) => typeof one === "object" && one !== null);
}

/** Server-side apply. It creates an object that does not exist. */
export async function apply(context: Context, target: Target): Promise<Written> {
  const { manager, force } = applyManager(context);
  const { services } = context;
  const { resource } = target;
  const { raw, problems } = await readApplied(context, resource.kind);
  const options = { dryRun: dryRun(context), fieldManager: manager, ownsFields: true };
  const validation = fieldValidation(context);
  const applyTo = async (old: KubeObject | undefined): Promise<DraftObject> => {
    await context.pace.pause();
    const value = await applied(context, resource.kind, old, raw, {
      manager,
      force,
      subresource: target.subresource,
      now: services.env.clock.now(),
    });
    await context.pace.pause();
    const draft = decodeObject(resource.kind, value);
    resource.strategy.setDefaults?.(draft);
    const [problem] = problems;
    if (problem !== undefined && validation === "Strict") {
      throw errors.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
    }
    if (validation === "Warn") warnOf(context, problems);
    return draft;
  };
  const existing = services.store.read(resource.key(target.namespace, target.name));
  if (existing === undefined && target.subresource === "")
    return create(context, target, await applyTo(undefined), {
      ...options,
      createAccess: createAccess(context),
    });
  return update(context, target, applyTo, options);
}

/**
 * @throws StatusError 409 with all owners of the fields that would change; 500, as upstream's plain error,
 * for a value that does not fit the schema (apimachinery `managedfields/internal/structuredmerge.go`); 400
 * for a value that fits but is invalid
 */
export async function applied(
  context: Context,
  ...[kind, ...of]: Parameters<typeof applyInSteps>
): Promise<object> {
  try {
    return await context.pace.inSteps(applyInSteps(kind, ...of));
  } catch (error) {
    if (error instanceof DecodeError) throw undecodable(kind.schema, kind.kind, error);
    if (!(error instanceof ApplyConflictsError)) throw error;
    throw errors.applyConflict(error.message, error.causes);
  }
}
