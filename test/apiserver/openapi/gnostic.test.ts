import { readFileSync } from "node:fs";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { documentV2 } from "../../../src/apiserver/openapi/gnostic/v2.ts";
import { documentV3 } from "../../../src/apiserver/openapi/gnostic/v3.ts";
import { writeGnostic } from "../../../src/apiserver/openapi/gnostic/write.ts";

/** A document with every field, and the protobuf that gnostic-models v0.7.0 makes of it. */
interface Line {
  readonly version: "v2" | "v3";
  readonly document: object;
  readonly protobuf: string;
}

const fixture = new URL("../../fixtures/openapi/gnostic.jsonl", import.meta.url);
const lines = readFileSync(fixture, "utf8").trimEnd().split("\n");
const forms = { v2: documentV2, v3: documentV3 };

test.each(lines.map((line) => JSON.parse(line) as Line))(
  "a document in $version is encoded as gnostic encodes it, field by field",
  async ({ version, document, protobuf }) => {
    const ours = await writeGnostic(forms[version], document);
    expect(fields(ours)).toEqual(fields(Buffer.from(protobuf, "base64")));
  },
);

test.each([
  ["a key that the message does not have", { swagger: "2.0", host: "x" }, "Cannot write host"],
  ["a value of another type", { swagger: 2 }, "it is no string"],
  ["no list where there must be one", { security: { BearerToken: [] } }, "it is no list"],
])("%s is an error, and never dropped", async (_, document, message) => {
  await expect(writeGnostic(documentV2, document)).rejects.toThrow(message);
});

test("many definitions are sent in parts, which readers merge", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  const definitions = Object.fromEntries(names.map((name) => [name, { title: name }]));
  const { 9: parts = [] } = fields(await writeGnostic(documentV2, { definitions }));
  expect(parts).toHaveLength(3);
  const entries = parts.flatMap((part) => (typeof part === "string" ? [] : (part[1] ?? [])));
  expect(entries).toEqual(names.map((name) => ({ 1: [name], 2: [{ 3: [name] }] })));
});

interface Tree {
  readonly [number: number]: readonly (Tree | string)[];
}

/** Decodes a message to its fields by number, in any order. @throws Error when the bytes are no message */
function fields(bytes: Uint8Array): Tree {
  const reader = new BinaryReader(bytes);
  const tree: Record<number, (Tree | string)[]> = {};
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const isDelimited = wireType === WireType.LengthDelimited;
    const value = isDelimited
      ? opened(reader.bytes())
      : Buffer.from(reader.skip(wireType, number)).toString("hex");
    (tree[number] ??= []).push(value);
  }
  return tree;
}

/** Decodes bytes as a message if possible, else as text. YAML text is compared by its meaning. */
function opened(bytes: Uint8Array): Tree | string {
  try {
    return fields(bytes);
  } catch {
    const value: unknown = parse(Buffer.from(bytes).toString());
    return typeof value === "string" ? value : JSON.stringify(value);
  }
}
