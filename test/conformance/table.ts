import type { KnownTest, Suite } from "./suites.ts";

/** The names of the tests that pass on one runtime. */
export interface Passed {
  readonly runtime: string;
  readonly names: ReadonlySet<string>;
}

/** Returns the page of a suite: which of its tests pass, and those that pass nowhere, with their reasons. */
export function suiteTable(
  { title, introduction, tiers }: Suite,
  tests: readonly KnownTest[],
  passed: readonly Passed[],
): string {
  const passes = ({ name }: KnownTest) => passed.some(({ names }) => names.has(name));
  const rows = Object.entries(tiers).map(([tier, needs]) => {
    const all = tests.filter((one) => one.tier === tier);
    const counts = passed.map(({ names }) => all.filter(({ name }) => names.has(name)).length || "");
    return `| ${[tier, needs, ...counts, all.length].join(" | ")} |`;
  });
  const lists = Object.keys(tiers).flatMap((tier) => {
    const missing = tests.filter((one) => one.tier === tier && !passes(one));
    return missing.length === 0 ? [] : [`## Not passing yet: ${tier}\n\n${missing.map(line).join("\n")}\n`];
  });
  const columns = passed.length === 1 ? ["passing"] : passed.map(({ runtime }) => `passing, ${runtime}`);
  return `# ${title}

${introduction}

${tests.filter(passes).length} of ${tests.length} pass.

| ${["tier", "needs", ...columns, "tests"].join(" | ")} |
|${"---|".repeat(columns.length + 3)}
${rows.join("\n")}

${lists.join("\n")}`;
}

function line({ name, reason }: KnownTest): string {
  return reason === undefined ? `- ${name}` : `- ${name}: ${reason}`;
}
