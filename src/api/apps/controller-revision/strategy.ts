import { root } from "../../../meta/field-error.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { controllerRevisionColumns } from "./printer.ts";
import type { ControllerRevision } from "./schema.ts";
import { validateControllerRevision } from "./validation.ts";

export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  validate: validateControllerRevision,
  validateUpdate: ({ data }, old) => validateImmutable(data, old.data, root.child("data")),
  columns: controllerRevisionColumns,
};
