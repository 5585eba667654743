/** The syntax of label keys and values (apimachinery `api/validate/content`), with upstream's wording. */

const namePart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;

const namePattern = new RegExp(`^${namePart}$`);
const valuePattern = new RegExp(`^(${namePart})?$`);
const subdomainPattern = new RegExp(`^${dnsSubdomain}$`);

const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePart}')`;
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${namePart})?')`;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${dnsSubdomain}')`;

const tooLong = (max: number) => `must be no more than ${max} bytes`;

/**
 * The problems of a label key, which is an optional DNS prefix and a name: `example.com/MyName`. Empty when
 * it is valid.
 */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2) {
    return [
      `a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  return second === undefined ? nameProblems(first) : [...prefixProblems(first), ...nameProblems(second)];
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const problems: string[] = [];
  if (Buffer.byteLength(prefix) > 253) problems.push(`prefix part ${tooLong(253)}`);
  if (!subdomainPattern.test(prefix)) problems.push(`prefix part ${subdomainRule}`);
  return problems;
}

function nameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name === "") problems.push("name part must be non-empty");
  else if (Buffer.byteLength(name) > 63) problems.push(`name part ${tooLong(63)}`);
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}`);
  return problems;
}

/** The problems of a label value. Empty when it is valid. */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(value) > 63) problems.push(tooLong(63));
  if (!valuePattern.test(value)) problems.push(valueRule);
  return problems;
}
