import { decode } from "../meta/decode.ts";
import { describe as text } from "../meta/field-error.ts";
import { errorsIn } from "../meta/errors-in.suite.ts";
import type { KubeObject } from "../meta/kind.ts";
import type { Draft } from "../meta/schema.ts";
import type { Registration, StrategyContext } from "../meta/strategy.ts";
import { registrations } from "./registrations.ts";

/** Passes objects through the steps of the API server, without a server. */

export const now = Date.parse("2026-03-01T12:00:00Z");

export function registrationOf(apiVersion: string, kind: string): Registration {
  const found = registrations.find((one) => one.kind.apiVersion === apiVersion && one.kind.kind === kind);
  if (found === undefined) throw new TypeError(`No registration of ${apiVersion} ${kind}`);
  return found;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Decodes an object and sets all defaults. */
export function load(manifest: Manifest): Draft<KubeObject> {
  const { apiVersion, kind } = manifest;
  const registration = registrationOf(apiVersion, kind);
  const draft = { apiVersion, kind, ...decode(registration.kind.schema, manifest) } as Draft<KubeObject>;
  registration.strategy.setDefaults?.(draft);
  return draft;
}

function context(subresource: string): StrategyContext {
  return { now, user: { name: "someone", groups: [] }, subresource };
}

interface Outcome {
  readonly object: KubeObject;
  readonly errors: readonly string[];
}

export function create(manifest: Manifest): Outcome {
  const { strategy } = registrationOf(manifest.apiVersion, manifest.kind);
  const draft = load(manifest);
  strategy.prepareForCreate?.(draft, context(""));
  const object = draft as KubeObject;
  const issues = [...(strategy.validate?.(object) ?? []), ...(strategy.validateCreate?.(object) ?? [])];
  return { object, errors: errorsIn(issues).map(text) };
}

/** Updates the object that `create` made from `before`. */
export function update(before: Manifest, after: Manifest, subresource = ""): Outcome {
  const { strategy } = registrationOf(after.apiVersion, after.kind);
  const old = create(before).object;
  const draft = load(after);
  const status = (old as unknown as Manifest)["status"];
  if (subresource === "")
    Object.assign(draft, status === undefined ? {} : { status: structuredClone(status) });
  strategy.prepareForUpdate?.(draft, old, context(subresource));
  const object = draft as KubeObject;
  const issues =
    subresource === "status"
      ? [...(strategy.parts?.["status"]?.validate?.(object, old) ?? [])]
      : [...(strategy.validate?.(object) ?? []), ...(strategy.validateUpdate?.(object, old) ?? [])];
  return { object, errors: errorsIn(issues).map(text) };
}

/** The cells of the kind's own columns. */
export function cells(manifest: Manifest): readonly unknown[] {
  const { strategy } = registrationOf(manifest.apiVersion, manifest.kind);
  const object = load(manifest) as KubeObject;
  return (strategy.columns ?? []).map(({ cell }) => cell(object, now));
}

type Json = Record<string, unknown>;

/**
 * Returns a copy with one value set, or removed if the value is undefined. The path has the form
 * `spec.containers.0.name`.
 */
export function change<T extends Manifest>(manifest: T, path: string, value: unknown): T {
  const copy = structuredClone(manifest);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let place = copy as Json;
  for (const key of keys) {
    place[key] ??= {};
    place = place[key] as Json;
  }
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}
