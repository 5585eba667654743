import { describe, expect, test } from "vitest";
import { evaluator } from "../cel/cel.suite.ts";
import { kubernetesLibraries } from "./kubernetes-environment.ts";

const evaluate = evaluator(kubernetesLibraries, {
  long: "9".repeat(400_000),
  query: `/?${"a=1&".repeat(100_000)}`,
});

describe("quantities", () => {
  test.each<[string, unknown]>([
    ["quantity('50Mi').compareTo(quantity('50M'))", 1],
    ["quantity('1') == quantity('1000m')", true],
    ["quantity('50k').add(20).asInteger()", 50_020],
    ["quantity('50k').sub(quantity('60k')).asInteger()", -10_000],
    ["quantity('1000m').isInteger() || quantity('1.0').isInteger()", false],
    ["quantity('0.5').add(quantity('0.5')).isInteger()", false],
    ["quantity('1e30').isInteger()", false],
    ["quantity('9223372036854775807').isInteger()", false],
    ["quantity('1.5').asInteger()", "error: cannot convert value to integer"],
    ["quantity('0.3').asApproximateFloat()", 0.30000000000000004],
    ["quantity('1.5Ki').asApproximateFloat()", 1536],
    ["sign(quantity('-1m'))", -1],
    ["isQuantity('1.3GiB')", false],
    ["quantity('1Kk')", "error: unable to parse quantity's suffix"],
    ["quantity('1e400').add(1).isInteger()", false],
    ["isQuantity('1e999999999')", false],
    [
      "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].all(i, isQuantity(long))",
      "error: operation cancelled: actual cost limit exceeded",
    ],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });
});

describe("URLs", () => {
  const address = "url('https://user@[::1]:80/a%20b/c?k=1&k=%C3%A9&x#f')";

  test.each<[string, unknown]>([
    [`${address}.getScheme()`, "https"],
    [`${address}.getHost()`, "[::1]:80"],
    [`${address}.getHostname()`, "::1"],
    [`${address}.getPort()`, "80"],
    [`${address}.getEscapedPath()`, "/a%20b/c"],
    [`${address}.getQuery()`, { k: ["1", "é"], x: [""] }],
    [`${address} == ${address}`, true],
    ["url('/é|%41').getEscapedPath()", "/%C3%A9%7CA"],
    ["url('/a?a;b=1&%zz=2&c=3').getQuery()", { c: ["3"] }],
    ["isURL('relative') || isURL('')", false],
    ["url('a')", 'error: URL parse error during conversion from string: parse "a": invalid URI for request'],
    ["url(query).getQuery().size()", 0],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test("parsing costs a tenth for each character", () => {
    expect(evaluate("url('/a/long/path').getHost()").cost).toBe(3);
  });
});

describe("named formats", () => {
  test.each<[string, unknown]>([
    ["format.dns1123Label().validate('my-label').hasValue()", false],
    ["format.dns1123LabelPrefix().validate('my-label-').hasValue()", false],
    ["format.dns1123Label().validate('a.b').value()", ["must not contain dots"]],
    ["format.uuid().validate('1').value()", ["does not match the UUID format"]],
    ["format.uri().validate('a').value()", ['parse "a": invalid URI for request']],
    ["format.named('date').value().validate('2021-02-30').value()", ["invalid date"]],
    ["format.named('nope').hasValue()", false],
    ["format.named('uri').value() == format.uri()", true],
    ["format.uri() == format.date()", false],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source).value).toEqual(value);
  });

  test("validating costs as much as a search for a pattern of the format's size", () => {
    expect(evaluate("format.uri().validate('/a').hasValue()").cost).toBe(1 + 276 + 1);
  });
});
