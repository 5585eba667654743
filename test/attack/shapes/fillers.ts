import { type MessageType, resolve, type ScalarType, type Type } from "../../../src/meta/schema.ts";

/** The content of an item of a list or map. */
export type Filling = "nothing" | "keys" | "everything" | "the same" | "rubbish";

export const fillings: readonly Filling[] = ["nothing", "keys", "everything", "the same", "rubbish"];

/** Returns the value number `index` of a type. */
export function fillerOf(lazyType: Type, filling: Filling, index: number, depth = 0): unknown {
  const type = resolve(lazyType);
  switch (type.kind) {
    case "scalar":
      return scalar(type, filling, index);
    case "list":
      return filling === "everything" && depth < 2 ? [fillerOf(type.of, filling, index, depth + 1)] : [];
    case "map":
      return filling === "everything" && depth < 2 ? { k: fillerOf(type.of, filling, index, depth + 1) } : {};
    case "message":
      return message(type, filling, index, depth);
  }
}

function message(type: MessageType, filling: Filling, index: number, depth: number): object {
  if (filling === "nothing" || type.foreign !== undefined) return {};
  const filled: Record<string, unknown> = {};
  for (const [name, field] of type.fields) {
    const inner = resolve(field.type);
    const isScalar = inner.kind === "scalar";
    const isKey = name === "name" || field.presence === "required";
    if (filling === "keys" ? !isKey : !isScalar && depth > 1) continue;
    // One source, one action: the first of mutually exclusive messages is set.
    if (!isScalar && !isKey && Object.values(filled).some((one) => typeof one === "object")) continue;
    filled[name] = fillerOf(inner, filling, index, depth + 1);
  }
  return filled;
}

function scalar({ name, enum: known }: ScalarType, filling: Filling, index: number): unknown {
  const isSame = filling === "the same";
  if (filling === "nothing") return name === "boolean" ? false : isText(name) ? "" : zeroOf(name);
  switch (name) {
    case "boolean":
      return true;
    case "int32":
    case "int64":
    case "double":
      return filling === "rubbish" ? -1 : isSame ? 1 : (index % 65_000) + 1;
    case "intOrString":
      return filling === "rubbish" ? "%" : 80;
    case "string":
      if (filling === "rubbish") return `!${index}`;
      return known?.[0] ?? (isSame ? "x" : `x${index}`);
    default:
      return zeroOf(name);
  }
}

const isText = (name: ScalarType["name"]) => name === "string" || name === "bytes";

/** A string that every decoder accepts. */
function zeroOf(name: ScalarType["name"]): unknown {
  switch (name) {
    case "time":
      return "2026-01-01T00:00:00Z";
    case "microTime":
      return "2026-01-01T00:00:00.000000Z";
    case "quantity":
      return "1";
    case "duration":
      return "1s";
    case "bytes":
      return "";
    case "fieldsV1":
    case "rawExtension":
    case "json":
      return {};
    default:
      return 0;
  }
}
