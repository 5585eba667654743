import { countKeys, DecodeError } from "../../meta/decode.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { invalid, root } from "../../meta/field-error.ts";
import { JsonError, parseExactly, sortKeys, toJson } from "../../meta/json.ts";
import type { Kind, KubeObject } from "../../meta/kind.ts";
import { applyJsonPatch } from "../../meta/patch/json-patch.ts";
import { PatchError, PatchTooLargeError } from "../../meta/patch/errors.ts";
import { mergePatch } from "../../meta/patch/merge-patch.ts";
import { strategicMerge } from "../../meta/patch/strategic-merge.ts";
import type { Draft, MessageType } from "../../meta/schema.ts";
import { errors, failure, StatusError } from "../../meta/status.ts";
import type { Context } from "../context.ts";
import { apply, applyType, isApply } from "./apply.ts";
import {
  checkForeignKind,
  decodeObject,
  fieldValidation,
  goMessage,
  mediaType,
  parseText,
  maxBodyBytes,
  warnOf,
} from "./body.ts";
import type { DraftObject } from "../resources/draft.ts";
import { dryRun, fieldManager, refuseForce } from "./options.ts";
import { formOf, respondObject } from "./respond.ts";
import type { Target } from "../resources/target.ts";
import { update } from "../registry/write.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** Computes a patched value from the stored one; both are plain JSON. */
type Patcher = (old: KubeObject) => unknown;

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: applyType,
} as const;

export async function patch(context: Context, target: Target): Promise<ApiResponse> {
  formOf(context, "object", target.resource);
  if (!isApply(context)) refuseForce(context);
  const written = isApply(context)
    ? await apply(context, target)
    : await update(context, target, await patchedBy(context, target, mediaType(context.request)), {
        dryRun: dryRun(context),
        fieldManager: fieldManager(context),
      });
  return respondObject(context, target.resource, written, written.created ? 201 : 200);
}

/**
 * Reads the patch once. The result is applied again whenever the object has changed. `problems` collects
 * problems of the patch itself, for strict validation.
 */
export async function patcherOf(
  context: Context,
  schema: MessageType,
  type: string,
  problems?: string[],
): Promise<Patcher> {
  const read = (prefix = "error decoding patch: ") => patchBody(context, schema, problems, prefix);
  switch (type) {
    case patchTypes.json: {
      const operations = await read();
      return (old) => applyJsonPatch(old, operations);
    }
    case patchTypes.merge: {
      const body = await read();
      return (old) => mergePatch(old, body);
    }
    case patchTypes.strategic: {
      // A custom resource's schema has no strategic merge rules.
      if (schema.foreign !== undefined) break;
      const body = await read("");
      return (old) => strategicMerge(schema, old, body);
    }
  }
  const { json, merge, apply, strategic } = patchTypes;
  throw errors.unsupportedMediaType(
    schema.foreign === undefined ? [json, merge, strategic, apply] : [json, merge, apply],
  );
}

async function patchBody(
  { request, pace }: Context,
  schema: MessageType,
  problems: string[] | undefined,
  prefix: string,
): Promise<unknown> {
  if (request.body.type === "object") return request.body.value;
  if (request.body.type === "none") throw errors.badRequest("a patch must have a body");
  const bytes = await request.body.read(maxBodyBytes);
  pace.note(bytes.length);
  try {
    const { value, keys, duplicates } = parseText(
      bytes,
      schema.foreign === undefined ? undefined : parseExactly,
    );
    if (problems !== undefined && keys !== countKeys(value)) {
      const place = Array.isArray(value) ? "json patch " : "";
      problems.push(...duplicates().map((path) => `${place}duplicate field ${JSON.stringify(path)}`));
    }
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw errors.badRequest(prefix + goMessage(error, bytes), error);
  }
}

async function patchedBy(
  context: Context,
  { resource: { kind, strategy } }: Target,
  type: string,
): Promise<(old: KubeObject) => Promise<DraftObject>> {
  const validation = fieldValidation(context);
  const ofPatch: string[] | undefined = validation === "Ignore" ? undefined : [];
  const patcher = await patcherOf(context, kind.schema, type, ofPatch);
  return async (old) => {
    const problems = ofPatch === undefined ? undefined : [...ofPatch];
    const value = applyPatcher(patcher, old);
    await context.pace.pause();
    const draft = decodePatched(kind, value, problems);
    if (problems !== undefined && problems.length > 0 && validation === "Strict") {
      const detail = `strict decoding error: ${problems.join(", ")}`;
      // As upstream: of no kind and without a name.
      throw errors.invalid({ group: "", kind: "" }, "", [
        invalid(root.child("patch"), toJson(value), detail),
      ]);
    }
    warnOf(context, problems ?? []);
    strategy.setDefaults?.(draft);
    return draft;
  };
}

/** @throws StatusError 422 when the patched value does not fit the kind */
export function decodePatched<O extends object, I extends object>(
  kind: Kind<O, I>,
  value: unknown,
  problems?: string[],
): Draft<KubeObject<O>> {
  if (kind.schema.foreign !== undefined) checkForeignKind(kind, value);
  else checkPatchedKind(kind, value);
  try {
    return decodeObject(kind, value, undefined, problems);
  } catch (error) {
    if (!(error instanceof StatusError && error.cause instanceof DecodeError)) throw error;
    throw invalidPatch(value, error.cause.message);
  }
}

/** Refuses a patch that changes the kind. */
function checkPatchedKind(kind: Kind, value: unknown): void {
  const { apiVersion, kind: name } = fieldsOf(value);
  if ((apiVersion ?? kind.apiVersion) === kind.apiVersion && (name ?? kind.kind) === kind.kind) return;
  const why = `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)}`;
  throw invalidPatch(value, `${why} in scheme "pkg/runtime/scheme.go:111"`);
}

/** Returns the error of an invalid patch: as upstream, of no kind and without a name. */
function invalidPatch(value: unknown, why: string): StatusError {
  return errors.invalid({ group: "", kind: "" }, "", [
    invalid(root.child("patch"), toJson(sortKeys(value)), why),
  ]);
}

/** @throws StatusError when the patch does not fit the object */
export function applyPatcher(patcher: Patcher, old: KubeObject): unknown {
  try {
    return patcher(old);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error instanceof PatchTooLargeError)
      throw errors.tooLarge(`Request entity too large: ${error.message}`);
    if (error.malformed) throw errors.badRequest(error.message, error);
    const why = "the server rejected our request due to an error in our request";
    throw failure(422, "Invalid", why, {}, error);
  }
}
