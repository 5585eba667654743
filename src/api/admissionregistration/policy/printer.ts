import type { Column } from "../../../meta/strategy.ts";
import { column, integer } from "../../printing.ts";
import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy } from "./schema.ts";

const paramKindColumn = column<ValidatingAdmissionPolicy | MutatingAdmissionPolicy>(
  "ParamKind",
  "The kind of objects that parameters come from.",
  ({ spec: { paramKind } }) =>
    paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
);

export const validatingPolicyColumns: readonly Column<ValidatingAdmissionPolicy>[] = [
  integer("Validations", "How many validations there are.", ({ spec }) => spec.validations?.length ?? 0),
  paramKindColumn,
];

export const mutatingPolicyColumns: readonly Column<MutatingAdmissionPolicy>[] = [
  integer("Mutations", "How many changes there are.", ({ spec }) => spec.mutations?.length ?? 0),
  paramKindColumn,
];
