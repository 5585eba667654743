import { type Registration, serve } from "../../meta/strategy.ts";
import { certificateSigningRequests } from "./certificate-signing-request/schema.ts";
import { requestStrategy } from "./certificate-signing-request/strategy.ts";

/** The group `certificates.k8s.io`. Who may approve and sign is the server's business. */
export const certificatesRegistrations: readonly Registration[] = [
  serve(certificateSigningRequests, requestStrategy),
];
