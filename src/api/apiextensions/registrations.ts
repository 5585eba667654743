import { type Registration, serve } from "../../meta/strategy.ts";
import { customResourceDefinitions } from "./custom-resource-definition/schema.ts";
import { definitionStrategy } from "./custom-resource-definition/strategy.ts";

/** The group `apiextensions.k8s.io`. What a stored definition serves is the server's business. */
export const apiextensionsRegistrations: readonly Registration[] = [
  serve(customResourceDefinitions, definitionStrategy),
];
