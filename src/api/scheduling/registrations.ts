import { type Registration, serve } from "../../meta/strategy.ts";
import { priorityClasses } from "./priority-class/schema.ts";
import { strategy } from "./priority-class/strategy.ts";

/** The group `scheduling.k8s.io`. */
export const schedulingRegistrations: readonly Registration[] = [serve(priorityClasses, strategy)];
