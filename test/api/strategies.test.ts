import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { load, type Manifest, registrationOf as plainRegistrationOf } from "../../src/api/pipeline.suite.ts";
import { ageColumn, nameColumn } from "../../src/api/printing.ts";
import { withCheckedExpressions } from "../../src/apiserver/checked-kinds.ts";
import { decode } from "../../src/meta/decode.ts";
import { describe as text, type FieldError } from "../../src/meta/field-error.ts";
import { errorsIn } from "../../src/meta/errors-in.suite.ts";
import type { KubeObject } from "../../src/meta/kind.ts";
import { mergePatch } from "../../src/meta/patch/merge-patch.ts";
import type { Draft } from "../../src/meta/schema.ts";
import type { Column } from "../../src/meta/strategy.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../src/meta/validation/object-meta.ts";
import { formatTime } from "../../src/util/clock.ts";

/**
 * Objects given to upstream's strategies (defaulting, `rest.BeforeCreate` and `rest.BeforeUpdate`, printers; Kubernetes
 * 1.36), with the results. A kind's first object is complete; all others are merge patches of it.
 */
interface Recorded {
  /** API version and kind. */
  readonly of: string;
  /** The time of the recording; the object was then one hour old. First objects only. */
  readonly now?: string;
  /** The object that `given` replaces, with a status that a client has written. */
  readonly before?: object;
  readonly subresource?: string;
  readonly given: object;
  readonly stored?: object;
  /** The errors; structs are masked because upstream shows their internal form. */
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
  /** The cells; absent when they are those of the first object. */
  readonly cells?: readonly unknown[];
}

interface Example extends Omit<Recorded, "now" | "before" | "given"> {
  readonly now: number;
  readonly before: Manifest | undefined;
  readonly given: Manifest;
}

const folder = new URL("../fixtures/strategies/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

function examplesOf(file: string): readonly Example[] {
  const firsts = new Map<string, Recorded>();
  const lines = readFileSync(new URL(file, folder), "utf8").trim().split("\n");
  return lines.map((line) => {
    const recorded = JSON.parse(line) as Recorded;
    const first = firsts.get(recorded.of);
    if (first === undefined) firsts.set(recorded.of, recorded);
    const whole = (name: "given" | "stored", patch: object | undefined) =>
      patch === undefined || first === undefined ? patch : (mergePatch(first[name], patch) as Manifest);
    const stored = whole("stored", recorded.stored);
    return {
      ...recorded,
      now: Date.parse((first ?? recorded).now ?? ""),
      before: whole("given", recorded.before) as Manifest | undefined,
      given: whole("given", recorded.given) as Manifest,
      ...(stored === undefined ? {} : { stored, cells: recorded.cells ?? first?.cells ?? [] }),
    };
  });
}

type Context = Pick<Example, "now" | "subresource">;

const registrationOf = (apiVersion: string, kind: string) =>
  withCheckedExpressions(plainRegistrationOf(apiVersion, kind));

function strategyOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return registrationOf(apiVersion, kind).strategy;
}

function strategyContext({ now, subresource = "" }: Context) {
  return { now, user: { name: "someone", groups: [] }, subresource };
}

/** Returns a new object in its state before validation. */
function prepared(manifest: Manifest, context: Context): Draft<KubeObject> {
  const { kind, strategy } = registrationOf(manifest.apiVersion, manifest.kind);
  const draft = load(manifest);
  draft.metadata.uid = "u-1";
  draft.metadata.creationTimestamp = formatTime(context.now - 3_600_000);
  if (strategy.generation === true) draft.metadata.generation = 1;
  const status = kind.schema.fields.get("status")?.type;
  if (kind.status && status?.kind === "message") Object.assign(draft, { status: decode(status, {}) });
  strategy.prepareForCreate?.(draft, strategyContext(context));
  return draft;
}

