import { compile } from "./compile.ts";
import type { Library } from "./declarations.ts";
import { environment } from "./environment.ts";
import { fromJson, toJson } from "./json.ts";
import { standardLibrary } from "./standard/library.ts";
import { dyn } from "./types.ts";
import { CelError } from "./values.ts";

/**
 * Makes a function that evaluates expressions to JSON, `error: …`, or the issues. Variables are JSON of
 * unknown type.
 */
export function evaluator(libraries: readonly Library[], variables: Readonly<Record<string, unknown>> = {}) {
  const types = Object.fromEntries(Object.keys(variables).map((name) => [name, dyn]));
  const declared = environment({ libraries: [standardLibrary, ...libraries], variables: types });
  const bindings = Object.fromEntries(
    Object.entries(variables).map(([name, json]) => [name, fromJson(json)]),
  );
  return (source: string): { readonly value: unknown; readonly cost: number } => {
    const compiled = compile(declared, source);
    if (!compiled.ok) return { value: compiled.message, cost: 0 };
    const { result, cost } = compiled.program.evaluate(bindings);
    return { value: result instanceof CelError ? `error: ${result.message}` : toJson(result), cost };
  };
}
