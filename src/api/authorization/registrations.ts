import { serve, type Registration } from "../../meta/strategy.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./v1.ts";
import { validateAccessReview, validateLocalAccessReview, validateSelfAccessReview } from "./validation.ts";

/** The group `authorization.k8s.io`. */
export const authorizationRegistrations: readonly Registration[] = [
  serve(localSubjectAccessReviews, { validate: validateLocalAccessReview }),
  serve(selfSubjectAccessReviews, { validate: validateSelfAccessReview }),
  serve(selfSubjectRulesReviews),
  serve(subjectAccessReviews, { validate: validateAccessReview }),
];
