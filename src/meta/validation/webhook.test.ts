import { expect, test } from "vitest";
import { describe as textOf, type FieldError, root } from "../field-error.ts";
import { validateDnsLabel, validateKnown, validateOneOf, validateSubdomain, wrong } from "./report.ts";
import { validateCaBundle, validateWebhookService, validateWebhookUrl } from "./webhook.ts";

const path = root.child("x");
const texts = (found: Iterable<FieldError>) => [...found].map(textOf);
const form = "; desired format: https://host[/path]";

/** After apiserver's `TestValidateWebhookURL`. */
test.each<[string, readonly string[]]>([
  ["https://example.com", []],
  ["https://example.com:8443/path", []],
  ["http://example.com", [`x: Invalid value: "http": 'https' is the only allowed URL scheme${form}`]],
  ["https:///path", [`x: Invalid value: "": host must be specified${form}`]],
  ["https://example.com/#a", ['x: Invalid value: "a": fragments are not permitted in the URL']],
  ["https://example.com/?a=b", ['x: Invalid value: "a=b": query parameters are not permitted in the URL']],
])("the URL %j of a webhook has the problems %j", (url, problems) => {
  expect(texts(validateWebhookUrl(url, path))).toEqual(problems);
});

test("a URL has no user, and can be parsed", () => {
  expect(texts(validateWebhookUrl("https://me@example.com", path)).join()).toContain(
    "user information is not permitted in the URL",
  );
  const [problem = ""] = texts(validateWebhookUrl("https://%zz", path));
  expect(problem).toMatch(
    /^x: Required value: url must be a valid URL: .*desired format: https:\/\/host\[\/path\]$/,
  );
});

const service = { name: "a", namespace: "b", port: 443 };

/** After apiserver's `TestValidateWebhookService`. */
test.each<[object, readonly string[]]>([
  [{}, []],
  [{ name: "" }, ["x.name: Required value"]],
  [{ namespace: "" }, ["x.namespace: Required value"]],
  [
    { port: 65_536 },
    ["x.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive"],
  ],
  [
    { port: undefined },
    ["x.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"],
  ],
  [{ path: "" }, []],
  [{ path: "/" }, []],
  [{ path: "/a/b" }, []],
  [{ path: "/a/" }, []],
  [{ path: "//" }, ['x.path: Invalid value: "//": segment[0] may not be empty']],
  [{ path: "/a//b" }, ['x.path: Invalid value: "/a//b": segment[1] may not be empty']],
])("the Service with %j has the problems %j", (more, problems) => {
  expect(texts(validateWebhookService({ ...service, ...more }, path))).toEqual(problems);
});

test("a path begins with a slash, and its segments are names", () => {
  expect(texts(validateWebhookService({ ...service, path: "aa/b" }, path))).toEqual([
    `x.path: Invalid value: "aa/b": must start with a '/'`,
  ]);
  const [problem = ""] = texts(validateWebhookService({ ...service, path: "/a/B" }, path));
  expect(problem).toMatch(/^x\.path: Invalid value: "\/a\/B": segment\[1\]: a lowercase RFC 1123 subdomain/);
});

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

test.each([
  ["text", "unable to parse bytes as PEM block"],
  ["", "unable to parse bytes as PEM block"],
  [block("CERTIFICATE", "AAAA"), "failed to parse certificate: x509: malformed certificate"],
  [block("PUBLIC KEY", "AAAA"), "no valid certificate authority data seen"],
  [block("CERTIFICATE", "k: v\n\nAAAA"), "no valid certificate authority data seen"],
  [`text\n${block("PUBLIC KEY", "AAAA")}`, "no valid certificate authority data seen"],
  [`${block("PUBLIC KEY", "AAAA")}text`, "unable to parse bytes as PEM block"],
])("the CA bundle %j is refused: %s", (pem, problem) => {
  const bundle = Buffer.from(pem).toString("base64");
  expect(texts(validateCaBundle(bundle, path))).toEqual([
    `x: Invalid value: ${JSON.stringify(bundle)}: unable to load root certificates: ${problem}`,
  ]);
});

// In quadratic time, the test would run for minutes.
test.each(["-----BEGIN ", "-----BEGIN A-----\n", "\n"])(
  "a CA bundle of many %j takes linear time",
  (piece) => {
    const bundle = Buffer.from(`-----BEGIN A-----${piece.repeat(100_000)}`).toString("base64");
    expect(texts(validateCaBundle(bundle, path))).toHaveLength(1);
  },
);

const certificate = `
MIIBcDCCARWgAwIBAgIUM9xKG8YVqKnOIFf9fQEGoxmyZ0wwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjIxNTM5MTVaGA8yMTI2MTAyOTE1MzkxNVow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBiOKDks/Xq6
DhjVC3rgg1ahPWyKRP796lTfka7/iGpbuEicQyuXjGBnbdcQZnCnKlF79+Jabgs2
flwhlMJ/dY+jUzBRMB0GA1UdDgQWBBROX/BqgObOdfSGTO9QSBpfkK0F0zAfBgNV
HSMEGDAWgBROX/BqgObOdfSGTO9QSBpfkK0F0zAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDO2W6KVFaFJHSkAka+qX2NqoT5VCoaFOWK+fPhXb0m
+wIhAOQnZs0caqTWDUYhqpoVhLO1dUjq0Ucky7IF7og7z950`.trim();

test.each([
  block("CERTIFICATE", certificate),
  `a text before\n${block("CERTIFICATE", certificate)}`,
  block("CERTIFICATE", "AAAA") + block("PUBLIC KEY", "AAAA") + block("CERTIFICATE", certificate),
])("a CA bundle with one valid certificate is accepted: %j", (pem) => {
  expect(texts(validateCaBundle(Buffer.from(pem).toString("base64"), path))).toEqual([]);
});

test("values of a fixed set are required, or may be absent", () => {
  const unsupported = 'x: Unsupported value: "c": supported values: "a", "b"';
  const oneOf = (value: string | undefined) => texts(validateOneOf(value, ["a", "b"], path));
  expect([oneOf("a"), oneOf("c"), oneOf(""), oneOf(undefined)]).toEqual([
    [],
    [unsupported],
    ["x: Required value"],
    ["x: Required value"],
  ]);
  const known = (value: string | undefined) => texts(validateKnown(value, ["a", "b"], path));
  expect([known("a"), known("c"), known(undefined)]).toEqual([[], [unsupported], []]);
  expect(known("")).toEqual(['x: Unsupported value: "": supported values: "a", "b"']);
});

test("names are labels or subdomains", () => {
  expect(texts(validateDnsLabel("a", path))).toEqual([]);
  expect(texts(validateDnsLabel("a.b", path)).length).toBe(1);
  expect(texts(validateSubdomain("a.b", path))).toEqual([]);
  expect(texts(validateSubdomain("a_b", path)).length).toBe(1);
  expect(textOf(wrong(path, "not so"))).toBe("x: Invalid value: not so");
});
