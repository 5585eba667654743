import { type Registration, serve } from "../../meta/strategy.ts";
import { apiServices } from "./api-service/schema.ts";
import { apiServiceStrategy } from "./api-service/strategy.ts";

/** The group `apiregistration.k8s.io`. To whom requests are handed on is the server's business. */
export const apiregistrationRegistrations: readonly Registration[] = [serve(apiServices, apiServiceStrategy)];
