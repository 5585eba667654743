import { labelProblems } from "../../../../meta/validation/dns.ts";

/** A name that Pods take up, but that no host can have. */
export function podNameWarnings(name = "", use = "Pod names and hostnames"): readonly string[] {
  const problems = labelProblems(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
