import { serve, type Registration } from "../../meta/strategy.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./v1.ts";

/** The group `authorization.k8s.io`. */
export const authorizationRegistrations: readonly Registration[] = [
  serve(localSubjectAccessReviews),
  serve(selfSubjectAccessReviews),
  serve(selfSubjectRulesReviews),
  serve(subjectAccessReviews),
];
