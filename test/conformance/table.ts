import type { KnownTest, Suite } from "./suites.ts";

/** Returns the page of a suite: which of its tests pass, and the others with their reasons. */
export function suiteTable(
  { title, introduction, tiers }: Suite,
  tests: readonly KnownTest[],
  passing: ReadonlySet<string>,
): string {
  const rows = Object.entries(tiers).map(([tier, needs]) => {
    const all = tests.filter((one) => one.tier === tier);
    return `| ${tier} | ${needs} | ${all.filter(({ name }) => passing.has(name)).length} | ${all.length} |`;
  });
  const lists = Object.keys(tiers).flatMap((tier) => {
    const missing = tests.filter((one) => one.tier === tier && !passing.has(one.name));
    return missing.length === 0 ? [] : [`## Not passing yet: ${tier}\n\n${missing.map(line).join("\n")}\n`];
  });
  const total = tests.filter(({ name }) => passing.has(name)).length;
  return `# ${title}

${introduction}

${total} of ${tests.length} pass.

| tier | needs | passing | tests |
|---|---|---|---|
${rows.join("\n")}

${lists.join("\n")}`;
}

function line({ name, reason }: KnownTest): string {
  return reason === undefined ? `- ${name}` : `- ${name}: ${reason}`;
}
