import { spend } from "./effort.ts";
import { Type } from "./type.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";
import { runtimeType } from "./runtime-type.ts";
import { formatDuration, formatTimestamp } from "./time.ts";

const stepsToFormat = 8;

/** A value in an error message, as Go's `%v` prints cel-go's values. */
export function formatValue(value: Value): string {
  if (value === null) return "0";
  if (typeof value !== "object") return String(value);
  spend(stepsToFormat);
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Type) return value.name;
  if (value instanceof CelList) return `[${[...value].map(formatResult).join(", ")}]`;
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map(
      (key) => `${formatValue(key)}: ${formatResult(value.get(key) ?? null)}`,
    );
    return `{${entries.join(", ")}}`;
  }
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional(${formatValue(value.value)})`;
  }
  return value.type.name;
}

const formatResult = (value: Value | CelError) =>
  value instanceof CelError ? value.message : formatValue(value);

/** The shortest decimal that parses to the same double, as Go's `%g`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** The Go type of a scalar in upstream's source, which some messages contain. */
export function goTypeName(value: Value): string {
  const { kind, name } = runtimeType(value);
  if (kind === "opaque") return name === "optional_type" ? "*types.Optional" : name;
  if (kind === "type") return "*types.Type";
  if (kind === "list" || kind === "map") return kind === "list" ? "*types.baseList" : "*types.baseMap";
  return `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
