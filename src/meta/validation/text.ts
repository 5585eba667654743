/** The required format of a text, and the parts of the message about it. */
export interface Format {
  readonly rule: string;
  /** The regular expression without anchors, as in the message. */
  readonly pattern: string;
  readonly examples: readonly string[];
}

/** Compiles a format to a function that returns the problems of a text. */
export function formatProblems({ rule, pattern, examples }: Format): (value: string) => readonly string[] {
  const whole = new RegExp(`^(?:${pattern})$`);
  const given = examples.map((example) => `'${example}', `).join(" or ");
  const sentence =
    examples.length === 0
      ? `${rule} (regex used for validation is '${pattern}')`
      : `${rule} (e.g. ${given}regex used for validation is '${pattern}')`;
  return (value) => (whole.test(value) ? [] : [sentence]);
}

/** Limits the length in bytes, although the message says characters. */
export function lengthProblems(value: string, max: number): readonly string[] {
  return Buffer.byteLength(value) > max ? [`must be no more than ${max} characters`] : [];
}

export const percentProblems = formatProblems({
  rule: "a valid percent string must be a numeric string followed by an ending '%'",
  pattern: "[0-9]+%",
  examples: ["1%", "93%"],
});

export const headerNameProblems = formatProblems({
  rule: "a valid HTTP header must consist of alphanumeric characters or '-'",
  pattern: "[-A-Za-z0-9]+",
  examples: ["X-Header-Name"],
});

/** Validates the name of an environment variable: any printable ASCII except `=`. */
export function envNameProblems(name: string): readonly string[] {
  const problems = name === "" ? ["environment variable name must be non-empty"] : [];
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(name)) {
    problems.push(
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
  }
  return problems;
}

const configKeyFormat = formatProblems({
  rule: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  pattern: "[-._a-zA-Z0-9]+",
  examples: ["key.name", "KEY_NAME", "key-name"],
});

/** Validates a key of a ConfigMap or Secret, which is also a file name. */
export function configKeyProblems(key: string): readonly string[] {
  return [...lengthProblems(key, 253), ...configKeyFormat(key), ...parentProblems(key)];
}

function parentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`must not be '${name}'`];
  return name.startsWith("..") ? ["must not start with '..'"] : [];
}

/** Validates a name that is a segment of URL paths. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((one) => name.includes(one)).map((one) => `may not contain '${one}'`);
}
