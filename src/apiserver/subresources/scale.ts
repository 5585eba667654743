import { type Scale, scales } from "../../api/autoscaling/scale/schema.ts";
import { objectOf } from "../../meta/decode.ts";
import type { ApiResponse } from "../../meta/exchange.ts";
import { invalid, root } from "../../meta/field-error.ts";
import type { KubeObject, ScalePaths } from "../../meta/kind.ts";
import { selectorOf } from "../../meta/labels.ts";
import { serve, type Strategy } from "../../meta/strategy.ts";
import { errors } from "../../meta/status.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import type { Context } from "../context.ts";
import { decodeBody, decodeObject, mediaType, readBody } from "../rest/body.ts";
import { type DraftObject, draftOfObject } from "../resources/draft.ts";
import { namespaceMismatch } from "../registry/metadata.ts";
import { applyManager, dryRun, fieldManager, refuseForce } from "../rest/options.ts";
import { applied, isApply, readApplied } from "../rest/apply.ts";
import { applyPatcher, decodePatched, patcherOf } from "../rest/patch.ts";
import { get } from "../registry/read.ts";
import { respondObject } from "../rest/respond.ts";
import { ServedResource } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";
import type { Written } from "../registry/write-options.ts";
import { nameMismatch, update } from "../registry/write.ts";
import { setOwn } from "../../meta/decode.ts";
import { ownValue } from "../../util/table.ts";
import { fieldsOf, isObject } from "../../util/is-object.ts";

const scaleStrategy: Strategy<Scale> = {
  columns: [
    {
      name: "Desired",
      type: "integer",
      description: "How many are wanted.",
      cell: ({ spec }) => spec.replicas ?? 0,
    },
    {
      name: "Available",
      type: "integer",
      description: "How many there are.",
      cell: ({ status }) => status.replicas,
    },
  ],
};
/** The resource of answers, which determines their printed form. */
const scaleResource = new ServedResource(serve(scales, scaleStrategy));

/** `autoscaling/v1 Scale`: one object's number of replicas, in one form for every kind. */
export async function scale(context: Context, target: Target, verb: string): Promise<ApiResponse> {
  const paths = target.resource.kind.scale;
  if (paths === undefined) throw errors.noSuchPath();
  const answer = (object: KubeObject) =>
    respondObject(context, scaleResource, { object: scaleOf(object, paths), encoded: undefined });
  if (verb === "get") return answer((await get(context, target)).object);
  if (verb === "patch" && isApply(context)) return answer((await apply(context, target, paths)).object);
  if (verb === "patch") refuseForce(context);
  const next = verb === "update" ? await replaced(context) : await patched(context);
  const written = await update(
    context,
    target,
    (old) => {
      const wanted = next(scaleOf(old, paths));
      checkScale(wanted, target);
      const draft = draftOfObject(old);
      const { resourceVersion, uid } = wanted.metadata;
      // An update without a resourceVersion is unconditional, even if other updates of the kind require one.
      if (resourceVersion !== undefined) draft.metadata.resourceVersion = resourceVersion;
      if (uid !== undefined) draft.metadata.uid = uid;
      return setAt(draft, paths.specReplicas, wanted.spec.replicas ?? 0);
    },
    { dryRun: dryRun(context), fieldManager: fieldManager(context) },
  );
  return answer(written.object);
}

/** Applies a Scale: its manager owns the replicas field of the scaled object. */
async function apply(context: Context, target: Target, paths: ScalePaths): Promise<Written> {
  const { manager, force } = applyManager(context);
  const { kind } = target.resource;
  const { raw } = await readApplied(context, scales);
  const options = { manager, force, subresource: "scale" };
  const now = () => context.services.env.clock.now();
  // A value that is no Scale is refused first.
  await applied(context, scales, undefined, raw, { ...options, now: now() });
  const wanted = decodeObject(scales, raw);
  const { apiVersion, kind: name } = kind;
  const empty: DraftObject = { apiVersion, kind: name, metadata: { name: target.name } };
  const config = setAt(empty, paths.specReplicas, wanted.spec.replicas ?? 0);
  return update(
    context,
    target,
    async (old) => {
      checkScale(wanted, target);
      const draft = await applied(context, kind, old, config, { ...options, now: now() });
      const { resourceVersion, uid } = wanted.metadata;
      return decodeObject(kind, {
        ...draft,
        metadata: {
          ...old.metadata,
          managedFields: fieldsOf(fieldsOf(draft)["metadata"])["managedFields"],
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          ...(uid === undefined ? {} : { uid }),
        },
      });
    },
    { dryRun: dryRun(context), fieldManager: manager, ownsFields: true },
  );
}

function checkScale({ metadata, spec: { replicas = 0 } }: Scale, target: Target): void {
  if (metadata.name !== undefined && metadata.name !== target.name) throw nameMismatch(metadata.name, target);
  if (metadata.namespace !== undefined && metadata.namespace !== target.namespace) throw namespaceMismatch();
  // The schema of a custom resource validates its own fields.
  if (replicas >= 0 || target.resource.custom !== undefined) return;
  const why = "must be greater than or equal to 0";
  throw errors.invalid(scales, target.name, [invalid(root.child("spec", "replicas"), replicas, why)]);
}

async function replaced(context: Context): Promise<() => Scale> {
  const body = await readBody(context, scales);
  const wanted = decodeBody(scales, body, context);
  return () => wanted;
}

async function patched(context: Context): Promise<(old: Scale) => Scale> {
  const patcher = await patcherOf(context, scales.schema, mediaType(context.request));
  return (old) => decodePatched(scales, applyPatcher(patcher, old));
}

function scaleOf(object: KubeObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.selector === undefined ? undefined : getAt(object, paths.selector);
  return objectOf(scales, {
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: getAt(object, paths.specReplicas) ?? 0 },
    status: {
      replicas: getAt(object, paths.statusReplicas) ?? 0,
      ...(selector === undefined ? {} : { selector: selectorText(selector) }),
    },
  });
}

function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  // A ReplicationController's selector is a plain map of labels.
  const isPlain = Object.values(selector as object).every((value) => typeof value === "string");
  // Any other selector is a LabelSelector by its kind's schema.
  return selectorOf((isPlain ? { matchLabels: selector } : selector) as LabelSelector).toString();
}

function getAt(object: object, path: string): unknown {
  let current: unknown = object;
  for (const name of path.split(".")) {
    if (!isObject(current)) return undefined;
    current = ownValue(current, name);
  }
  return current;
}

function setAt(draft: DraftObject, path: string, value: unknown): DraftObject {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const root: Record<string, unknown> = { ...draft };
  let current = root;
  // The path comes from a definition: a step such as `__proto__` must not leave the object.
  for (const name of names) {
    const known = ownValue(current, name);
    const inner = isObject(known) ? known : {};
    if (inner !== known) setOwn(current, name, inner);
    current = inner;
  }
  setOwn(current, last, value);
  return { ...draft, ...root };
}
