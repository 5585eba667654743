import { lengthProblems, formatProblems } from "./text.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

const subdomainFormat = formatProblems({
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  pattern: subdomain,
  examples: ["example.com"],
});

const labelFormat = formatProblems({
  rule: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  pattern: label,
  examples: ["my-name", "123-abc"],
});

const label1035Format = formatProblems({
  rule: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  examples: ["my-name", "abc-123"],
});

const underscoredFormat = formatProblems({
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  pattern: `${underscored}(\\.${underscored})*`,
  examples: ["example.com"],
});

/** Requires a DNS subdomain, the form of most names: `example.com`. */
export function subdomainProblems(name: string): readonly string[] {
  return [...lengthProblems(name, 253), ...subdomainFormat(name)];
}

/** Requires a DNS label: `my-name`. */
export function labelProblems(name: string): readonly string[] {
  const tooLong = lengthProblems(name, 63);
  const wrong = labelFormat(name);
  if (wrong.length === 0) return tooLong;
  return [...tooLong, ...(subdomainFormat(name).length === 0 ? ["must not contain dots"] : wrong)];
}

/**
 * Requires a DNS label that starts with a letter, for names of Services, because older resolvers require it.
 */
export function label1035Problems(name: string): readonly string[] {
  return [...lengthProblems(name, 63), ...label1035Format(name)];
}

/** Requires a search domain. */
export function underscoredSubdomainProblems(name: string): readonly string[] {
  return [...lengthProblems(name, 253), ...underscoredFormat(name)];
}

const wildcardFormat = formatProblems({
  rule: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  pattern: `\\*\\.${subdomain}`,
  examples: ["*.example.com"],
});

/** Requires a host with a wildcard: `*.example.com`. */
export function wildcardProblems(host: string): readonly string[] {
  return [...lengthProblems(host, 253), ...wildcardFormat(host)];
}

/** Replaces a dash at the end of a name's prefix, which is valid because characters will be added. */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
