import type { Strategy } from "../../../meta/strategy.ts";
import { ageColumn, column, integer, nameColumn } from "../../printing.ts";
import type { PriorityClass } from "./schema.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./validation.ts";

export const strategy: Strategy<PriorityClass> = {
  // It is never counted up: what matters about a class does not change.
  prepareForCreate: ({ metadata }) => void (metadata.generation = 1),
  validateCreate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
  columns: [
    nameColumn,
    integer("Value", "The priority that Pods get.", ({ value }) => value),
    {
      name: "Global-Default",
      type: "boolean",
      description: "Whether Pods get it that ask for no class.",
      cell: ({ globalDefault = false }) => globalDefault,
    },
    ageColumn,
    column(
      "PreemptionPolicy",
      "Whether Pods of lower priority make room.",
      (one) => one.preemptionPolicy ?? "",
    ),
  ],
};
