import { type Registration, serve } from "../../meta/strategy.ts";
import { deviceClasses } from "./device-class/schema.ts";
import { deviceClassStrategy } from "./device-class/strategy.ts";
import { resourceClaimTemplates } from "./resource-claim-template/schema.ts";
import { templateStrategy } from "./resource-claim-template/strategy.ts";
import { resourceClaims } from "./resource-claim/schema.ts";
import { claimStrategy } from "./resource-claim/strategy.ts";
import { resourceSlices } from "./resource-slice/schema.ts";
import { sliceStrategy } from "./resource-slice/strategy.ts";

/**
 * The group `resource.k8s.io`. The API server decides which namespaces may use `adminAccess`, and who may
 * write which part of a claim's status.
 */
export const resourceRegistrations: readonly Registration[] = [
  serve(deviceClasses, deviceClassStrategy),
  serve(resourceClaims, claimStrategy),
  serve(resourceClaimTemplates, templateStrategy),
  serve(resourceSlices, sliceStrategy),
];
