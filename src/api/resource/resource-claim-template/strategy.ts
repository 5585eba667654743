import type { Strategy } from "../../../meta/strategy.ts";
import { defaultDeviceClaim } from "../resource-claim/defaults.ts";
import type { ResourceClaimTemplate } from "./schema.ts";
import { validateTemplate, validateTemplateUpdate } from "./validation.ts";

export const templateStrategy: Strategy<ResourceClaimTemplate> = {
  setDefaults: ({ spec }) => defaultDeviceClaim(spec.spec.devices),
  validate: (template) => validateTemplate(template),
  validateUpdate: validateTemplateUpdate,
  returnDeletedObject: true,
};
