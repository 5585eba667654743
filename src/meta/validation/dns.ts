import { lengthProblems, shape } from "./text.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

const subdomainShape = shape({
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  pattern: subdomain,
  examples: ["example.com"],
});

const labelShape = shape({
  rule: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  pattern: label,
  examples: ["my-name", "123-abc"],
});

const label1035Shape = shape({
  rule: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  examples: ["my-name", "abc-123"],
});

const underscoredShape = shape({
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  pattern: `${underscored}(\\.${underscored})*`,
  examples: ["example.com"],
});

/** Most names: `example.com`. */
export function subdomainProblems(name: string): readonly string[] {
  return [...lengthProblems(name, 253), ...subdomainShape(name)];
}

/** Names that become one part of a host name: `my-name`. */
export function labelProblems(name: string): readonly string[] {
  const tooLong = lengthProblems(name, 63);
  const wrong = labelShape(name);
  if (wrong.length === 0) return tooLong;
  return [...tooLong, ...(subdomainShape(name).length === 0 ? ["must not contain dots"] : wrong)];
}

/** Names of Services, which older resolvers must understand: no digit in front. */
export function label1035Problems(name: string): readonly string[] {
  return [...lengthProblems(name, 63), ...label1035Shape(name)];
}

/** Search domains. */
export function underscoredSubdomainProblems(name: string): readonly string[] {
  return [...lengthProblems(name, 253), ...underscoredShape(name)];
}

const wildcardShape = shape({
  rule: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  pattern: `\\*\\.${subdomain}`,
  examples: ["*.example.com"],
});

/** Hosts of which any will do: `*.example.com`. */
export function wildcardProblems(host: string): readonly string[] {
  return [...lengthProblems(host, 253), ...wildcardShape(host)];
}

/** A prefix of a name that characters will be added to: a dash may end it. */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
