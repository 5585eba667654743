import { type Registration, serve } from "../../meta/strategy.ts";
import { podDisruptionBudgets } from "./pod-disruption-budget/schema.ts";
import { strategy } from "./pod-disruption-budget/strategy.ts";

/** The group `policy`. */
export const policyRegistrations: readonly Registration[] = [serve(podDisruptionBudgets, strategy)];
