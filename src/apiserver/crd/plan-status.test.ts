import { describe, expect, test } from "vitest";
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { decode } from "../../meta/decode.ts";
import type { Json } from "../server.suite.ts";
import { definition, version } from "./definitions.suite.ts";
import { planStatus } from "./plan-status.ts";

type Status = CustomResourceDefinition["status"];

const now = Date.UTC(2026, 0, 1);

function made(spec: Json, metadata: object = {}, acceptedNames?: object): CustomResourceDefinition {
  const status = acceptedNames === undefined ? {} : { status: { acceptedNames } };
  const body = { ...definition(spec, metadata), ...status };
  return decode(customResourceDefinitions.schema, body) as unknown as CustomResourceDefinition;
}

const told = ({ conditions }: Status, ...types: readonly string[]) =>
  conditions
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ type, status, reason, message }) => [type, status, reason, message]);

const first = made(
  {},
  {},
  { plural: "crons", singular: "cron", shortNames: ["c", "cr"], kind: "Cron", listKind: "CronList" },
);

describe("names of a group", () => {
  test.each<[string, Json, string, string]>([
    ["a plural", { plural: "cron", kind: "A" }, "PluralConflict", '"cron" is already in use'],
    [
      "a singular",
      { plural: "as", kind: "A", singular: "crons" },
      "SingularConflict",
      '"crons" is already in use',
    ],
    [
      "a short name",
      { plural: "as", kind: "A", shortNames: ["a", "cr"] },
      "ShortNamesConflict",
      '"cr" is already in use',
    ],
    [
      "short names",
      { plural: "as", kind: "A", shortNames: ["c", "cr"] },
      "ShortNamesConflict",
      '["c" is already in use, "cr" is already in use]',
    ],
    ["a kind", { plural: "as", kind: "CronList" }, "KindConflict", '"CronList" is already in use'],
    [
      "a list's kind",
      { plural: "as", kind: "A", listKind: "Cron" },
      "ListKindConflict",
      '"Cron" is already in use',
    ],
    [
      "several names, of which the last is reported",
      { plural: "cr", kind: "Cron", listKind: "X" },
      "KindConflict",
      '"Cron" is already in use',
    ],
  ])("%s can be taken", (_, names, reason, message) => {
    const second = made({ names });
    const status = planStatus(second, [first, second], now);
    expect(told(status)).toEqual([
      ["NamesAccepted", "False", reason, message],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ]);
  });

  test("are accepted one by one", () => {
    const second = made({ names: { plural: "as", kind: "Cron", shortNames: ["a"] } });
    expect(planStatus(second, [first, second], now).acceptedNames).toEqual({
      plural: "as",
      kind: "",
      shortNames: ["a"],
    });
  });

  test("of its own do not conflict with a definition", () => {
    expect(told(planStatus(first, [first], now))[0]?.[1]).toBe("True");
  });
});

test("an up-to-date status is returned unchanged, and times change with a condition's status", () => {
  const one = made({});
  const status = planStatus(one, [one], now);
  expect(status.conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
    Array.from({ length: 2 }, () => "2026-01-01T00:00:00Z"),
  );
  const settled = { ...one, status };
  expect(planStatus(settled, [settled], now + 1000)).toBe(status);
  const names = { ...one.spec.names, shortNames: ["cr"] };
  const renamed = { ...settled, spec: { ...one.spec, names } };
  const conflict = planStatus(renamed, [first, renamed], now + 1000);
  expect(conflict.conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
    "2026-01-01T00:00:01Z",
    "2026-01-01T00:00:00Z",
  ]);
});

const group = "things.k8s.io";
const policy = "api-approved.kubernetes.io";
test.each<[string | undefined, readonly unknown[][]]>([
  [undefined, [["False", "MissingAnnotation"]]],
  ["", [["False", "MissingAnnotation"]]],
  ["unapproved, experimental-only", [["False", "UnapprovedAnnotation"]]],
  ["https://github.com/kubernetes/kubernetes/pull/78458", [["True", "ApprovedAnnotation"]]],
  ["bad value", [["False", "InvalidAnnotation"]]],
])("a protected group with approval %j", (approval, expected) => {
  const annotations = approval === undefined ? {} : { [policy]: approval };
  const one = made({ group }, { annotations });
  const found = told(planStatus(one, [one], now), "KubernetesAPIApprovalPolicyConformant");
  expect(found.map(([, status, reason]) => [status, reason])).toEqual(expected);
});

test("a non-structural schema of an older version is reported", () => {
  const schema = { type: "object", properties: { a: {} } };
  const one = made({ versions: [version("v1", { storage: true, schema })] });
  const place = "spec.versions[0].schema.openAPIV3Schema.properties[a].type";
  expect(told(planStatus(one, [one], now), "NonStructuralSchema")).toEqual([
    [
      "NonStructuralSchema",
      "True",
      "Violations",
      `${place}: Required value: must not be empty for specified object fields`,
    ],
  ]);
});

test("a definition whose webhook has an invalid CA bundle is not established", () => {
  const caBundle = Buffer.from("nonsense").toString("base64");
  const webhook = {
    conversionReviewVersions: ["v1"],
    clientConfig: { url: "https://example.com", caBundle },
  };
  const one = made({ conversion: { strategy: "Webhook", webhook } });
  expect(told(planStatus(one, [one], now), "Established")).toEqual([
    ["Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"],
  ]);
});
