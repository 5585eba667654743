import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bodies, registrations } from "../src/api/registrations.ts";
import { decode } from "../src/meta/decode.ts";
import { listMessage } from "../src/meta/list-message.ts";
import { decodeEnvelope, encodeEnvelope } from "../src/meta/protobuf/envelope.ts";
import { ProtobufError } from "../src/meta/protobuf/protobuf-error.ts";
import type { MessageType } from "../src/meta/schema.ts";
import { DeleteOptions } from "../src/meta/v1-options.ts";

/**
 * Objects that Go's own types wrote as protobuf and as JSON. Each kind has one object with every field set, one with
 * some fields, and an empty one. Protobuf is in base64.
 */
interface Fixture {
  /** apiVersion and kind, with a slash between. */
  readonly kind: string;
  readonly protobuf: string;
  readonly json: { readonly apiVersion: string; readonly kind: string };
}

const fixtures = readFileSync(new URL("./fixtures/protobuf.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Fixture);

const schemas = new Map<string, MessageType>([["v1/DeleteOptions", DeleteOptions]]);
for (const kind of [...registrations.map(({ kind }) => kind), ...bodies]) {
  schemas.set(`${kind.apiVersion}/${kind.kind}`, kind.schema);
  schemas.set(`${kind.apiVersion}/${kind.listKind}`, listMessage(kind));
}

function schemaOf({ kind }: Fixture): MessageType {
  const schema = schemas.get(kind);
  if (schema === undefined) throw new TypeError(`${kind} is not served`);
  return schema;
}

function bytesOf({ protobuf }: Fixture): Buffer {
  return Buffer.from(protobuf, "base64");
}

test("decodes Go's protobuf to the same object as Go's JSON, for every kind", () => {
  for (const fixture of fixtures) {
    const schema = schemaOf(fixture);
    const opened = decodeEnvelope(bytesOf(fixture), schema);
    expect(opened, fixture.kind).toMatchObject({
      apiVersion: fixture.json.apiVersion,
      kind: fixture.json.kind,
    });
    // Byte for byte, once both were decoded like any input.
    expect(JSON.stringify(decode(schema, opened)), fixture.kind).toBe(
      JSON.stringify(decode(schema, fixture.json)),
    );
  }
  expect(fixtures.length).toBeGreaterThan(110);
  expect(new Set(fixtures.map(({ kind }) => kind)).size).toBeGreaterThan(40);
});

test("encodes an object to the same bytes as Go, for every kind", () => {
  let bytes = 0;
  for (const fixture of fixtures) {
    const { apiVersion, kind } = fixture.json;
    const sealed = encodeEnvelope(fixture.json, { apiVersion, kind, schema: schemaOf(fixture) });
    expect(Buffer.from(sealed).toString("base64"), fixture.kind).toBe(fixture.protobuf);
    bytes += sealed.length;
  }
  process.stdout.write(`protobuf: ${fixtures.length} objects, ${bytes} bytes compared\n`);
});

/** Opens damaged bytes: the result is an object or a ProtobufError, nothing else. */
function openDamaged(bytes: Uint8Array, fixture: Fixture): void {
  try {
    decodeEnvelope(bytes, schemaOf(fixture));
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}

test("turns damaged bytes into a ProtobufError or another object, never into anything else", () => {
  const damage = fc.record({
    fixture: fc.constantFrom(...fixtures),
    at: fc.nat(),
    byte: fc.integer({ min: 0, max: 255 }),
    cut: fc.nat(),
    insert: fc.uint8Array({ maxLength: 12 }),
  });
  fc.assert(
    fc.property(damage, ({ fixture, at, byte, cut, insert }) => {
      const bytes = bytesOf(fixture);
      const body = bytes.length - 4;
      const changed = Uint8Array.from(bytes);
      changed[4 + (at % body)] = byte;
      openDamaged(changed, fixture);
      openDamaged(bytes.subarray(0, 4 + (cut % body)), fixture);
      const place = 4 + (at % body);
      openDamaged(Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place)]), fixture);
    }),
    { numRuns: 3000 },
  );
});
