import { type BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { parseJson, TooManyValuesError } from "../json.ts";
import type { ScalarName } from "../schema.ts";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";
import { BoundedReader } from "./bounded-reader.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** Reads and writes a scalar that is a message on the wire. */
export interface SpecialForm {
  /** `end` is the end of the message. Undefined is Go's zero value, which is null in JSON. */
  readonly read: (reader: BinaryReader, end: number) => unknown;
  /** Writes the message's fields; `value` is undefined for Go's zero value. */
  readonly write: (writer: BinaryWriter, value: unknown) => void;
}

type Read<T = unknown> = (reader: BinaryReader, wireType: WireType) => T;

/** Reads a small message. Returns the last value of each of its fields. */
function readFields<T>(reader: BinaryReader, end: number, reads: readonly Read<T>[]): (T | undefined)[] {
  const values: (T | undefined)[] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const read = reads[number - 1];
    if (read === undefined) skip(reader, wireType);
    else values[number - 1] = read(reader, wireType);
  }
  return values;
}

/** Skips a field. Refuses groups, because no Kubernetes message has any and they could nest without limit. */
export function skip(reader: BinaryReader, wireType: WireType): void {
  if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) {
    throw new ProtobufError("proto: groups are not supported");
  }
  reader.skip(wireType);
}

export function expect(wireType: WireType, expected: WireType, name: string): void {
  if (wireType !== expected) throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${name}`);
}

const varint: Read<bigint> = (reader, wireType) => {
  expect(wireType, WireType.Varint, "number");
  return BigInt(reader.int64());
};
const text: Read<string> = (reader, wireType) => {
  expect(wireType, WireType.LengthDelimited, "string");
  return reader.string();
};
const raw: Read<Uint8Array> = (reader, wireType) => {
  expect(wireType, WireType.LengthDelimited, "bytes");
  return reader.bytes();
};

const quantity: SpecialForm = {
  read: (reader, end) => readFields(reader, end, [text])[0] ?? "0",
  write: (writer, value) =>
    void writer.tag(1, WireType.LengthDelimited).string(typeof value === "string" ? value : "0"),
};

const intOrString: SpecialForm = {
  read(reader, end) {
    const [type = 0n, number = 0n, string = ""] = readFields<bigint | string>(reader, end, [
      varint,
      varint,
      text,
    ]);
    return type === 0n ? Number(BigInt.asIntN(32, BigInt(number))) : string;
  },
  write(writer, value) {
    const isString = typeof value === "string";
    writer.tag(1, WireType.Varint).int64(isString ? 1 : 0);
    writer.tag(2, WireType.Varint).int32(typeof value === "number" ? value : 0);
    writer.tag(3, WireType.LengthDelimited).string(isString ? value : "");
  },
};

/** The range of RFC 3339: from year 0 to the end of 9999. */
const [firstSecond, lastSecond] = [-62_167_219_200n, 253_402_300_799n];

/** A time: seconds since 1970 and nanoseconds. Empty bytes are Go's zero time, which is null in JSON. */
function timeForm(
  format: (seconds: number, microseconds: number) => string,
  hasFraction: boolean,
): SpecialForm {
  return {
    read(reader, end) {
      if (reader.pos === end) return undefined;
      const [seconds = 0n, nanos = 0n] = readFields(reader, end, [varint, varint]);
      const micros = BigInt.asIntN(32, nanos) / 1000n;
      if (seconds < firstSecond || seconds > lastSecond || micros < 0n || micros > 999_999n) {
        throw new ProtobufError(`Cannot read a time: ${seconds} s and ${nanos} ns are out of range`);
      }
      return format(Number(seconds), Number(micros));
    },
    write(writer, value) {
      if (typeof value !== "string") return;
      const milliseconds = Date.parse(value);
      const micros = hasFraction ? Number((/\.(\d+)/.exec(value)?.[1] ?? "").slice(0, 6).padEnd(6, "0")) : 0;
      writer.tag(1, WireType.Varint).int64(Math.floor(milliseconds / 1000));
      writer.tag(2, WireType.Varint).int32(micros * 1000);
    },
  };
}

const seconds = (count: number) => new Date(count * 1000).toISOString().slice(0, 19);
const time = timeForm((count) => `${seconds(count)}Z`, false);
const microTime = timeForm((count, micros) => `${seconds(count)}.${String(micros).padStart(6, "0")}Z`, true);

const duration: SpecialForm = {
  read: (reader, end) => formatGoDuration(readFields(reader, end, [varint])[0] ?? 0n),
  write(writer, value) {
    writer
      .tag(1, WireType.Varint)
      .int64((typeof value === "string" ? parseGoDuration(value) : undefined) ?? 0n);
  },
};

/** JSON as bytes. Empty bytes are null. All JSON in a message is within the limit of one body in JSON. */
const jsonBytes: SpecialForm = {
  read(reader, end) {
    const [bytes] = readFields(reader, end, [raw]);
    if (bytes === undefined || bytes.length === 0) return undefined;
    try {
      const { value, values } = parseJson(bytes);
      if (reader instanceof BoundedReader) reader.count(values);
      return value ?? undefined;
    } catch (error) {
      if (error instanceof TooManyValuesError) throw error;
      throw new ProtobufError("Cannot read embedded JSON: it does not parse", { cause: error });
    }
  },
  write(writer, value) {
    if (value === undefined) return;
    writer.tag(1, WireType.LengthDelimited).bytes(Buffer.from(JSON.stringify(value)));
  },
};

export const specialForms: Partial<Record<ScalarName, SpecialForm>> = {
  quantity,
  intOrString,
  time,
  microTime,
  duration,
  fieldsV1: jsonBytes,
  rawExtension: jsonBytes,
  json: jsonBytes,
};
