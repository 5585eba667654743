/** Aligns columns with spaces, as kubectl prints them: three between columns, none at the end of a line. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
        .join("")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}
