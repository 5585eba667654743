import { type Call, children, type Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import type { FunctionDeclaration } from "./declarations.ts";
import type { Issue } from "./source.ts";
import { dyn, sameType, unwrapOptional } from "./types.ts";
import type { Type } from "./type.ts";

/**
 * The issues of literals whose types are correct: `duration("tomorrow")`, an invalid pattern, and lists and
 * maps whose elements have different types (cel-go `cel/validator.go`, with the validators that Kubernetes
 * enables).
 */
export function validateLiterals(checked: Checked): readonly Issue[] {
  const issues: Issue[] = [];
  const calls: Issue[] = [];
  const visit = (node: Expression, mixed: boolean): void => {
    const declaration = node.kind === "call" ? declarationOf(checked, node) : undefined;
    if (node.kind === "call") {
      issues.push(...nonsense(node, declaration));
      calls.push(...(declaration?.checkCall?.(node, (part) => checked.types[part.id] ?? dyn) ?? []));
    }
    if (!mixed) issues.push(...mixtures(checked, node));
    for (const child of children(node)) visit(child, mixed || declaration?.mixesTypes === true);
  };
  visit(checked.expression, false);
  return [...issues, ...calls];
}

function declarationOf({ references }: Checked, call: Call): FunctionDeclaration | undefined {
  const reference = references[call.id];
  return reference?.kind === "function" ? reference.declaration : undefined;
}

/** The issues of a literal argument that cannot be converted. */
function nonsense(
  { args: [argument] }: Call,
  declaration: FunctionDeclaration | undefined,
): readonly Issue[] {
  if (argument?.kind !== "literal" || declaration?.acceptsLiteral?.(argument.value) !== false) return [];
  return [{ message: `invalid ${declaration.name} argument`, offset: argument.offset }];
}

type Element = readonly [Expression, Type];

/**
 * The issues of elements whose type differs from that of the first one. For a list, only the first such
 * element is reported.
 */
function mixtures({ types }: Checked, node: Expression): readonly Issue[] {
  const typed = (value: Expression, optional: boolean): Element => {
    const type = types[value.id] ?? dyn;
    return [value, optional ? (unwrapOptional(type) ?? dyn) : type];
  };
  if (node.kind === "list") {
    return strangers(node.elements.map(({ value, optional }) => typed(value, optional))).slice(0, 1);
  }
  if (node.kind !== "map") return [];
  const keys = node.entries.map(({ key }) => typed(key, false));
  return [
    ...strangers(keys),
    ...strangers(node.entries.map(({ value, optional }) => typed(value, optional))),
  ];
}

function strangers(elements: readonly Element[]): readonly Issue[] {
  const [first] = elements;
  if (first === undefined) return [];
  const [, wanted] = first;
  return elements
    .filter(([, type]) => !sameType(wanted, type, true))
    .map(([{ offset }, type]) => ({
      message: `expected type '${wanted.text}' but found '${type.text}'`,
      offset,
    }));
}
