import { parseGoDuration } from "../../../meta/protobuf/go-duration.ts";
import { isCidr, isIp } from "../../../meta/validation/ip.ts";
import { parseRequestUri, UrlError } from "../../../meta/validation/url.ts";

/** The meaning of `format` for strings: the formats of kube-openapi's `strfmt` and two of Kubernetes. */

const subdomainPart = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;
const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const colorPart = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const rgbColor = new RegExp(`^rgb\\(\\s*${colorPart}\\s*,\\s*${colorPart}\\s*,\\s*${colorPart}\\s*\\)$`);
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const uuid = (version: string) => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, "i");

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);
const bytes = (text: string) => Buffer.byteLength(text);

/** Leading zeros are insignificant. */
const withoutZeros = (text: string) => text.replaceAll(/(^|[./])0+(?=\d)/g, "$1");

type Check = (text: string) => boolean;

/** The checks by the format's name without dashes, which are insignificant. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["bsonobjectid", matches(/^[0-9a-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", matches(/^(?:[^<>]*<)?[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()\\]+>?$/)],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && isIp(withoutZeros(text))],
  ["ipv6", (text) => text.includes(":") && isIp(text)],
  ["cidr", (text) => isCidr(withoutZeros(text))],
  ["mac", isMac],
  ["uuid", matches(uuid("[0-9a-f]{4}-?[0-9a-f]{4}"))],
  ["uuid3", matches(uuid("3[0-9a-f]{3}-?[0-9a-f]{4}"))],
  ["uuid4", matches(uuid("4[0-9a-f]{3}-?[89ab][0-9a-f]{3}"))],
  ["uuid5", matches(uuid("5[0-9a-f]{3}-?[89ab][0-9a-f]{3}"))],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", matches(rgbColor)],
  ["byte", matches(base64)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => bytes(text) <= 63 && new RegExp(`^${subdomainPart}$`).test(text)],
  [
    "k8slongname",
    (text) => bytes(text) <= 253 && new RegExp(`^${subdomainPart}(\\.${subdomainPart})*$`).test(text),
  ],
]);

function checkOf(format: string): Check | undefined {
  return checks.get(format.replaceAll("-", ""));
}

/** Reports whether a format is known for values of a type. Unknown formats are ignored. */
export function isKnownFormat(format: string, type: string): boolean {
  switch (type) {
    case "":
    case "string":
      return checkOf(format) !== undefined;
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}

/** Reports whether a string has the format. Every string has an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  return checkOf(format)?.(text) ?? true;
}

function isRequestUri(text: string): boolean {
  try {
    parseRequestUri(text);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

function isHostname(text: string): boolean {
  return bytes(text) <= 255 && hostname.test(text) && text.split(".").every((part) => bytes(part) <= 63);
}

/** Reports whether the text is a MAC address of 6, 8 or 20 bytes, as in Go's `net.ParseMAC`. */
function isMac(text: string): boolean {
  const pairs = text.split(/[:-]/);
  const words = text.split(".");
  if (pairs.length > 1) {
    const isUniform = !(text.includes(":") && text.includes("-"));
    return (
      isUniform && [6, 8, 20].includes(pairs.length) && pairs.every((one) => /^[0-9A-Fa-f]{2}$/.test(one))
    );
  }
  return [3, 4, 10].includes(words.length) && words.every((one) => /^[0-9A-Fa-f]{4}$/.test(one));
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (sum, digit, i) => sum + (i + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((sum, digit, i) => sum + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!creditCard.test(digits)) return false;
  const doubled = (digit: number) => (digit < 5 ? 2 * digit : 2 * digit - 9);
  const sum = Array.from(digits)
    .map(Number)
    .reverse()
    .reduce((sum, digit, i) => sum + (i % 2 === 0 ? digit : doubled(digit)), 0);
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const match = /^\d{4}-\d\d-\d\d$/.exec(text);
  const time = Date.parse(`${text}T00:00:00Z`);
  return match !== null && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const match = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time);
  if (match === null || !isDate(date)) return false;
  const [, hours = "", minutes = "", seconds = ""] = match;
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Reports whether the text is a Go duration, or contains words such as `3 days`. */
function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  const units = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
  // From the first digit of a number only: from each of its digits, a long number would take quadratic time.
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => units.test(unit));
}
