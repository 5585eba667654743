import { declareClassPlugin, declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";
import type { NodePath } from "@stryker-mutator/api/ignore";
import type { MutationTestingPlanReadyEvent, Reporter } from "@stryker-mutator/api/report";

/** The part of Babel's nodes that is read here. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly expressions?: readonly Node[];
}

const plainValues = new Set(["Identifier", "MemberExpression", "CallExpression"]);

/**
 * Reports whether a node is wording: a string with a blank in it. Names, reasons, phases and keys have none. A template
 * that decides something between its words is not left out.
 */
function isProse({ type, value, quasis = [], expressions = [] }: Node): boolean {
  if (type === "StringLiteral") return String(value).includes(" ");
  if (type !== "TemplateLiteral" || !expressions.every((one) => plainValues.has(one.type))) return false;
  return quasis.some((one) => one.value.raw.includes(" "));
}

function shouldIgnore(path: NodePath): string | undefined {
  const { node } = path as { readonly node: Node };
  return isProse(node) ? "wording" : undefined;
}

/** Says on standard error how far it is: a folder takes minutes. */
class Progress implements Reporter {
  #all = 0;
  #tested = 0;

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    this.#all = mutantPlans.length;
  }

  onMutantTested(): void {
    this.#tested += 1;
    if (this.#tested % 100 === 0) process.stderr.write(`${this.#tested} of ${this.#all}\n`);
  }
}

/** The exports that Stryker loads. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "prose", { shouldIgnore }),
  declareClassPlugin(PluginKind.Reporter, "lines", Progress),
];
