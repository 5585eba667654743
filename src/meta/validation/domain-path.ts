import { type FieldError, type FieldPath, invalid, requiredValue } from "../field-error.ts";
import { subdomainProblems } from "./dns.ts";
import { report } from "./report.ts";
import { formatProblems } from "./text.ts";

const pathProblems = formatProblems({
  rule: "Invalid path",
  pattern: "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+",
  examples: [],
});

/** Requires a name with a domain: `acme.io/foo`. */
export function* validateDomainPath(name: string, path: FieldPath): Generator<FieldError> {
  const slash = name.indexOf("/");
  const [domain, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  if (name === "") yield requiredValue(path);
  else if (slash <= 0 || rest === "") {
    yield invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    yield* report(path, domain, subdomainProblems(domain));
    yield* report(path, rest, pathProblems(rest));
  }
}
