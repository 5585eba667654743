/**
 * A lint rule: no table that is looked up by arbitrary strings is a plain object. A plain object finds `constructor`,
 * `toString` and `__proto__` in its prototype, and clients choose the strings. A table is a `Map`, or made by `table`
 * (util/table.ts), which has no prototype.
 */

const wrappers = new Set(["Readonly", "Partial", "NonNullable"]);

/** Reports whether a type is `Record<string, …>`, perhaps readonly. */
function isTextRecord(type) {
  if (type?.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return false;
  const [first] = type.typeArguments?.params ?? [];
  if (wrappers.has(type.typeName.name)) return isTextRecord(first);
  return type.typeName.name === "Record" && first?.type === "TSStringKeyword";
}

const message =
  "A table of texts is a Map, or made by table() (util/table.ts): a plain object has a prototype.";

export const noPlainTables = {
  create: (context) => ({
    VariableDeclarator({ id, init, parent: { parent } }) {
      const isOfModule = parent.type === "Program" || parent.type === "ExportNamedDeclaration";
      const isTable = isOfModule && init?.type === "ObjectExpression";
      if (isTable && isTextRecord(id.typeAnnotation?.typeAnnotation)) context.report({ node: init, message });
    },
  }),
};
