import { type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";

/** Reports whether the IANA database has a zone of this name. Case matters, as in a file name. */
export function isKnownTimeZone(name: string): boolean {
  // JavaScript also accepts numeric offsets as zones.
  if (!/^[A-Z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const partPattern = /^[A-Za-z.\-_0-9+]{1,14}$/;

export function* validateTimeZone(name: string, path: FieldPath): Generator<FieldError> {
  if (name === "") {
    yield invalid(path, name, "timeZone must be nil or non-empty string");
    return;
  }
  const unknown = invalid(path, name, `unknown time zone ${name}`);
  const parts = name.split("/");
  const isWrong = (part: string) =>
    part === "." || part === ".." || part.startsWith("-") || !partPattern.test(part);
  if (parts.some(isWrong)) {
    yield unknown;
    return;
  }
  if (name.toLowerCase() === "local") {
    yield invalid(
      path,
      name,
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
    );
  }
  if (name !== "Local" && !isKnownTimeZone(name)) yield unknown;
}
