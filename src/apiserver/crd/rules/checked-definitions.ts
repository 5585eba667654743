import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "../../../api/apiextensions/v1/custom-resource-definition.ts";
import { validateDefinitionUpdate, validateNewDefinition } from "../../../api/apiextensions/validation.ts";
import { type Registration, serve, type Strategy } from "../../../meta/strategy.ts";
import { checkRules } from "./definition-rules.ts";

/** The registration of definitions, with rules in CEL checked when a definition is written; any other one as it is. */
export function withCheckedRules(registration: Registration): Registration {
  if (registration.kind !== customResourceDefinitions) return registration;
  return serve(customResourceDefinitions, {
    ...(registration.strategy as unknown as Strategy<CustomResourceDefinition>),
    validateCreate: (definition) => validateNewDefinition(definition, checkRules),
    validateUpdate: (definition, old) => validateDefinitionUpdate(definition, old, checkRules),
  });
}
