import { expect, test } from "vitest";
import { describe as textOf, type FieldError, root } from "../field-error.ts";
import type { Condition, ManagedFieldsEntry, ObjectMeta } from "../v1.ts";
import { validateConditions } from "./conditions.ts";
import { maskTrailingDash } from "./dns.ts";
import { validateDomainPath } from "./domain-path.ts";
import {
  percentOf,
  portNameProblems,
  rangeProblems,
  validateCountOrPercent,
  validatePort,
} from "./number.ts";
import { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const path = root.child("x");
const texts = (found: Iterable<FieldError>) => [...found].map(textOf);

const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "u" };
const labelRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const keyRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const entry = (parts: object) =>
  ({
    manager: "m",
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    ...parts,
  }) as ManagedFieldsEntry;

/** Each field of the metadata with a problem, and without (apimachinery `ValidateObjectMetaAccessor`). */
test.each<[Partial<ObjectMeta>, readonly string[]]>([
  [{ generation: 0 }, []],
  [{ generation: -1 }, ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"]],
  [{ labels: { a: "b" } }, []],
  [{ labels: { a: "-" } }, [`metadata.labels: Invalid value: "-": ${labelRule}`]],
  [{ annotations: { a: "any text" } }, []],
  [{ annotations: { "-": "" } }, [`metadata.annotations: Invalid value: "-": ${keyRule}`]],
  [{ finalizers: ["example.com/a"] }, []],
  [{ finalizers: ["-"] }, [`metadata.finalizers: Invalid value: "-": ${keyRule}`]],
  [{ finalizers: ["orphan", "example.com/a"] }, []],
  [{ finalizers: ["foregroundDeletion"] }, []],
  [
    { finalizers: ["orphan", "foregroundDeletion"] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [{ generateName: "a-" }, []],
  [{ ownerReferences: [owner, { ...owner, apiVersion: "v1", kind: "Pod" }] }, []],
  [
    { ownerReferences: [{ ...owner, apiVersion: "apps/" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty'],
  ],
  [
    { ownerReferences: [{ ...owner, apiVersion: "" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty'],
  ],
  [
    { ownerReferences: [{ ...owner, kind: "", name: "", uid: "" }] },
    ["kind", "name", "uid"].map(
      (one) => `metadata.ownerReferences.${one}: Invalid value: "": must not be empty`,
    ),
  ],
  [{ ownerReferences: [{ ...owner, kind: "Event" }] }, []],
  [
    { ownerReferences: [{ ...owner, apiVersion: "v1", kind: "Event" }] },
    [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
  ],
  [{ managedFields: [entry({}), entry({ operation: "Update" })] }, []],
  [
    { managedFields: [entry({ operation: "Other" }), entry({ operation: undefined })] },
    [
      'metadata.managedFields[0].operation: Invalid value: "Other": must be `Apply` or `Update`',
      'metadata.managedFields[1].operation: Invalid value: "": must be `Apply` or `Update`',
    ],
  ],
  [
    { managedFields: [entry({ fieldsType: "FieldsV2" }), entry({ fieldsType: undefined })] },
    ['metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`'],
  ],
  [
    { managedFields: [entry({ manager: "x".repeat(129) }), entry({ manager: "x".repeat(128) })] },
    ["metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
  ],
  [
    { managedFields: [entry({ subresource: "x".repeat(257) }), entry({ subresource: "x".repeat(256) })] },
    ["metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
  ],
])("the metadata %j has the problems %j", (more, problems) => {
  const metadata = { name: "a", namespace: "b", ...more } as ObjectMeta;
  expect(texts(validateObjectMeta(metadata, { namespaced: true }))).toEqual(problems);
});

test("a name and the prefix of a generated one obey the rule of the kind", () => {
  const rule = (name: string) => (name.includes("x") ? ["has an x"] : []);
  const problems = (metadata: Partial<ObjectMeta>) =>
    texts(validateObjectMeta(metadata, { namespaced: false }, rule));
  expect(problems({ name: "x", generateName: "xy-" })).toEqual([
    'metadata.generateName: Invalid value: "xy-": has an x',
    'metadata.name: Invalid value: "x": has an x',
  ]);
  expect(problems({ name: "a", namespace: "b" })).toEqual([
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
  expect(problems({ name: "a" })).toEqual([]);
});

test.each([
  ["a-", "a"],
  ["ab-", "aa"],
  ["abc-", "aba"],
  ["-", "-"],
  ["abc", "abc"],
  ["", ""],
])("the prefix %j of a generated name is checked as %j", (prefix, expected) => {
  expect(maskTrailingDash(prefix)).toBe(expected);
});

test("a field manager's length counts in bytes, and so do the positions of its bad characters", () => {
  expect(texts(validateFieldManager("é".repeat(64), path))).toEqual([]);
  expect(texts(validateFieldManager("é".repeat(65), path))).toEqual([
    "x: Too long: may not be more than 128 bytes",
  ]);
  expect(texts(validateFieldManager("é\n\u{a0}", path))).toEqual([
    'x: Invalid value: "é\\n\u{a0}": invalid character U+000A (at position 2)',
    'x: Invalid value: "é\\n\u{a0}": invalid character U+00A0 (at position 3)',
  ]);
});

test("only a terminating object gets no new finalizers; they are listed in order", () => {
  const old = { name: "a", finalizers: ["one/a"] } as ObjectMeta;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const next = { ...old, finalizers: ["two/b", "one/a", "two/a"] } as ObjectMeta;
  const problems = (metadata: ObjectMeta, before: ObjectMeta) =>
    texts(validateObjectMetaUpdate(metadata, before));
  expect(problems(next, old)).toEqual([]);
  const ending = { ...old, deletionTimestamp };
  expect(problems({ ...next, deletionTimestamp }, ending)).toEqual([
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"two/a", "two/b"}',
  ]);
  expect(problems({ ...ending, finalizers: [] }, ending)).toEqual([]);
  const { finalizers: _, ...without } = ending;
  expect(problems(without, ending)).toEqual([]);
});

test.each([
  ["abcdefghijklmno", []],
  ["abcdefghijklmnop", ["must be no more than 15 characters"]],
  ["a_b", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]],
  ["_ab", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]],
  ["ab_", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]],
  ["80", ["must contain at least one letter (a-z)"]],
  ["a--b", ["must not contain consecutive hyphens"]],
  ["-a", ["must not begin or end with a hyphen"]],
  ["a-", ["must not begin or end with a hyphen"]],
])("the port name %j has the problems %j", (name, problems) => {
  expect(portNameProblems(name)).toEqual(problems);
});

test("a range holds both of its ends", () => {
  expect([0, 1, 5, 6].map((value) => rangeProblems(value, 1, 5).length)).toEqual([1, 0, 0, 1]);
  expect(rangeProblems(0, 1, 5)).toEqual(["must be between 1 and 5, inclusive"]);
  expect([0, 1, 65_535, 65_536].map((port) => texts(validatePort(port, path)).length)).toEqual([1, 0, 0, 1]);
  expect(texts(validateCountOrPercent(0, path))).toEqual([]);
  expect(texts(validateCountOrPercent(-1, path))).toEqual([
    "x: Invalid value: -1: must be greater than or equal to 0",
  ]);
  expect([percentOf("25%"), percentOf("x%"), percentOf(25), percentOf(undefined)]).toEqual([
    25,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ["acme.io/foo", []],
  ["acme.io/foo/bar", []],
  ["", ["x: Required value"]],
  ...["foo", "/foo", "acme.io/"].map((name): [string, string[]] => [
    name,
    [`x: Invalid value: "${name}": must be a domain-prefixed path (such as "acme.io/foo")`],
  ]),
])("the name with a domain %j has the problems %j", (name, problems) => {
  expect(texts(validateDomainPath(name, path))).toEqual(problems);
});

test("both parts of a name with a domain are checked", () => {
  expect(texts(validateDomainPath("Acme/foo", path)).join()).toContain("a lowercase RFC 1123 subdomain");
  expect(texts(validateDomainPath("acme.io/fo o", path)).join()).toContain("Invalid path");
});

const condition: Condition = {
  type: "Ready",
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  reason: "AsExpected",
  message: "",
};

test.each<[Partial<Condition>, string | undefined]>([
  [{}, undefined],
  [{ type: "-" }, "x[0].type: Invalid value"],
  [
    { status: "Maybe" as "True" },
    'x[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
  ],
  [{ observedGeneration: 0 }, undefined],
  [
    { observedGeneration: -1 },
    "x[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
  ],
  [{ reason: "" }, "x[0].reason: Required value"],
  [{ reason: "1a" }, "x[0].reason: Invalid value"],
  [{ reason: "a".repeat(1024) }, undefined],
  [{ reason: "a".repeat(1025) }, "x[0].reason: Too long: may not be more than 1024 bytes"],
  [{ message: "é".repeat(16 * 1024) }, undefined],
  [{ message: "a".repeat(32 * 1024 + 1) }, "x[0].message: Too long: may not be more than 32768 bytes"],
])("the condition with %o has the problem %j", (more, problem) => {
  const found = texts(validateConditions([{ ...condition, ...more }], path));
  expect(found.length).toBe(problem === undefined ? 0 : 1);
  expect(found[0] ?? "").toContain(problem ?? "");
});

test("a condition has a time, and its type occurs once", () => {
  const { lastTransitionTime: _, ...timeless } = condition;
  expect(texts(validateConditions([timeless as Condition], path))).toEqual([
    "x[0].lastTransitionTime: Required value",
  ]);
  expect(texts(validateConditions([condition, { ...condition, type: "Other" }, condition], path))).toEqual([
    'x[2].type: Duplicate value: "Ready"',
  ]);
  expect(texts(validateConditions(undefined, path))).toEqual([]);
});
