import type { Column } from "../../../meta/strategy.ts";
import { ageColumn, column, nameColumn } from "../../printing.ts";
import type { IngressClass } from "./schema.ts";

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

function parametersText({ spec: { parameters } }: IngressClass): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return apiGroup === undefined ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`;
}

export const ingressClassColumns: readonly Column<IngressClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata: { name = "", annotations } }) =>
      annotations?.[defaultAnnotation] === "true" ? `${name} (default)` : name,
  },
  column("Controller", "The responsible controller.", ({ spec }) => spec.controller ?? ""),
  column("Parameters", "An object with further parameters.", parametersText),
  ageColumn,
];
