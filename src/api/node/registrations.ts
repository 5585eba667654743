import { type Registration, serve } from "../../meta/strategy.ts";
import { runtimeClasses } from "./runtime-class/schema.ts";
import { strategy } from "./runtime-class/strategy.ts";

/** The group `node.k8s.io`. */
export const nodeRegistrations: readonly Registration[] = [serve(runtimeClasses, strategy)];
