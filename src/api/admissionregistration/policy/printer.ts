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
  integer("Validations", "The number of validations.", ({ spec }) => spec.validations?.length ?? 0),
  paramKindColumn,
];

export const mutatingPolicyColumns: readonly Column<MutatingAdmissionPolicy>[] = [
  integer("Mutations", "The number of mutations.", ({ spec }) => spec.mutations?.length ?? 0),
  paramKindColumn,
];
