import { serve, type Registration } from "../../meta/strategy.ts";
import { leases } from "./v1.ts";

/** The group `coordination.k8s.io`. */
export const coordinationRegistrations: readonly Registration[] = [serve(leases)];
