import { type Registration, serve } from "../../meta/strategy.ts";
import { apiServices } from "./api-service/schema.ts";
import { apiServiceStrategy } from "./api-service/strategy.ts";

/** The group `apiregistration.k8s.io`. The API server decides which requests it proxies. */
export const apiregistrationRegistrations: readonly Registration[] = [serve(apiServices, apiServiceStrategy)];
