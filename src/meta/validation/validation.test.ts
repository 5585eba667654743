import { describe, expect, test } from "vitest";
import { describe as text, type FieldError, root } from "../field-error.ts";
import { label1035Problems, labelProblems, subdomainProblems } from "./dns.ts";
import { validateAnnotations, validateLabelSelector, validateLabels } from "./labels.ts";
import { validateCountOrPercent, validatePortNumberOrName } from "./number.ts";
import { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { configKeyProblems, envNameProblems } from "./text.ts";

const path = root.child("f");
const lines = (issues: Iterable<FieldError>) => [...issues].map(text);
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("names", () => {
  test("the problems of a label are its format, its length and its dots", () => {
    expect(labelProblems("my-name")).toEqual([]);
    expect(labelProblems("My")).toEqual([labelRule]);
    expect(labelProblems("a.b")).toEqual(["must not contain dots"]);
    expect(labelProblems("a".repeat(64))).toEqual(["must be no more than 63 characters"]);
  });

  test("a subdomain may have dots but no empty part", () => {
    expect(subdomainProblems("a.b-c.d")).toEqual([]);
    expect(subdomainProblems("a..b")).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(subdomainProblems("a".repeat(254))).toEqual(["must be no more than 253 characters"]);
  });

  test("a Service's name starts with a letter", () => {
    expect(label1035Problems("1a")).toHaveLength(1);
    expect(label1035Problems("a1")).toEqual([]);
  });

  test("a config key is a file name that stays in its directory", () => {
    expect(configKeyProblems("a.b_C-1")).toEqual([]);
    expect(configKeyProblems("..a")).toEqual(["must not start with '..'"]);
    expect(configKeyProblems("a/b")[0]).toContain("a valid config key must consist of");
  });

  test("an environment variable is printable ASCII without an equals sign", () => {
    expect(envNameProblems("a b!")).toEqual([]);
    expect(envNameProblems("a=b")).toHaveLength(1);
    expect(envNameProblems("")).toEqual(["environment variable name must be non-empty"]);
  });
});

describe("numbers", () => {
  test("ports are numbers or names", () => {
    expect(lines(validatePortNumberOrName(0, path))).toEqual([
      "f: Invalid value: 0: must be between 1 and 65535, inclusive",
    ]);
    expect(lines(validatePortNumberOrName("http", path))).toEqual([]);
  });

  test("counts may be percentages", () => {
    expect(lines(validateCountOrPercent("25%", path))).toEqual([]);
    expect(lines(validateCountOrPercent(-1, path))).toEqual([
      "f: Invalid value: -1: must be greater than or equal to 0",
    ]);
    expect(lines(validateCountOrPercent("x", path))).toEqual([
      `f: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ]);
  });
});

describe("labels", () => {
  test("keys and values are checked at the map's own path", () => {
    expect(lines(validateLabels({ ok: "fine", "a/b/c": "no spaces" }, path))).toEqual([
      expect.stringContaining('f: Invalid value: "a/b/c": a valid label key must consist of'),
      expect.stringContaining('f: Invalid value: "no spaces": a valid label must be an empty string'),
    ]);
  });

  test("a selector's operator determines the number of values", () => {
    const matchExpressions = [
      { key: "a", operator: "In" },
      { key: "a", operator: "Exists", values: ["x"] },
      { key: "a", operator: "Near" },
    ];
    expect(lines(validateLabelSelector({ matchExpressions }, path))).toEqual([
      "f.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "f.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'f.matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
    ]);
  });

  test("the keys of annotations are case-insensitive, and their total size is limited", () => {
    expect(lines(validateAnnotations({ "Example.COM/x": "any text" }, path))).toEqual([]);
    expect(lines(validateAnnotations({ a: "x".repeat(262144) }, path))).toEqual([
      "f: Too long: may not be more than 262144 bytes",
    ]);
  });
});

describe("object metadata", () => {
  const meta = { name: "a", namespace: "b" };

  test("valid metadata", () => {
    const finalizers = ["example.com/x"];
    expect(lines(validateObjectMeta({ ...meta, finalizers }, { namespaced: true }))).toEqual([]);
  });

  test("a name and a namespace are required or forbidden", () => {
    expect(lines(validateObjectMeta({}, { namespaced: true }))).toEqual([
      "metadata.name: Required value: name or generateName is required",
      "metadata.namespace: Required value",
    ]);
    expect(lines(validateObjectMeta(meta, { namespaced: false }))).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
  });

  test("a generated name's prefix may end in a dash", () => {
    expect(lines(validateObjectMeta({ ...meta, generateName: "a-" }, { namespaced: true }))).toEqual([]);
    expect(lines(validateObjectMeta({ ...meta, generateName: "A_b-" }, { namespaced: true }))).toHaveLength(
      1,
    );
  });

  test("owners are complete, and at most one is the controller", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
    const issues = validateObjectMeta(
      { ...meta, ownerReferences: [owner, { ...owner, name: "q", uid: "" }] },
      { namespaced: true },
    );
    expect([...issues].map(({ field, message }) => [field, message.replace(/\[\{.*\}\]/, "…")])).toEqual([
      ["metadata.ownerReferences.uid", 'Invalid value: "": must not be empty'],
      [
        "metadata.ownerReferences",
        'Invalid value: …: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ],
    ]);
  });

  test("a field manager has no control characters", () => {
    expect(lines(validateFieldManager("a b", path))).toEqual([]);
    expect(lines(validateFieldManager("a\n", path))).toEqual([
      'f: Invalid value: "a\\n": invalid character U+000A (at position 1)',
    ]);
  });

  test("a terminating object gets no new finalizers", () => {
    const old = { ...meta, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(lines(validateObjectMetaUpdate({ ...old, finalizers: ["x/y"] }, old))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/y"}',
    ]);
  });

  test("identity is immutable", () => {
    expect(lines(validateObjectMetaUpdate({ ...meta, uid: "1" }, { ...meta, uid: "2" }))).toEqual([
      'metadata.uid: Invalid value: "1": field is immutable',
    ]);
  });
});
