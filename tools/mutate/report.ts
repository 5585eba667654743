import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";

/** The result as text: a line for each file, and below it each mutant that no test noticed. */
export function report(name: string, mutants: readonly MutantResult[]): string {
  const tested = mutants.filter((one) => one.status !== "Ignored" && one.status !== "CompileError");
  const byFile = Map.groupBy(tested, (one) => relative(process.cwd(), one.fileName));
  const files = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = files.flatMap(([file, own]) => [
    line(file, own),
    ...own.filter(isAlive).map(survivor).sort(),
  ]);
  return [...lines, "", line(name, tested)].join("\n");
}

/** A mutant that keeps a test file from loading is noticed too. */
function isAlive({ status }: MutantResult): boolean {
  return status === "Survived" || status === "NoCoverage";
}

function line(name: string, mutants: readonly MutantResult[]): string {
  const alive = mutants.filter(isAlive);
  const unreached = alive.filter((one) => one.status === "NoCoverage").length;
  const score = mutants.length === 0 ? 100 : (100 * (mutants.length - alive.length)) / mutants.length;
  const counts = `${mutants.length} mutants, ${alive.length - unreached} survive, ${unreached} not reached`;
  return `${name}: ${score.toFixed(1)} % (${counts})`;
}

function survivor({
  fileName,
  location: { start, end },
  mutatorName,
  replacement,
  status,
}: MutantResult): string {
  const source = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const last = source.length - 1;
  source[last] = (source[last] ?? "").slice(0, end.column - 1);
  source[0] = (source[0] ?? "").slice(start.column - 1);
  const where = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
  const how = status === "NoCoverage" ? "not reached" : "survives";
  return `  ${where} ${how}, ${mutatorName}: ${short(source.join(" "))} → ${short(replacement)}`;
}

function short(code: string): string {
  const text = code.replaceAll(/\s+/g, " ").trim();
  return text.length <= 70 ? text : `${text.slice(0, 50)} … ${text.slice(-17)}`;
}
