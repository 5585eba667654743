import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deployments } from "../../src/api/apps/deployment/schema.ts";
import { configMaps } from "../../src/api/core/config-map/schema.ts";
import { pods } from "../../src/api/core/pod/schema.ts";
import { services } from "../../src/api/core/service/schema.ts";
import { applyConfiguration, ApplyConflictsError } from "../../src/meta/apply/apply-configuration.ts";
import { storedFieldSet } from "../../src/meta/apply/field-set.ts";
import { atOnce } from "../../src/util/steps.ts";
import { byElement, orderInSteps } from "../../src/meta/apply/order.ts";
import { updateManagedFields } from "../../src/meta/apply/update-managed-fields.ts";
import { decode } from "../../src/meta/decode.ts";
import type { Kind, KubeObject } from "../../src/meta/kind.ts";
import { mergePatch } from "../../src/meta/patch/merge-patch.ts";
import type { StatusCause } from "../../src/meta/status.ts";
import type { ManagedFieldsEntry, ObjectMeta } from "../../src/meta/v1.ts";
import { fieldsOf } from "../../src/util/is-object.ts";

/**
 * Random sequences of writes, with the results of upstream's field manager (apimachinery 0.36 with the defaults of
 * Kubernetes 1.36). An update's object is a merge patch on the object before it.
 */
interface Step {
  readonly op: "apply" | "update";
  readonly manager: string;
  readonly object: KubeObject;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly result?: KubeObject;
  readonly error?: string;
  readonly causes?: readonly StatusCause[];
}

const file = new URL("../fixtures/apply.jsonl", import.meta.url);
const sequences = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as readonly Step[]).map(asUpstreamWrites));
const kinds: Readonly<Record<string, Kind>> = {
  Pod: pods,
  Service: services,
  Deployment: deployments,
  ConfigMap: configMaps,
};

/** The time of a recorded step: steps are ten seconds apart. */
const timeOf = (step: number) => 1e12 + step * 10_000;

function managedAfterUpdate(kind: Kind, live: KubeObject | undefined, step: Step, now: number) {
  const sent = (live === undefined ? step.object : mergePatch(live, step.object)) as KubeObject;
  const { managedFields } = sent.metadata;
  const { managedFields: _, ...metadata } = step.result!.metadata;
  const next = {
    ...step.result!,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
  return updateManagedFields(kind, live, next, { ...step, subresource: step.subresource ?? "", now });
}

function appliedObject(kind: Kind, live: KubeObject | undefined, step: Step, now: number): unknown {
  const options = { force: false, subresource: "", ...step, now };
  try {
    return comparable(kind, applyConfiguration(kind, live, step.object, options));
  } catch (error) {
    if (!(error instanceof ApplyConflictsError)) return { error: (error as Error).message };
    return { error: error.message, causes: sorted(error.causes) };
  }
}

/** Sorts the causes, because upstream lists their managers in random order. */
function sorted(causes: readonly StatusCause[] | undefined) {
  return causes?.map((cause) => JSON.stringify({ ...cause })).sort();
}

function textOfFields({ fieldsV1 }: ManagedFieldsEntry): string {
  return JSON.stringify(fieldsV1);
}

/** Sorts the fields, because the recording passed through a map, which sorts keys as text. */
function asUpstreamWrites(step: Step): Step {
  const managedFields = step.result?.metadata.managedFields?.map((entry) => ({
    ...entry,
    fieldsV1: atOnce(orderInSteps(storedFieldSet(entry.fieldsV1), byElement)),
  }));
  if (step.result === undefined || managedFields === undefined) return step;
  return { ...step, result: { ...step.result, metadata: { ...step.result.metadata, managedFields } } };
}

/** Decodes without the defaults that depend on other fields, which are set by strategies. */
function comparable(kind: Kind, object: object): unknown {
  const { spec, ...rest } = fieldsOf(decode(kind.schema, object));
  return { ...rest, spec: withoutDerived(spec) };
}

const derived = new Set([
  "imagePullPolicy",
  "enableServiceLinks",
  "internalTrafficPolicy",
  "externalTrafficPolicy",
  "requests",
  "replicas",
  "rollingUpdate",
  "targetPort",
]);

function withoutDerived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDerived);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !derived.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDerived(inner)]));
}

describe("server-side apply against upstream's field manager", () => {
  const count = sequences.flat().length;
  it(`gives upstream's result for ${count} recorded writes`, () => {
    for (const sequence of sequences) {
      const kind = kinds[sequence[0]!.object.kind]!;
      let live: KubeObject | undefined;
      for (const [index, step] of sequence.entries()) {
        const { result, error, causes } = step;
        const where = `${JSON.stringify(step.object)} by ${step.manager} on ${JSON.stringify(live)}`;
        const before = JSON.stringify(live);
        if (step.op === "update") {
          const managed: readonly ManagedFieldsEntry[] | undefined = result?.metadata.managedFields;
          const made = managedAfterUpdate(kind, live, step, timeOf(index));
          expect(made, where).toEqual(managed);
          expect(made?.map(textOfFields), where).toEqual(managed?.map(textOfFields));
        } else {
          const expected =
            result === undefined
              ? { error, ...(causes === undefined ? {} : { causes: sorted(causes) }) }
              : comparable(kind, result);
          const made = appliedObject(kind, live, step, timeOf(index)) as { metadata?: ObjectMeta };
          expect(made, where).toEqual(expected);
          const owners = result?.metadata.managedFields;
          expect(made.metadata?.managedFields?.map(textOfFields), where).toEqual(owners?.map(textOfFields));
        }
        expect(JSON.stringify(live)).toBe(before);
        live = result ?? live;
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});
