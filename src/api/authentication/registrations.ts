import { serve, type Registration } from "../../meta/strategy.ts";
import { selfSubjectReviews, tokenReviews } from "./v1.ts";

/** The group `authentication.k8s.io`. */
export const authenticationRegistrations: readonly Registration[] = [
  serve(selfSubjectReviews),
  serve(tokenReviews),
];
