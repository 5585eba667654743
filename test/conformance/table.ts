const tiers: Readonly<Record<string, string>> = {
  api: "the API server",
  kcm: "and controllers",
  fake: "and scheduler and simulated nodes",
  run: "and real containers",
};

/** Returns `docs/conformance.md`: which of the conformance tests pass. */
export function conformanceTable(
  tests: readonly { readonly name: string; readonly tier: string }[],
  passing: ReadonlySet<string>,
): string {
  const rows = Object.entries(tiers).map(([tier, needs]) => {
    const all = tests.filter((one) => one.tier === tier);
    return `| ${tier} | ${needs} | ${all.filter(({ name }) => passing.has(name)).length} | ${all.length} |`;
  });
  const lists = Object.keys(tiers).map((tier) => {
    const missing = tests.filter((one) => one.tier === tier && !passing.has(one.name));
    return missing.length === 0
      ? ""
      : `## Not passing yet: ${tier}\n\n${missing.map(({ name }) => `- ${name}`).join("\n")}\n`;
  });
  const total = tests.filter(({ name }) => passing.has(name)).length;
  return `# Conformance

Kubernetes v1.36's own conformance tests against \`knarr up --runtime simulated\`. Made by \`npm run conformance -- --update\`.

${total} of ${tests.length} pass.

| tier | needs | passing | tests |
|---|---|---|---|
${rows.join("\n")}

${lists.filter((text) => text !== "").join("\n")}`;
}
