import type { Strategy } from "../../../meta/strategy.ts";
import { ingressClassColumns } from "./printer.ts";
import type { IngressClass } from "./schema.ts";
import { validateIngressClass, validateSameController } from "./validation.ts";

export const ingressClassStrategy: Strategy<IngressClass> = {
  validate: validateIngressClass,
  validateUpdate: validateSameController,
  generation: true,
  columns: ingressClassColumns,
};
