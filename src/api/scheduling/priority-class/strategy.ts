import type { Strategy } from "../../../meta/strategy.ts";
import { ageColumn, column, integer, nameColumn } from "../../printing.ts";
import type { PriorityClass } from "./schema.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./validation.ts";

export const strategy: Strategy<PriorityClass> = {
  // The generation never increases, because the relevant fields are immutable.
  prepareForCreate: ({ metadata }) => void (metadata.generation = 1),
  validateCreate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
  columns: [
    nameColumn,
    integer("Value", "The priority that Pods get.", ({ value }) => value),
    {
      name: "Global-Default",
      type: "boolean",
      description: "Whether Pods without a class get this one.",
      cell: ({ globalDefault = false }) => globalDefault,
    },
    ageColumn,
    column(
      "PreemptionPolicy",
      "Whether Pods of lower priority may be preempted.",
      (one) => one.preemptionPolicy ?? "",
    ),
  ],
};
