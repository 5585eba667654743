/** How Go prints JSON values: what upstream's messages show of them. */

/** The type of a value that was decoded without one (`%T`). */
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

/** As `%v` prints it. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    return `map[${entriesOf(value)
      .map(([key, inner]) => `${key}:${goValue(inner)}`)
      .join(" ")}]`;
  }
  return goScalar(value);
}

/** As `%#v` prints it. */
export function goSyntax(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "object" && value !== null) {
    const pairs = entriesOf(value).map(([key, inner]) => `${JSON.stringify(key)}:${goSyntax(inner)}`);
    return `map[string]interface {}{${pairs.join(", ")}}`;
  }
  return goScalar(value);
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function goScalar(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return goType(value) === "float64" ? goFloat(value) : String(value);
  return typeof value === "string" || typeof value === "bigint" ? String(value) : String(value === true);
}

/** A float as `%v` prints it. */
export function goFloat(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  const digits = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
}
