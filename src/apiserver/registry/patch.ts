import { applyConfiguration, ApplyConflictsError } from "../../meta/apply/apply-configuration.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { invalid, root } from "../../meta/field-error.ts";
import { JsonError } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { applyJsonPatch } from "../../meta/patch/json-patch.ts";
import { PatchError } from "../../meta/patch/errors.ts";
import { mergePatch } from "../../meta/patch/merge-patch.ts";
import { strategicMerge } from "../../meta/patch/strategic-merge.ts";
import type { MessageType } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import {
  decodeBody,
  decodeObject,
  fieldValidation,
  goMessage,
  mediaType,
  parseText,
  parseYaml,
  maxBodyBytes,
} from "./body.ts";
import type { DraftObject } from "./metadata.ts";
import { applyManager, dryRun, fieldManager } from "./options.ts";
import { respondObject } from "./respond.ts";
import { create, type Target, update, type Written } from "./write.ts";

/** Computes a patched value from the stored one; both are plain JSON. */
type Patcher = (old: KubeObject) => unknown;

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export async function patch(context: Context, target: Target): Promise<ApiResponse> {
  const type = mediaType(context.request);
  const written =
    type === patchTypes.apply
      ? await apply(context, target)
      : await update(
          context,
          target,
          patchedBy(context, target, await patcherOf(context, target.resource.kind.schema, type)),
          {
            dryRun: dryRun(context),
            fieldManager: fieldManager(context),
          },
        );
  return respondObject(context, target.resource, written, written.created ? 201 : 200);
}

/** Reads the patch once; it is applied again whenever the object changed under it. */
export async function patcherOf(context: Context, schema: MessageType, type: string): Promise<Patcher> {
  switch (type) {
    case patchTypes.json: {
      const operations = await patchBody(context);
      return (old) => applyJsonPatch(old, operations);
    }
    case patchTypes.merge: {
      const body = await patchBody(context);
      return (old) => mergePatch(old, body);
    }
    case patchTypes.strategic: {
      const body = await patchBody(context);
      return (old) => strategicMerge(schema, old, body);
    }
    default:
      throw errors.unsupportedMediaType(Object.values(patchTypes));
  }
}

async function patchBody({ request }: Context): Promise<unknown> {
  if (request.body.type === "object") return request.body.value;
  if (request.body.type === "none") throw errors.badRequest("a patch must have a body");
  const bytes = await request.body.read(maxBodyBytes);
  try {
    return parseText(bytes).value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw errors.badRequest(`error decoding patch: ${goMessage(error, bytes)}`, error);
  }
}

function patchedBy(context: Context, target: Target, patcher: Patcher): (old: KubeObject) => DraftObject {
  const { kind, strategy } = target.resource;
  const validation = fieldValidation(context);
  return (old) => {
    const problems: string[] = [];
    const value = applyPatcher(patcher, old, target);
    const draft = decodeObject(kind, value, undefined, validation === "Ignore" ? undefined : problems);
    if (problems.length > 0 && validation === "Strict") {
      const detail = `strict decoding error: ${problems.join(", ")}`;
      throw errors.invalid(kind, target.name, [invalid(root.child("patch"), value, detail)]);
    }
    for (const problem of problems) context.warnings.add(problem);
    strategy.setDefaults?.(draft);
    return draft;
  };
}

function applyPatcher(patcher: Patcher, old: KubeObject, { resource, name }: Target): unknown {
  try {
    return patcher(old);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.malformed) throw errors.badRequest(error.message, error);
    throw errors.invalid(resource.kind, name, [invalid(root.child("patch"), undefined, error.message)]);
  }
}

/** Server-side apply: an object that is not there yet is created by it. */
async function apply(context: Context, target: Target): Promise<Written> {
  const { manager, force } = applyManager(context);
  const { request, services } = context;
  const { resource } = target;
  const bytes = request.body.type === "bytes" ? await request.body.read(maxBodyBytes) : undefined;
  const raw =
    request.body.type === "object" ? request.body.value : await parseYaml(bytes ?? new Uint8Array());
  if (typeof raw !== "object" || raw === null)
    throw errors.badRequest("an apply configuration must be an object");
  const applied = decodeBody(resource.kind, { value: raw, duplicates: () => [], keys: undefined }, context);
  if (applied.metadata.managedFields !== undefined)
    throw errors.badRequest("metadata.managedFields must be nil");
  const options = { dryRun: dryRun(context), fieldManager: manager, ownsFields: true };
  const applyTo = (old: KubeObject | undefined): DraftObject => {
    try {
      const value = applyConfiguration(resource.kind, old, raw, {
        manager,
        force,
        subresource: target.subresource,
        now: services.env.clock.now(),
      });
      const draft = decodeObject(resource.kind, value);
      resource.strategy.setDefaults?.(draft);
      return draft;
    } catch (error) {
      if (!(error instanceof ApplyConflictsError)) throw error;
      throw errors.applyConflict(error.message, error.causes);
    }
  };
  const existing = services.store.read(resource.key(target.namespace, target.name));
  if (existing === undefined && target.subresource === "")
    return create(context, target, applyTo(undefined), options);
  return update(context, target, applyTo, options);
}
