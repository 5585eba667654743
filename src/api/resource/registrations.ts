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
 * The group `resource.k8s.io`. Which namespaces may have `adminAccess`, and who may write what of a claim's
 * status, is the server's business.
 */
export const resourceRegistrations: readonly Registration[] = [
  serve(deviceClasses, deviceClassStrategy),
  serve(resourceClaims, claimStrategy),
  serve(resourceClaimTemplates, templateStrategy),
  serve(resourceSlices, sliceStrategy),
];
