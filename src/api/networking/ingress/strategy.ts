import type { Strategy } from "../../../meta/strategy.ts";
import { ingressColumns } from "./printer.ts";
import type { Ingress } from "./schema.ts";
import { validateIngress, validateIngressCreate, validateIngressStatus } from "./validation.ts";
import { ingressWarnings } from "./warnings.ts";

export const ingressStrategy: Strategy<Ingress> = {
  validateCreate: validateIngressCreate,
  validateUpdate: validateIngress,
  parts: { status: { validate: validateIngressStatus } },
  warnings: ingressWarnings,
  generation: true,
  columns: ingressColumns,
};
