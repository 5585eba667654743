/** What a text must look like, with the sentence that explains it. */
export interface Shape {
  readonly rule: string;
  /** Without anchors, as the message shows it. */
  readonly pattern: string;
  readonly examples: readonly string[];
}

/** A shape that is compiled once, with its explanation ready. */
export function shape({ rule, pattern, examples }: Shape): (value: string) => readonly string[] {
  const whole = new RegExp(`^(?:${pattern})$`);
  const given = examples.map((example) => `'${example}', `).join(" or ");
  const sentence =
    examples.length === 0
      ? `${rule} (regex used for validation is '${pattern}')`
      : `${rule} (e.g. ${given}regex used for validation is '${pattern}')`;
  return (value) => (whole.test(value) ? [] : [sentence]);
}

/** Lengths count bytes, although the sentence says characters. */
export function lengthProblems(value: string, max: number): readonly string[] {
  return Buffer.byteLength(value) > max ? [`must be no more than ${max} characters`] : [];
}

export const percentProblems = shape({
  rule: "a valid percent string must be a numeric string followed by an ending '%'",
  pattern: "[0-9]+%",
  examples: ["1%", "93%"],
});

export const headerNameProblems = shape({
  rule: "a valid HTTP header must consist of alphanumeric characters or '-'",
  pattern: "[-A-Za-z0-9]+",
  examples: ["X-Header-Name"],
});

/** The name of an environment variable: any printable ASCII but `=`. */
export function envNameProblems(name: string): readonly string[] {
  const problems = name === "" ? ["environment variable name must be non-empty"] : [];
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(name)) {
    problems.push(
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
  }
  return problems;
}

const configKeyShape = shape({
  rule: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  pattern: "[-._a-zA-Z0-9]+",
  examples: ["key.name", "KEY_NAME", "key-name"],
});

/** A key of a ConfigMap or Secret: it also serves as a file's name. */
export function configKeyProblems(key: string): readonly string[] {
  return [...lengthProblems(key, 253), ...configKeyShape(key), ...parentProblems(key)];
}

function parentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`must not be '${name}'`];
  return name.startsWith("..") ? ["must not start with '..'"] : [];
}

/** A name that stands in a URL path as one segment. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((one) => name.includes(one)).map((one) => `may not contain '${one}'`);
}
