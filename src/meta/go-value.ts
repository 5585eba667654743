/** JSON values as Go prints them in upstream's messages. */

import { quoted } from "../util/go-quote.ts";
import { sortedEntries } from "../util/compare.ts";

/** The Go type of a value that was decoded into an interface (`%T`). */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

/** A number as Go prints it. A float that is an integer within the range is printed as one. */
export function goNumber(value: number | bigint): string {
  return typeof value === "number" && goType(value) === "float64" ? goFloat(value) : String(BigInt(value));
}

/** A value as `%v` prints it. */
export function goValue(value: unknown, number = goNumber): string {
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item, number)).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    return `map[${sortedEntries(value)
      .map(([key, inner]) => `${key}:${goValue(inner, number)}`)
      .join(" ")}]`;
  }
  return typeof value === "string" ? value : goScalar(value, number);
}

/** A value as `%#v` prints it. */
export function goSyntax(value: unknown, number = goNumber): string {
  const within = (inner: unknown) =>
    inner === null || inner === undefined ? "interface {}(nil)" : goSyntax(inner, number);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(within).join(", ")}}`;
  if (typeof value === "object" && value !== null) {
    const pairs = sortedEntries(value).map(([key, inner]) => `${quoted(key)}:${within(inner)}`);
    return `map[string]interface {}{${pairs.join(", ")}}`;
  }
  return goScalar(value, number);
}

function goScalar(value: unknown, number: typeof goNumber): string {
  if (value === null || value === undefined) return "<nil>";
  return typeof value === "number" || typeof value === "bigint" ? number(value) : String(value === true);
}

/** A float as `%v` prints it. */
export function goFloat(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (Object.is(value, -0)) return "-0";
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  const digits = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
}
