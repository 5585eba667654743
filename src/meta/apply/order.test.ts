import { describe, expect, it, test } from "vitest";
import { type FieldSet, parseFieldSet, storedFieldSet } from "./field-set.ts";
import { byElement, byText, type ElementOrder, orderInSteps } from "./order.ts";
import { atOnce } from "../../util/steps.ts";
import { things } from "./thing.suite.ts";
import { updateManagedFields } from "./update-managed-fields.ts";

/** Sets as structured-merge-diff's `Set.ToJSON` writes them, and as Go writes them as plain maps. */
const recorded: readonly (readonly [string, string])[] = [
  [
    `{"f:metadata":{},"f:spec":{".":{},"f:type":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{}}}`,
    `{"f:metadata":{},"f:spec":{".":{},"f:type":{},"k:{\\"port\\":443}":{},"k:{\\"port\\":80}":{}}}`,
  ],
  [
    `{"f:a":{".":{},"f:b":{}},"f:z":{},"k:{\\"a\\":1}":{},"v:1.5":{},"v:2":{},"v:10":{},"v:\\"a\\"":{},"v:\\"b\\"":{},"v:false":{},"v:true":{},"v:null":{},"i:9":{},"i:10":{}}`,
    `{"f:a":{".":{},"f:b":{}},"f:z":{},"i:10":{},"i:9":{},"k:{\\"a\\":1}":{},"v:\\"a\\"":{},"v:\\"b\\"":{},"v:1.5":{},"v:10":{},"v:2":{},"v:false":{},"v:null":{},"v:true":{}}`,
  ],
  [
    `{"k:{\\"name\\":\\"x\\"}":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{},"k:{\\"port\\":443}":{},"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{},"k:{\\"port\\":443,\\"protocol\\":\\"UDP\\"}":{},"k:{\\"port\\":\\"80\\"}":{}}`,
    `{"k:{\\"name\\":\\"x\\"}":{},"k:{\\"port\\":\\"80\\"}":{},"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{},"k:{\\"port\\":443,\\"protocol\\":\\"UDP\\"}":{},"k:{\\"port\\":443}":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{}}`,
  ],
  [
    `{"f:":{},"f:E":{},"f:a":{},"f:a-b":{},"f:a.b":{},"f:e":{},"f:é":{},"f:\uffee":{},"f:\u{1f600}":{}}`,
    `{"f:":{},"f:E":{},"f:a":{},"f:a-b":{},"f:a.b":{},"f:e":{},"f:é":{},"f:\uffee":{},"f:\u{1f600}":{}}`,
  ],
];

function inOrder(set: FieldSet, order: ElementOrder): FieldSet {
  return atOnce(orderInSteps(set, order));
}

function reversed(set: FieldSet): FieldSet {
  const turned = Object.entries(set)
    .toReversed()
    .map(([element, node]) => [element, reversed(node)]);
  return Object.fromEntries(turned) as FieldSet;
}

describe("a field set in order", () => {
  it.each(recorded)("has the order of upstream's %s", (elements, text) => {
    const set = storedFieldSet(JSON.parse(elements) as Record<string, unknown>);
    expect(JSON.stringify(inOrder(reversed(set), byElement))).toBe(elements);
    expect(JSON.stringify(inOrder(reversed(set), byText))).toBe(text);
  });

  it("is the same value if it is in order", () => {
    const set = storedFieldSet(JSON.parse(recorded[0]?.[0] ?? "") as Record<string, unknown>);
    expect(inOrder(set, byElement)).toBe(set);
  });

  it.each<[what: string, element: (value: string) => string]>([
    ["fields", (value) => `f:${value}`],
    ["items of one key", (value) => `k:${JSON.stringify({ name: value })}`],
    ["items of two keys", (value) => `k:${JSON.stringify({ name: value, protocol: "TCP" })}`],
  ])("has %s in the order of their values' code points", (_, element) => {
    const letters = ["", "A", "a", "b", " ", "!", '"', "#", "\\", "-", ".", "é", "\uffee", "\u{1f600}"];
    const pairs = letters.flatMap((a) => letters.map((b) => [a, b]));
    for (const values of [letters, ...pairs.map(([a, b]) => ["x", `x${a}`, `x${b}`, "y", `x${a}${b}`])]) {
      const inOrder = [...new Set(values)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(byElement(inOrder.toReversed().map(element))).toEqual(inOrder.map(element));
    }
  });

  it("has items by their keys, then by their values", () => {
    const elements = ['k:{"port":"a"}', 'k:{"ab":"a"}', 'k:{"a":"z"}', ".", 'k:{"ab":"#"}'];
    expect(byElement(elements)).toEqual([
      ".",
      'k:{"a":"z"}',
      'k:{"ab":"#"}',
      'k:{"ab":"a"}',
      'k:{"port":"a"}',
    ]);
  });

  it("contains no index that is not an integer", () => {
    expect(parseFieldSet({ "i:x": {} })).toBeUndefined();
    expect(parseFieldSet({ "i:+3": {} })).toEqual({ "i:3": {} });
  });
});

describe("the steps of an order", () => {
  const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f:${i}`, {}]));
  it.each<[what: string, set: FieldSet, steps: number]>([
    ["a small set", wide(1999), 0],
    ["a set of 2,000 elements", wide(2000), 1],
    ["a larger set, which is sorted first", wide(5000), 3],
    ["a set whose parts are small", Object.fromEntries([1, 2, 3].map((i) => [`f:x${i}`, wide(1000)])), 1],
  ])("of %s", (_, set, steps) => {
    const walk = orderInSteps(set, byText);
    let count = 0;
    while (walk.next().done !== true) count += 1;
    expect(count).toBe(steps);
  });
});

test("keeps its order when one writer adds fields to its own", () => {
  const writer = { manager: "m", subresource: "", now: 0 };
  const object = (ports: readonly number[], data: object) => ({
    apiVersion: things.apiVersion,
    kind: things.kind,
    metadata: { name: "x" },
    spec: { ports: ports.map((port) => ({ port, protocol: "TCP" })), data },
  });
  const first = object([443, 80], { b: "1" });
  const owned = updateManagedFields(things, undefined, first, writer);
  const live = { ...first, metadata: { name: "x", ...(owned && { managedFields: owned }) } };
  const [entry] = updateManagedFields(things, live, object([443, 80, 9], { b: "1", a: "1" }), writer) ?? [];
  const port = (number: number) =>
    `"k:{\\"port\\":${number},\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{}}`;
  expect(JSON.stringify(entry?.fieldsV1)).toBe(
    `{"f:spec":{"f:data":{".":{},"f:a":{},"f:b":{}},"f:ports":{".":{},${port(9)},${port(80)},${port(443)}}}}`,
  );
});
