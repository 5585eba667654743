import { children, type Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import type { Issue } from "./source.ts";
import { dyn, sameType, type Type, unwrapOptional } from "./types.ts";

/**
 * What is wrong with literals though their types are right: `duration("tomorrow")`, a pattern that is none,
 * and, unless `mixed` is allowed, lists and maps whose elements do not all have the very same type (cel-go
 * `cel/validator.go`, with the validators that Kubernetes asks for).
 */
export function validateLiterals(
  { expression, types, references }: Checked,
  mixed: boolean,
): readonly Issue[] {
  const issues: Issue[] = [];
  const typeOf = ({ id }: Expression, optional: boolean): Type => {
    const type = types[id] ?? dyn;
    return optional ? (unwrapOptional(type) ?? dyn) : type;
  };
  const visit = (node: Expression): void => {
    if (node.kind === "call") {
      const reference = references[node.id];
      const [argument] = node.args;
      const declaration = reference?.kind === "function" ? reference.declaration : undefined;
      if (argument?.kind === "literal" && declaration?.acceptsLiteral?.(argument.value) === false) {
        issues.push({ message: `invalid ${declaration.name} argument`, offset: argument.offset });
      }
    } else if (node.kind === "list" && !mixed) {
      issues.push(
        ...mixtures(node.elements.map((one) => [one.value, typeOf(one.value, one.optional)])).slice(0, 1),
      );
    } else if (node.kind === "map" && !mixed) {
      issues.push(...mixtures(node.entries.map(({ key }) => [key, typeOf(key, false)])));
      issues.push(...mixtures(node.entries.map(({ value, optional }) => [value, typeOf(value, optional)])));
    }
    for (const child of children(node)) visit(child);
  };
  visit(expression);
  return issues;
}

/** Elements whose type is not that of the first. */
function mixtures(elements: readonly (readonly [Expression, Type])[]): readonly Issue[] {
  const [, wanted] = elements[0] ?? [undefined, dyn];
  return elements
    .filter(([, type]) => !sameType(wanted, type, true))
    .map(([{ offset }, type]) => ({
      message: `expected type '${wanted.text}' but found '${type.text}'`,
      offset,
    }));
}
