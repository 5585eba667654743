import { serve, type Registration } from "../../meta/strategy.ts";
import { endpointSlices } from "./v1.ts";

/** The group `discovery.k8s.io`. */
export const discoveryRegistrations: readonly Registration[] = [serve(endpointSlices)];
