import { labelProblems } from "../../../../meta/validation/dns.ts";

/** Warns about a name that is not a valid host name, because Pods use it as their host name. */
export function podNameWarnings(name = "", use = "Pod names and hostnames"): readonly string[] {
  const problems = labelProblems(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
