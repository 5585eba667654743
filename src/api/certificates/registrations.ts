import { type Registration, serve } from "../../meta/strategy.ts";
import { certificateSigningRequests } from "./certificate-signing-request/schema.ts";
import { requestStrategy } from "./certificate-signing-request/strategy.ts";

/** The group `certificates.k8s.io`. The API server decides who may approve and sign. */
export const certificatesRegistrations: readonly Registration[] = [
  serve(certificateSigningRequests, requestStrategy),
];
