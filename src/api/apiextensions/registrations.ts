import { type Registration, serve } from "../../meta/strategy.ts";
import { customResourceDefinitions } from "./custom-resource-definition/schema.ts";
import { definitionStrategy } from "./custom-resource-definition/strategy.ts";

/** The group `apiextensions.k8s.io`. The API server serves the custom resources of stored definitions. */
export const apiextensionsRegistrations: readonly Registration[] = [
  serve(customResourceDefinitions, definitionStrategy),
];