function replaced(old: KubeObject, manifest: Manifest, context: Context): Draft<KubeObject> {
  const { kind, strategy } = registrationOf(manifest.apiVersion, manifest.kind);
  const draft = load(manifest);
  const { uid = old.metadata.uid } = draft.metadata;
  const { generation, creationTimestamp } = old.metadata;
  Object.assign(draft.metadata, { uid, generation, creationTimestamp });
  if (generation === undefined) delete draft.metadata.generation;
  if (context.subresource === "status")
    Object.assign(draft, { ...old, ...pick(draft, "metadata", "status") });
  else if (kind.status) Object.assign(draft, pick(old, "status"));
  strategy.prepareForUpdate?.(draft, old, strategyContext(context));
  const desired = (object: object) => ({ ...object, metadata: undefined, status: undefined });
  const isChanged = JSON.stringify(desired(draft)) !== JSON.stringify(desired(old));
  if (strategy.generation === true && isChanged) draft.metadata.generation = (generation ?? 0) + 1;
  return draft;
}

function pick(object: object, ...names: readonly string[]): object {
  return structuredClone(Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name))));
}

function* issuesOf(object: KubeObject, old: KubeObject | undefined, context: Context): Iterable<FieldError> {
  const { kind, strategy } = registrationOf(object.apiVersion, object.kind);
  yield* validateObjectMeta(object.metadata, kind, strategy.validateName);
  if (old !== undefined) yield* validateObjectMetaUpdate(object.metadata, old.metadata);
  if (context.subresource === "status" && old !== undefined) {
    yield* strategy.parts?.["status"]?.validate?.(object, old) ?? [];
    return;
  }
  yield* strategy.validate?.(object) ?? [];
  const further =
    old === undefined ? strategy.validateCreate?.(object) : strategy.validateUpdate?.(object, old);
  yield* errorsIn(further ?? []);
}

const masked = (error: string) => error.replace(/: (\{.*\}|\[\{.*\}\])(?=: |$)/s, ": {…}");

function cellsOf(object: KubeObject, now: number): readonly unknown[] {
  const columns: readonly Column<KubeObject>[] = strategyOf(object).columns ?? [];
  const always = columns.filter(({ priority = 0 }) => priority === 0);
  const wide = columns.filter(({ priority = 0 }) => priority > 0);
  const all = columns.some(({ format }) => format === "name")
    ? columns
    : [nameColumn, ...always, ageColumn, ...wide];
  return all.map(({ cell }) => cell(object, now));
}

/** Returns the object in its state after a write to the store and a read. */
async function shown(object: KubeObject): Promise<KubeObject> {
  const { storedForm } = registrationOf(object.apiVersion, object.kind);
  return storedForm === undefined ? object : storedForm.shown(await storedForm.stored(object));
}

async function storedBefore(manifest: Manifest, { now }: Context): Promise<KubeObject> {
  const old = await shown(prepared(manifest, { now }));
  return manifest["status"] === undefined
    ? old
    : shown(replaced(old, manifest, { now, subresource: "status" }));
}

/** Returns our answer to the recorded question. */
async function answer({ before, given, ...context }: Example): Promise<Partial<Example>> {
  const old = before && (await storedBefore(before, context));
  const object: KubeObject = old === undefined ? prepared(given, context) : replaced(old, given, context);
  const errors = [...new Set([...issuesOf(object, old, context)].map(text).map(masked))];
  if (errors.length > 0) return { errors };
  const stored = await shown(object);
  const cells = cellsOf(stored, context.now);
  const warnings = strategyOf(given).warnings?.(object, old) ?? [];
  return { stored: withoutEmptyLists(stored), cells, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Removes empty lists: Go's lists are empty or null by their history, and the fixtures have neither. */
function withoutEmptyLists(object: KubeObject): object {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  return JSON.parse(JSON.stringify(object), (_, value: unknown) =>
    isEmpty(value) ? undefined : value,
  ) as object;
}

describe.each(files)("strategies of %s", (file) => {
  const examples = examplesOf(file);

  test(`give upstream's answer for ${examples.length} objects`, async () => {
    for (const example of examples) {
      const { stored, errors, warnings, cells } = example;
      const expected = { stored, errors: errors?.map(masked), warnings, cells };
      expect(await answer(example), JSON.stringify(example.given)).toEqual(expected);
    }
  });
});
